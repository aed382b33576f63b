import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../lib/api-error.ts'
import { fieldErrorsOf, wordsFor } from '../../lib/error-words.ts'

interface Props {
  label: string
  type: 'email' | 'tel'
  placeholder?: string
  initial: string
  button: string
  send: { mutate: (to: string) => void; isPending: boolean; error: Error | null }
  /** What the other side answered; null until it has. */
  answer: string | null
}

/** Sends a message at once, and shows what the other side said to it. */
export function TestMessage({ label, type, placeholder, initial, button, send, answer }: Props) {
  const [to, setTo] = useState(initial)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send.mutate(to.trim())
  }
  const { to: problem } = fieldErrorsOf(send.error)
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label={label}
            type={type}
            placeholder={placeholder}
            flex="1 1 200px"
            value={to}
            error={problem}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={send.isPending} disabled={!to.trim()}>
            {button}
          </Button>
        </Group>
        {send.error && !problem && <Refusal error={send.error} />}
        {answer && (
          <Alert color="teal" variant="light" p="sm" role="status">
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {answer}
            </Text>
          </Alert>
        )}
      </Stack>
    </form>
  )
}

function Refusal({ error }: { error: Error }) {
  const words = wordsFor(error)
  const theirs = error instanceof ApiError && error.body.message !== error.body.error ? error.body.message : undefined
  return (
    <Alert color="red" variant="light" role="alert" p="sm">
      <Text size="sm">{words}</Text>
      {theirs && (
        <Text size="xs" mt={4} className="mono" style={{ overflowWrap: 'anywhere' }}>
          {theirs}
        </Text>
      )}
    </Alert>
  )
}
