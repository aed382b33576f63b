import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { SsoProvider } from '../../../shared/api/sso-providers.ts'
import { changeProvider } from '../../data/sso-providers.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { Panel } from '../../ui/panel.tsx'
import { EnforceForm } from './enforce-form.tsx'

/** Whether users of the provider may still sign in with a password. */
export function PasswordsPanel({ provider }: { provider: SsoProvider }) {
  const { id, name, status, enforceSSO } = provider
  const [isOpen, setOpen] = useState(false)
  const allow = useMutation({ ...changeProvider(id), onError: notifyFailed('Passwords are still off') })
  const close = () => setOpen(false)
  return (
    <Panel title="Passwords">
      <Stack gap="sm">
        <Text size="sm">
          {!enforceSSO
            ? `People can sign in with a password as well as with ${name}.`
            : status === 'active'
              ? `Off: people sign in with ${name} only and can’t change or reset a password.`
              : `Off only while ${name} is on. Right now passwords work.`}
        </Text>
        <Group>
          {enforceSSO ? (
            <Button
              size="xs"
              variant="default"
              loading={allow.isPending}
              onClick={() =>
                allow.mutate({ enforceSSO: false }, { onSuccess: () => notifyDone('Passwords are back on') })
              }
            >
              Turn passwords back on
            </Button>
          ) : (
            <Button size="xs" variant="default" onClick={() => setOpen(true)}>
              Turn passwords off…
            </Button>
          )}
        </Group>
      </Stack>
      <Modal opened={isOpen} onClose={close} title="Turn passwords off?" size="lg">
        <EnforceForm provider={provider} onClose={close} />
      </Modal>
    </Panel>
  )
}
