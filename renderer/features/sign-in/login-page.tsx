import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { canUsePasskeys } from '../../lib/passkeys.ts'
import { safeNext } from '../../lib/safe-next.ts'
import { type Challenge, configQuery } from '../../lib/session.ts'
import { TextLink } from '../../ui/links.tsx'
import { ChallengeForm } from './challenge-form.tsx'
import { EntryPage } from './entry-page.tsx'
import { challengeExpired, signInReasons, ssoFailure } from './notices.ts'
import { PasswordForm } from './password-form.tsx'

export function LoginPage() {
  const { next, reason, error } = useSearch({ from: '/login' })
  const config = useQuery(configQuery).data
  const [challenge, setChallenge] = useState<Challenge | null>(null)
  const [isExpired, setExpired] = useState(false)
  const router = useRouter()
  const navigate = useNavigate()
  const enter = () => {
    const target = safeNext(next)
    return target ? router.history.push(target) : navigate({ to: '/' })
  }
  if (challenge) {
    const leave = (hasExpired: boolean) => {
      setChallenge(null)
      setExpired(hasExpired)
    }
    return (
      <EntryPage title="Confirm it is you">
        <ChallengeForm challenge={challenge} onDone={enter} onBack={() => leave(false)} onExpired={() => leave(true)} />
      </EntryPage>
    )
  }
  const notice = isExpired ? challengeExpired : error ? ssoFailure : reason && signInReasons[reason]
  return (
    <EntryPage title="Sign in" about="to the administration of your devices">
      {notice && (
        <Alert variant="light" p="sm" role="status">
          {notice}
        </Alert>
      )}
      <PasswordForm
        hasPasskeys={Boolean(config?.passkeys.available) && canUsePasskeys()}
        onDone={enter}
        onChallenge={setChallenge}
      />
      {config?.registration.enabled && config.registration.shown && (
        <Text size="sm" ta="center" c="dimmed">
          New here?{' '}
          <TextLink to="/register-partner" inherit underline="always">
            Register your company
          </TextLink>
        </Text>
      )}
    </EntryPage>
  )
}
