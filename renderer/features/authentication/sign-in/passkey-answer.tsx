import { Button, Stack, Text } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { useEffect } from 'react'
import { cancelPasskeyPrompt } from '../../../lib/passkeys.ts'
import { answerWithPasskey } from '../../../lib/session.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { type AnswerProps, useAnswer } from './use-answer.ts'

export function PasskeyAnswer(props: AnswerProps) {
  const answer = useAnswer<void>(() => answerWithPasskey(props.challenge.tempToken), props)
  useEffect(() => cancelPasskeyPrompt, [])
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Confirm with the passkey on this device, your phone or a security key.
      </Text>
      <FormError error={answer.error} />
      <Button
        fullWidth
        autoFocus
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={answer.isPending}
        disabled={answer.waitSeconds > 0}
        onClick={() => answer.give()}
      >
        Use a passkey
      </Button>
    </Stack>
  )
}
