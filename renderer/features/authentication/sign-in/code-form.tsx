import { Button, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { answerChallenge } from '../../../lib/session.ts'
import { CodeInput } from '../../../ui/code-input.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { type AnswerProps, useAnswer } from './use-answer.ts'

interface Props extends AnswerProps {
  method: 'totp' | 'sms'
  children: ReactNode
}

/** Six digits, submitted as soon as they are complete. A wrong code is cleared for the next try. */
export function CodeForm({ method, children, ...props }: Props) {
  const { tempToken } = props.challenge
  const [code, setCode] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const answer = useAnswer((given: string) => answerChallenge({ tempToken, code: given, method }), props)
  const give = (given: string) =>
    answer.give(given, {
      onError: () => {
        setCode('')
        field.current?.focus()
      },
    })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (code.length === 6 && answer.waitSeconds === 0) give(code)
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {children}
        <FormError error={answer.error} />
        <CodeInput
          ref={field}
          autoFocus
          value={code}
          onChange={setCode}
          onComplete={(given) => answer.waitSeconds === 0 && give(given)}
          isBusy={answer.isPending}
        />
        <Button type="submit" fullWidth loading={answer.isPending} disabled={answer.waitSeconds > 0}>
          Continue
        </Button>
      </Stack>
    </form>
  )
}
