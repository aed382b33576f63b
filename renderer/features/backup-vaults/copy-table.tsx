import { Text } from '@mantine/core'
import { IconListDetails, IconPencil, IconPlayerPause, IconPlayerPlay, IconRefresh } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Vault } from '../../../shared/api/backup-vaults.ts'
import { changeVault, isUnderWay, syncNow, turnVaultOff } from '../../data/backup-vaults.ts'
import { bytes, count } from '../../lib/format.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { type Column, menuColumn } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { CopiesDialog } from './copies-dialog.tsx'
import { placeNames, stateOf, whenWords } from './copy-words.ts'
import { ReadBack } from './read-back.tsx'

interface Props {
  vaults: readonly Vault[]
  /** Undefined for people who may not change any. */
  onEdit: ((id: string) => void) | undefined
  orgId: string
  isOfDevice?: boolean
}

export function CopyTable({ vaults, orgId, onEdit, isOfDevice }: Props) {
  const maySync = can(useMe(), 'devices:execute')
  const [looked, setLooked] = useState<string | null>(null)
  const menu = menuColumn((vault: Vault) => (
    <CopyMenu vault={vault} maySync={maySync} onEdit={onEdit} onLook={() => setLooked(vault.id)} />
  ))
  const vault = vaults.find(({ id }) => id === looked)
  const shown = isOfDevice ? columns.filter(({ id }) => id !== 'of') : columns
  return (
    <>
      <DataTable
        label="Second copies"
        rows={vaults}
        rowKey={({ id }) => id}
        columns={[...shown, menu]}
        minWidth={isOfDevice ? 640 : 820}
        onOpen={({ id }) => setLooked(id)}
      />
      {vault && <CopiesDialog vault={vault} orgId={orgId} onClose={() => setLooked(null)} />}
    </>
  )
}

const columns: Column<Vault>[] = [
  { id: 'name', title: 'Name', look: 'strong', wrap: 'anywhere', cell: ({ name }) => name },
  { id: 'of', title: 'Of', wrap: 'anywhere', cell: ({ deviceName }) => deviceName ?? 'All devices' },
  { id: 'where', title: 'Where', wrap: 'anywhere', cell: (vault) => <Where vault={vault} /> },
  { id: 'state', title: 'Status', cell: (vault) => <State vault={vault} /> },
  { id: 'when', title: 'When', cell: whenWords },
  {
    id: 'last',
    title: 'Last copied',
    wrap: 'never',
    cell: (vault) => (
      <>
        <RelativeTime isPast at={vault.lastSyncAt} never="Never" />
        {vault.devices > 0 && <ReadBack at={vault.checkedAt} />}
      </>
    ),
  },
  { id: 'snapshots', title: 'Backups', wrap: 'never', cell: ({ snapshots }) => count(snapshots) },
  {
    id: 'size',
    title: 'Size',
    wrap: 'never',
    cell: ({ syncSizeBytes }) => (syncSizeBytes === null ? '' : bytes(syncSizeBytes)),
  },
]

function Where({ vault: { place, vaultPath, configName } }: { vault: Vault }) {
  return (
    <>
      {place === 'storage' ? (configName ?? vaultPath) : vaultPath}
      <Text size="xs" c="dimmed">
        {placeNames[place]}
      </Text>
    </>
  )
}

function State({ vault }: { vault: Vault }) {
  const { tone, words, note, isPulsing } = stateOf(vault)
  return (
    <>
      <StatusDot tone={tone} isLong {...(isPulsing && { isPulsing })}>
        {words}
      </StatusDot>
      {note && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {note}
        </Text>
      )}
    </>
  )
}

interface MenuProps {
  vault: Vault
  maySync: boolean
  onEdit: ((id: string) => void) | undefined
  onLook: () => void
}

function CopyMenu({ vault, maySync, onEdit, onLook }: MenuProps) {
  const { id, name, isActive } = vault
  const sync = useMutation({ ...syncNow, onError: notifyFailed(`${name} wasn’t brought up to date`) })
  const change = useMutation({ ...changeVault(id), onError: notifyFailed(`${name} wasn’t turned on`) })
  const off = useMutation(turnVaultOff)
  const turnOff = async () => {
    const isOff = await askToConfirm({
      title: `Turn off ${name}?`,
      consequences: ['New backups are no longer copied there.', 'What is in it stays, and can be restored from.'],
      confirm: 'Turn off',
      run: () => off.mutateAsync(id),
      failed: `${name} wasn’t turned off`,
    })
    if (isOff) notifyDone(`${name} was turned off`)
  }
  return (
    <RowMenu
      name={name}
      isBusy={sync.isPending || change.isPending || off.isPending}
      actions={[
        ...(maySync && isActive
          ? [{ label: 'Copy now', Icon: IconRefresh, isDisabled: isUnderWay(vault), onClick: () => sync.mutate(id) }]
          : []),
        { label: 'What is in it', Icon: IconListDetails, onClick: onLook },
        ...(onEdit ? [{ label: 'Edit…', Icon: IconPencil, onClick: () => onEdit(id) }] : []),
        ...(onEdit && isActive
          ? [{ label: 'Turn off…', Icon: IconPlayerPause, isDestructive: true, onClick: turnOff }]
          : []),
        ...(onEdit && !isActive
          ? [{ label: 'Turn on', Icon: IconPlayerPlay, onClick: () => change.mutate({ isActive: true }) }]
          : []),
      ]}
    />
  )
}
