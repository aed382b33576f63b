import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { sendChallengeCode } from '../../../data/mfa.ts'
import { ApiError } from '../../../lib/api-error.ts'
import { useCountdown } from '../../../lib/use-countdown.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { CodeForm } from './code-form.tsx'
import type { AnswerProps } from './use-answer.ts'

const resendAfterSeconds = 30

/** Sends nothing before the button is pressed, because the user may prefer another method. */
export function SmsAnswer(props: AnswerProps) {
  const { tempToken, phoneLast4 } = props.challenge
  const [isSent, setSent] = useState(false)
  const wait = useCountdown()
  const send = useMutation({
    ...sendChallengeCode(tempToken),
    onSuccess: () => {
      setSent(true)
      wait.start(resendAfterSeconds)
    },
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) props.onExpired()
      else wait.startAfter(error)
    },
  })
  const phone = phoneLast4 ? `the phone number ending in ${phoneLast4}` : 'your phone'
  const sendButton = (label: string) => (
    <Button
      variant={isSent ? 'default' : 'filled'}
      fullWidth
      autoFocus={!isSent}
      loading={send.isPending}
      disabled={wait.seconds > 0}
      onClick={() => send.mutate()}
    >
      {wait.seconds > 0 && !send.error ? `${label} in ${wait.seconds} s` : label}
    </Button>
  )
  if (!isSent)
    return (
      <Stack>
        <Text size="sm" c="dimmed">
          We’ll text a code to {phone}.
        </Text>
        <FormError error={send.error} />
        {sendButton('Send code')}
      </Stack>
    )
  return (
    <Stack>
      <CodeForm method="sms" {...props}>
        <Text size="sm" c="dimmed" role="status">
          We sent a code to {phone}.
        </Text>
      </CodeForm>
      <FormError error={send.error} />
      {sendButton('Send again')}
    </Stack>
  )
}
