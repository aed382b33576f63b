import { Badge, Group } from '@mantine/core'
import {
  IconLock,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnected,
  IconStar,
  IconTrash,
} from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { BackupConfig } from '../../../shared/api/backup-configs.ts'
import { changeStorage, removeStorage } from '../../data/backup-storages.ts'
import { canLockObjects } from '../../domain/backup-storage/object-lock.ts'
import { kindNames, kindOf, placeOf } from '../../domain/backup-storage/storage-kinds.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { type Column, menuColumn } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { openStorageTest } from './storage-test.tsx'

interface Props {
  storages: readonly BackupConfig[]
  /** Undefined for people who may not change any. */
  onEdit: ((id: string) => void) | undefined
}

export function StorageTable({ storages, onEdit }: Props) {
  const menu = onEdit && menuColumn((one: BackupConfig) => <StorageMenu storage={one} onEdit={() => onEdit(one.id)} />)
  return (
    <DataTable
      label="Storage"
      rows={storages}
      rowKey={({ id }) => id}
      columns={menu ? [...columns, menu] : columns}
      minWidth={680}
      {...(onEdit && { onOpen: ({ id }: BackupConfig) => onEdit(id) })}
    />
  )
}

const columns: Column<BackupConfig>[] = [
  { id: 'name', title: 'Name', look: 'strong', wrap: 'anywhere', cell: (storage) => <Name storage={storage} /> },
  { id: 'kind', title: 'Kind', cell: (storage) => kindNames[kindOf(storage)] },
  { id: 'place', title: 'Where', wrap: 'anywhere', cell: placeOf },
  {
    id: 'state',
    title: 'Status',
    wrap: 'never',
    cell: ({ enabled }) => <StatusDot tone={enabled ? 'good' : 'idle'}>{enabled ? 'On' : 'Off'}</StatusDot>,
  },
]

function Name({ storage }: { storage: BackupConfig }) {
  const { name, isDefault } = storage
  return (
    <Group gap="xs">
      {name}
      {isDefault && (
        <Badge variant="default" size="sm">
          Default
        </Badge>
      )}
      {canLockObjects(storage) && (
        <Badge variant="default" size="sm" leftSection={<IconLock size={11} />}>
          Object lock
        </Badge>
      )}
    </Group>
  )
}

function StorageMenu({
  storage: { id, name, enabled, isDefault },
  onEdit,
}: {
  storage: BackupConfig
  onEdit: () => void
}) {
  const change = useMutation({ ...changeStorage(id), onError: notifyFailed(`${name} wasn’t changed`) })
  const remove = useMutation(removeStorage)
  const turnOff = () =>
    askToConfirm({
      title: `Turn off ${name}?`,
      consequences: [
        'No backups go there until it’s turned on again.',
        isDefault && 'It’s the default: devices of policies that name no storage aren’t backed up meanwhile.',
        'What is stored there stays.',
      ],
      confirm: 'Turn off',
      run: () => change.mutateAsync({ enabled: false }),
      failed: `${name} wasn’t turned off`,
    })
  const confirmRemoval = async () => {
    const isRemoved = await askToConfirm({
      title: `Delete ${name}?`,
      consequences: 'Its address and credentials are deleted. Storage that backups depend on can’t be deleted.',
      confirm: 'Delete storage',
      run: () => remove.mutateAsync(id),
      failed: `${name} wasn’t deleted`,
    })
    if (isRemoved) notifyDone(`${name} was deleted`)
  }
  return (
    <RowMenu
      name={name}
      isBusy={change.isPending || remove.isPending}
      actions={[
        { label: 'Edit…', Icon: IconPencil, onClick: onEdit },
        { label: 'Test', Icon: IconPlugConnected, onClick: () => openStorageTest({ id, name }) },
        ...(isDefault || !enabled
          ? []
          : [{ label: 'Make default', Icon: IconStar, onClick: () => change.mutate({ isDefault: true }) }]),
        enabled
          ? { label: 'Turn off…', Icon: IconPlayerPause, onClick: turnOff }
          : { label: 'Turn on', Icon: IconPlayerPlay, onClick: () => change.mutate({ enabled: true }) },
        { label: 'Delete…', Icon: IconTrash, isDestructive: true, onClick: confirmRemoval },
      ]}
    />
  )
}
