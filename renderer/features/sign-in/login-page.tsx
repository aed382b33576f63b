import { Alert, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { safeNext } from '../../lib/safe-next.ts'
import type { Challenge } from '../../lib/session.ts'
import { ChallengeForm } from './challenge-form.tsx'
import { EntryFrame } from './entry-frame.tsx'
import { PasswordForm } from './password-form.tsx'

export function LoginPage() {
  useDocumentTitle('Sign in · Homeport')
  const { next, reason } = useSearch({ from: '/login' })
  const [challenge, setChallenge] = useState<Challenge | null>(null)
  const router = useRouter()
  const navigate = useNavigate()
  const enter = () => {
    const target = safeNext(next)
    return target ? router.history.push(target) : navigate({ to: '/devices' })
  }
  return (
    <EntryFrame>
      <Stack gap="lg">
        <div>
          <Title order={1} size="h3">
            {challenge ? 'Confirm it is you' : 'Sign in'}
          </Title>
          {!challenge && (
            <Text size="sm" c="dimmed">
              to the administration of your devices
            </Text>
          )}
        </div>
        {reason === 'session-expired' && !challenge && (
          <Alert variant="light" p="sm" role="status">
            Your session has ended. Sign in to go on where you were.
          </Alert>
        )}
        {challenge ? (
          <ChallengeForm challenge={challenge} onDone={enter} onBack={() => setChallenge(null)} />
        ) : (
          <PasswordForm onDone={enter} onChallenge={setChallenge} />
        )}
      </Stack>
    </EntryFrame>
  )
}
