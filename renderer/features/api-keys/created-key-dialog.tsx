import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { apiKeysChanged, type CreatedApiKey } from '../../data/api-keys.ts'
import { connectionInfoQuery } from '../../data/system.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import { Notice } from '../../ui/notice.tsx'
import { caFileName, exampleCommand } from './example-command.ts'

interface Props {
  /** Kept nowhere else: once this is null, nobody can see the key again. */
  rawKey: CreatedApiKey | null
  onClose: () => void
}

/**
 * Shows a new key for the only time. It closes only by its button, so that a stray key press or click does not lose
 * it.
 */
export function CreatedKeyDialog({ rawKey, onClose }: Props) {
  const close = () => {
    onClose()
    // The user may have tried the key, which changes its last use.
    void apiKeysChanged()
  }
  return (
    <Modal
      opened={rawKey !== null}
      onClose={close}
      title={rawKey && `The key of ${rawKey.name}`}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {rawKey && <Secret rawKey={rawKey} onClose={close} />}
    </Modal>
  )
}

function Secret({
  rawKey: { key, warning, orgName, scopes },
  onClose,
}: {
  rawKey: CreatedApiKey
  onClose: () => void
}) {
  useUnsavedChanges(true, 'The key is not shown again. Leave only when you have stored it.')
  return (
    <Stack>
      <Notice tone="warn">
        <Text size="sm">
          <b>{warning}</b> Put it where your program reads it and nobody else does. Whoever has it can do in {orgName}{' '}
          what the key may.
        </Text>
      </Notice>
      <CommandLine label="API key" text={key} copyLabel="Copy key" />
      <TryIt apiKey={key} scopes={scopes} />
      <Group justify="flex-end">
        <Button onClick={onClose}>I have stored it</Button>
      </Group>
    </Stack>
  )
}

function TryIt({ apiKey: key, scopes }: { apiKey: string; scopes: CreatedApiKey['scopes'] }) {
  const connection = useQuery(connectionInfoQuery).data
  if (!connection) return null
  const isOwnAuthority = connection.caFingerprint !== null
  const line = exampleCommand({ origin: location.origin, key, scopes, isOwnAuthority })
  if (!line) return null
  return (
    <Stack gap="xs">
      <Text size="sm">To try it, in a terminal:</Text>
      <CommandLine label="Line to try the key" text={line} />
      {isOwnAuthority && (
        <Text size="sm" c="dimmed">
          curl does not trust this appliance by itself.{' '}
          <Anchor href="/api/v1/system/ca.pem" download={caFileName} c="var(--accent-text)" underline="always" inherit>
            Download its authority
          </Anchor>{' '}
          and run the line in the folder where {caFileName} is.
        </Text>
      )}
    </Stack>
  )
}
