import { Button, Stack, Text } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, endSessionInTab, resumeSession, type SessionEndReason } from '../../../lib/api.ts'
import { canUsePasskeys } from '../../../lib/passkeys.ts'
import { type Challenge, publicConfigQuery } from '../../../lib/session.ts'
import { isSameUser } from '../../../lib/session-user.ts'
import { discardUnsavedChanges } from '../../../lib/unsaved-changes.ts'
import { ChallengeForm } from './challenge-form.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { challengeExpired } from './sign-in-reasons.ts'

export function ResumeSession({ reason }: { reason: SessionEndReason }) {
  const [owner] = useState(() => api.owner())
  const [challenge, setChallenge] = useState<Challenge | null>(null)
  const [isExpired, setExpired] = useState(false)
  const passkeys = useQuery(publicConfigQuery).data?.passkeys
  // Another tab may have signed in again without being able to announce it.
  useWindowEvent('focus', () => void resumeSession())
  const leave = () => {
    discardUnsavedChanges()
    endSessionInTab(reason)
  }
  const enter = () => {
    const person = api.owner()
    if (owner && person && isSameUser(owner, person)) return resumeSession()
    // Another user signed in: the changes and the cached data belong to the former one.
    discardUnsavedChanges()
    location.assign('/')
  }
  const goBack = (hasExpired: boolean) => {
    setChallenge(null)
    setExpired(hasExpired)
  }
  return (
    <Stack>
      <Text size="sm">Your changes are still here. Sign in to continue.</Text>
      {isExpired && (
        <Text size="sm" role="status">
          {challengeExpired}
        </Text>
      )}
      {challenge ? (
        <ChallengeForm
          challenge={challenge}
          onDone={enter}
          onBack={() => goBack(false)}
          onExpired={() => goBack(true)}
        />
      ) : (
        <SignInForm
          knownEmail={owner?.email ?? ''}
          isInPlace
          hasPasskeys={Boolean(passkeys?.available) && canUsePasskeys()}
          onDone={enter}
          onChallenge={setChallenge}
        />
      )}
      <Button variant="subtle" color="gray" fullWidth onClick={leave}>
        Leave without saving
      </Button>
    </Stack>
  )
}
