import { Button, Modal, Stack, Text } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, endHere, resume, type SessionEnd } from '../../lib/api.ts'
import { useHold } from '../../lib/hold.ts'
import { canUsePasskeys } from '../../lib/passkeys.ts'
import { samePerson } from '../../lib/person.ts'
import { type Challenge, configQuery } from '../../lib/session.ts'
import { giveUpUnsaved } from '../../lib/unsaved.ts'
import { useEscapeFirst } from '../../lib/use-escape-first.ts'
import { ChallengeForm } from '../sign-in/challenge-form.tsx'
import { challengeExpired } from '../sign-in/notices.ts'
import { SignInForm } from '../sign-in/sign-in-form.tsx'

/** Lies over a page with something unsaved on it whose session ended, until its owner is back or gives it up. */
export function SessionOver() {
  const reason = useHold()
  useEscapeFirst(reason !== null, () => {})
  return (
    <Modal
      opened={reason !== null}
      onClose={() => {}}
      title="Your session has ended"
      zIndex={400}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      {reason && <SignInAgain reason={reason} />}
    </Modal>
  )
}

function SignInAgain({ reason }: { reason: SessionEnd }) {
  const [owner] = useState(api.owner)
  const [challenge, setChallenge] = useState<Challenge | null>(null)
  const [isExpired, setExpired] = useState(false)
  const passkeys = useQuery(configQuery).data?.passkeys
  // Signed in again in another tab, which could not say so here.
  useWindowEvent('focus', () => void resume())
  const leave = () => {
    giveUpUnsaved()
    endHere(reason)
  }
  const enter = () => {
    const person = api.owner()
    if (owner && person && samePerson(owner, person)) return resume()
    // What is typed belongs to somebody else, and so does all that the page knows.
    giveUpUnsaved()
    location.assign('/')
  }
  const goBack = (hasExpired: boolean) => {
    setChallenge(null)
    setExpired(hasExpired)
  }
  return (
    <Stack>
      <Text size="sm">What you typed is still here. Sign in to go on where you were.</Text>
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
