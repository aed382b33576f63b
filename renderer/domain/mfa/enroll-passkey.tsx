import { Anchor, Button, Group, List, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { createPasskeyEnrollment, enrollmentMutationKey } from '../../data/mfa.ts'
import { describeUserAgent } from '../../lib/user-agent.ts'
import { FormError } from '../../ui/form-error.tsx'

interface Props {
  onDone: (recoveryCodes: string[]) => void
  otherwise: ReactNode
}

export function EnrollPasskey({ onDone, otherwise }: Props) {
  const [name, setName] = useState(() => describeUserAgent(navigator.userAgent) ?? 'Passkey')
  const [make] = useState(createPasskeyEnrollment)
  const add = useMutation({ mutationKey: enrollmentMutationKey, mutationFn: make, onSuccess: onDone })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate(name.trim())
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">
          A passkey is stored on this device, in your password manager or on a security key. You use it with a
          fingerprint, your face or a PIN.
        </Text>
        <FormError error={add.error} />
        <TextInput
          label="Name of the passkey"
          description="Helps you tell your passkeys apart."
          maxLength={255}
          autoComplete="off"
          autoFocus
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Text size="sm" c="dimmed">
          It will work at this address: {location.hostname}.
        </Text>
        <Group>
          <Button type="submit" loading={add.isPending} disabled={!name.trim()}>
            {add.error ? 'Try again' : 'Create passkey'}
          </Button>
          {otherwise}
        </Group>
      </Stack>
    </form>
  )
}

/** Browsers create passkeys only on an encrypted page with a host name. */
export function NoPasskeysHere({ addresses }: { addresses: string[] }) {
  if (addresses.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Passkeys need HTTPS and a host name. This appliance has no such address.
      </Text>
    )
  }
  return (
    <>
      <Text size="sm" c="dimmed">
        Passkeys need a host name, not an IP address. Open Homeport at:
      </Text>
      <List size="sm">
        {addresses.map((address) => (
          <List.Item key={address}>
            <Anchor href={`${address}${location.pathname}${location.search}`} c="var(--accent-text)" size="sm">
              {address}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </>
  )
}
