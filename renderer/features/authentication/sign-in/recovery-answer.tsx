import { Button, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { answerChallenge } from '../../../lib/session.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { type AnswerProps, useAnswer } from './use-answer.ts'

export function RecoveryAnswer(props: AnswerProps) {
  const { tempToken } = props.challenge
  const [code, setCode] = useState('')
  const [isShort, setShort] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const answer = useAnswer((given: string) => answerChallenge({ tempToken, code: given, method: 'recovery' }), props)
  const isWhole = /^[A-Z0-9]{4}[- ]?[A-Z0-9]{4}$/i.test(code.trim())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setShort(!isWhole)
    if (!isWhole) return field.current?.focus()
    answer.give(code.trim(), {
      onError: () => {
        setCode('')
        field.current?.focus()
      },
    })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm" c="dimmed">
          Enter one of your recovery codes. Each works once.
        </Text>
        <FormError error={answer.error} />
        <TextInput
          ref={field}
          label="Recovery code"
          name="recovery-code"
          placeholder="XXXX-XXXX"
          autoFocus
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mono)' } }}
          value={code}
          error={isShort && 'A recovery code has eight letters and digits'}
          readOnly={answer.isPending}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Button type="submit" fullWidth loading={answer.isPending} disabled={answer.waitSeconds > 0}>
          Continue
        </Button>
      </Stack>
    </form>
  )
}
