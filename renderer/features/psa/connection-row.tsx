import { Alert, Group, Text } from '@mantine/core'
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconPlugConnected, IconTrash } from '@tabler/icons-react'
import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import type { PsaConnection, testPsaConnection } from '../../../shared/api/psa.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { removeConnection, setConnectionStatus, testConnection } from '../../data/psa.ts'
import { psaProviderNames } from '../../domain/psa/psa-providers.ts'
import { messageFor } from '../../lib/error-messages.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'

const states: Record<PsaConnection['status'], { word: string; tone: Tone }> = {
  active: { word: 'On', tone: 'good' },
  paused: { word: 'Paused', tone: 'idle' },
  error: { word: 'Error', tone: 'bad' },
}

interface Props {
  connection: PsaConnection
  isEditable: boolean
  isUsed: boolean
  onEdit: () => void
}

export function ConnectionRow({ connection, isEditable, isUsed, onEdit }: Props) {
  const { id, name, provider, status, lastTestedAt } = connection
  const test = useMutation(testConnection)
  const { word, tone } = states[status]
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
        <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
          <Text size="sm" fw={500}>
            {name}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            {psaProviderNames[provider]}
            {isUsed && ', in use'} · Tested <RelativeTime at={lastTestedAt} never="never" />
          </Text>
        </div>
        <Group gap="xs" wrap="nowrap">
          <Text size="sm" component="div">
            <StatusDot tone={tone} isPulsing={test.isPending}>
              {test.isPending ? 'Testing…' : word}
            </StatusDot>
          </Text>
          {isEditable && (
            <ConnectionMenu connection={connection} isUsed={isUsed} onEdit={onEdit} onTest={() => test.mutate(id)} />
          )}
        </Group>
      </Group>
      <TestResult test={test} />
    </li>
  )
}

type Test = UseMutationResult<ReplyOf<typeof testPsaConnection>, Error, string>

function TestResult({ test }: { test: Test }) {
  if (test.isPending || (!test.data && !test.error)) return null
  const problem = test.error ? messageFor(test.error) : test.data?.success === false ? test.data.error : null
  return (
    <Alert color={problem ? 'red' : 'teal'} variant="light" p="xs" mt="xs" role={problem ? 'alert' : 'status'}>
      <Text size="sm">{problem ? `${problem}.`.replace(/\.\.$/, '.') : 'The credentials work.'}</Text>
    </Alert>
  )
}

interface MenuProps {
  connection: PsaConnection
  isUsed: boolean
  onEdit: () => void
  onTest: () => void
}

function ConnectionMenu({ connection: { id, name, status }, isUsed, onEdit, onTest }: MenuProps) {
  const setStatus = useMutation({
    ...setConnectionStatus(id),
    onError: notifyFailed(`${name} wasn’t changed`),
  })
  const remove = useMutation(removeConnection)
  const confirmRemoval = async () => {
    const isRemoved = await askToConfirm({
      title: `Remove ${name}?`,
      consequences: 'Homeport deletes its address and credentials. Nothing changes in the ticket system.',
      confirm: 'Remove',
      run: () => remove.mutateAsync(id),
      failed: `${name} wasn’t removed`,
    })
    if (isRemoved) notifyDone(`${name} was removed`)
  }
  return (
    <RowMenu
      name={name}
      isBusy={setStatus.isPending || remove.isPending}
      actions={[
        { label: 'Test', Icon: IconPlugConnected, onClick: onTest },
        { label: 'Edit…', Icon: IconPencil, onClick: onEdit },
        status === 'paused'
          ? { label: 'Resume', Icon: IconPlayerPlay, onClick: () => setStatus.mutate('active') }
          : { label: 'Pause', Icon: IconPlayerPause, onClick: () => setStatus.mutate('paused') },
        {
          label: isUsed ? 'In use, can’t be removed' : 'Remove…',
          Icon: IconTrash,
          isDestructive: true,
          // The server refuses it: the partner's tickets would have no place.
          isDisabled: isUsed,
          onClick: confirmRemoval,
        },
      ]}
    />
  )
}
