import { Anchor, Button, Group, PinInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { answerChallenge, type Challenge } from '../../lib/session.ts'
import { FormError } from '../../ui/form-error.tsx'

interface Props {
  challenge: Challenge
  onDone: () => void
  onBack: () => void
}

/** The second factor: a code from the authenticator app, or a recovery code when the app is out of reach. */
export function ChallengeForm({ challenge, onDone, onBack }: Props) {
  const [isRecovery, setRecovery] = useState(!challenge.allowedMethods.totp)
  const [code, setCode] = useState('')
  const attempt = useMutation({
    mutationFn: (given: string) => answerChallenge({ tempToken: challenge.tempToken, code: given }),
    onSuccess: onDone,
    onError: () => setCode(''),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    attempt.mutate(code)
  }
  const switchWay = () => {
    setRecovery(!isRecovery)
    setCode('')
    attempt.reset()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm" c="dimmed" id="challenge-hint">
          {isRecovery
            ? 'Enter one of the recovery codes you kept. Each works once.'
            : 'Enter the six digits that your authenticator app shows.'}
        </Text>
        <FormError error={attempt.error} />
        {isRecovery ? (
          <TextInput
            label="Recovery code"
            autoFocus
            autoComplete="off"
            spellCheck={false}
            className="mono"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        ) : (
          <PinInput
            length={6}
            type="number"
            autoFocus
            size="md"
            placeholder=""
            ariaLabel="Digit of the code"
            value={code}
            onChange={setCode}
            onComplete={(given) => attempt.mutate(given)}
            disabled={attempt.isPending}
          />
        )}
        <Button type="submit" fullWidth loading={attempt.isPending} disabled={code.trim().length < 6}>
          Continue
        </Button>
        <Group justify="space-between">
          <Anchor component="button" type="button" size="sm" c="var(--accent-text)" onClick={onBack}>
            Back
          </Anchor>
          {challenge.recoveryAvailable && challenge.allowedMethods.totp && (
            <Anchor component="button" type="button" size="sm" c="var(--accent-text)" onClick={switchWay}>
              {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
            </Anchor>
          )}
        </Group>
      </Stack>
    </form>
  )
}
