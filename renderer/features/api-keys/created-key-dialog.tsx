import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
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
 * Shows a new key for the only time. Until it is copied it closes only by its button, so that a stray key press or click
 * does not lose it.
 */
export function CreatedKeyDialog({ rawKey, onClose }: Props) {
  const [copiedKey, setCopiedKey] = useState<string>()
  const close = () => {
    onClose()
    // The user may have tried the key, which changes its last use.
    void apiKeysChanged()
  }
  return (
    <Modal
      opened={rawKey !== null}
      onClose={close}
      title={rawKey && `Key “${rawKey.name}”`}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={rawKey !== null && rawKey.key === copiedKey}
      withCloseButton={false}
    >
      {rawKey && <Secret rawKey={rawKey} onCopied={() => setCopiedKey(rawKey.key)} onClose={close} />}
    </Modal>
  )
}

function Secret({
  rawKey: { key, warning, orgName, scopes },
  onCopied,
  onClose,
}: {
  rawKey: CreatedApiKey
  onCopied: () => void
  onClose: () => void
}) {
  useUnsavedChanges(true, 'The key won’t be shown again. Leave only after you’ve stored it.')
  return (
    <Stack>
      <Notice tone="warn">
        <Text size="sm">
          <b>{warning}</b> Store it securely. Anyone with this key has its permissions in {orgName}.
        </Text>
      </Notice>
      <CommandLine label="API key" text={key} copyLabel="Copy key" onCopied={onCopied} isFirst />
      <TryIt apiKey={key} scopes={scopes} />
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
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
      <CommandLine label="Command to try the key" text={line} />
      {isOwnAuthority && (
        <Text size="sm" c="dimmed">
          curl doesn’t trust this appliance’s certificate yet.{' '}
          <Anchor href="/api/v1/system/ca.pem" download={caFileName} c="var(--accent-text)" underline="always" inherit>
            Download the CA certificate
          </Anchor>{' '}
          and run the command in the folder with {caFileName}.
        </Text>
      )}
    </Stack>
  )
}
