import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { StandalonePage } from '../../../domain/login-branding/standalone-page.tsx'
import { canUsePasskeys } from '../../../lib/passkeys.ts'
import { safeNext } from '../../../lib/safe-next.ts'
import { type Challenge, publicConfigQuery } from '../../../lib/session.ts'
import { TextLink } from '../../../ui/links.tsx'
import { signInNotice } from '../sso/sso-error-messages.ts'
import { ChallengeForm } from './challenge-form.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { challengeExpired, challengeLost, isReplacedSession, signInReasons } from './sign-in-reasons.ts'

export function LoginPage() {
  const { next, reason, error } = useSearch({ from: '/login' })
  const config = useQuery(publicConfigQuery).data
  const [challenge, setChallenge] = useState<Challenge | null>(null)
  const [isExpired, setExpired] = useState(false)
  /** After a try, the reason for coming here is no longer shown. */
  const [isTried, setTried] = useState(false)
  const router = useRouter()
  const navigate = useNavigate()
  const enter = () => {
    const target = safeNext(next)
    return target ? router.history.push(target) : navigate({ to: '/' })
  }
  const { email = '', isChallenge = false } = useLocation({ select: ({ state }) => state })
  // Each step is a history entry: "Back" leads from the second to the first, and both know the address.
  const begin = async (given: Challenge, typed: string) => {
    setExpired(false)
    await navigate({ to: '/login', search: true, replace: true, state: { email: typed } })
    setChallenge(given)
    await navigate({ to: '/login', search: true, state: { email: typed, isChallenge: true } })
  }
  if (isChallenge && challenge) {
    const expire = () => {
      setChallenge(null)
      setExpired(true)
      router.history.back()
    }
    return (
      <StandalonePage title="Confirm it’s you">
        <ChallengeForm challenge={challenge} onDone={enter} onBack={() => router.history.back()} onExpired={expire} />
      </StandalonePage>
    )
  }
  const notice = isExpired
    ? challengeExpired
    : isChallenge
      ? challengeLost
      : error
        ? signInNotice(error)
        : reason && signInReasons[reason]
  return (
    <StandalonePage title="Sign in">
      {notice && !isTried && (
        <Alert variant="light" p="sm" role="status">
          {notice}
          {isReplacedSession(reason) && (
            <>
              {' '}
              <TextLink to="/login" inherit underline="always">
                {reason === 'another-person' ? 'Continue as that person' : 'Continue there'}
              </TextLink>
            </>
          )}
        </Alert>
      )}
      <SignInForm
        knownEmail={email}
        next={next}
        hasPasskeys={Boolean(config?.passkeys.available) && canUsePasskeys()}
        onRefused={() => setTried(true)}
        onDone={enter}
        onChallenge={begin}
      />
      {config?.registration.enabled && config.registration.shown && (
        <Text size="sm" ta="center" c="dimmed">
          New here?{' '}
          <TextLink to="/register-partner" inherit underline="always">
            Register your company
          </TextLink>
        </Text>
      )}
    </StandalonePage>
  )
}
