import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ApiError } from '../../lib/api-error.ts'
import { fieldErrorsOf, messageFor } from '../../lib/error-messages.ts'
import { normalizePhoneNumber } from '../../lib/phone-number.ts'
import { Panel } from '../../ui/panel.tsx'
import { DeliveryError } from './delivery-error.tsx'
import type { Channel } from './explain-delivery-error.ts'

/** The settings entered in the form. */
export interface TestInput<Settings> {
  isUnsaved: boolean
  /** Null if they are invalid, which the fields then show. */
  read: () => Settings | null
  onRefused: (error: Error) => void
}

interface Props<Settings, Reply> {
  title: string
  channel: Channel
  label: string
  type: 'email' | 'tel'
  placeholder?: string
  initial?: string
  button: string
  send: Pick<UseMutationOptions<Reply, Error, { to: string; settings?: Settings }>, 'mutationFn'>
  /** Absent where there is no form: the settings in force are tested. */
  entered?: TestInput<Settings> | undefined
  onTaken?: (() => void) | undefined
  /** Renders the reply of a successful test. */
  answer: (reply: Reply) => ReactNode
}

/** Sends a message with the settings as entered, saved or not, and shows the reply. */
export function TestPanel<Settings, Reply>({ title, channel, initial = '', ...props }: Props<Settings, Reply>) {
  const { label, type, placeholder, button, entered, onTaken, answer } = props
  const [to, setTo] = useState(initial)
  const send = useMutation({ ...props.send, onSuccess: onTaken, onError: (error) => entered?.onRefused(error) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const settings = entered?.isUnsaved ? entered.read() : undefined
    if (settings !== null)
      send.mutate({ to: type === 'tel' ? normalizePhoneNumber(to) : to.trim(), ...(settings && { settings }) })
  }
  const { to: problem } = fieldErrorsOf(send.error)
  return (
    <Panel title={title}>
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
          {entered?.isUnsaved && (
            <Text size="xs" c="dimmed">
              Uses the values entered here, even if they aren’t saved yet.
            </Text>
          )}
          {send.error && !problem && <Refusal error={send.error} channel={channel} />}
          {send.isSuccess && (
            <Alert color="teal" variant="light" p="sm" role="status">
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {answer(send.data)}
              </Text>
            </Alert>
          )}
        </Stack>
      </form>
    </Panel>
  )
}

function Refusal({ error, channel }: { error: Error; channel: Channel }) {
  const serverError = error instanceof ApiError && error.status === 502 && error.body.message
  return (
    <Alert color="red" variant="light" role="alert" p="sm">
      {serverError ? (
        <DeliveryError error={serverError} channel={channel} />
      ) : (
        <Text size="sm">{messageFor(error)}</Text>
      )}
    </Alert>
  )
}
