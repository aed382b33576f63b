import { Modal, Text } from '@mantine/core'
import { IconTool } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Vault, VaultCopy } from '../../../shared/api/backup-vaults.ts'
import { repairFrom, vaultCopiesQuery } from '../../data/backup-vaults.ts'
import { bytes, plural } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { type Column, menuColumn } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { ReadBack } from './read-back.tsx'

/** What a second copy has of each device. */
export function CopiesDialog({ vault, orgId, onClose }: { vault: Vault; orgId: string; onClose: () => void }) {
  const [page, setPage] = useState(1)
  const copies = useQuery(vaultCopiesQuery(vault.id, orgId, page))
  const mayRepair = can(useMe(), 'organizations:write') && vault.place !== 'device'
  const menu = menuColumn((copy: VaultCopy) => <RepairMenu vault={vault} copy={copy} />)
  return (
    <Modal opened onClose={onClose} title={`What is in ${vault.name}`} size="xl">
      <PagedList
        of={copies}
        what="copy"
        onPage={(next = 1) => setPage(next)}
        empty={
          <Text size="sm" c="dimmed">
            Nothing yet: no device has a backup.
          </Text>
        }
      >
        {(rows) => (
          <DataTable
            label="Copies"
            rows={rows}
            rowKey={({ deviceId, folder }) => `${deviceId} ${folder}`}
            columns={mayRepair ? [...columns, menu] : columns}
            minWidth={560}
          />
        )}
      </PagedList>
    </Modal>
  )
}

const columns: Column<VaultCopy>[] = [
  {
    id: 'device',
    title: 'Device',
    look: 'strong',
    wrap: 'anywhere',
    cell: ({ deviceName, configName }) => (
      <>
        {deviceName}
        <Text size="xs" c="dimmed">{`from ${configName}`}</Text>
      </>
    ),
  },
  { id: 'state', title: 'Status', cell: (copy) => <State of={copy} /> },
  {
    id: 'newest',
    title: 'Newest backup',
    wrap: 'never',
    cell: ({ newestAt }) => <RelativeTime isPast at={newestAt} never="None" />,
  },
  { id: 'backups', title: 'Backups', wrap: 'never', cell: ({ snapshots }) => snapshots },
  {
    id: 'size',
    title: 'Size',
    wrap: 'never',
    cell: ({ storedBytes }) => (storedBytes === null ? '' : bytes(storedBytes)),
  },
]

function RepairMenu({ vault, copy: { deviceId, deviceName, snapshots } }: { vault: Vault; copy: VaultCopy }) {
  const repair = useMutation(repairFrom(vault.id))
  const ask = async () => {
    const isBegun = await askToConfirm({
      title: `Repair the backups of ${deviceName}?`,
      consequences: [
        'The appliance reads all backups of the device, and puts back what is damaged or missing, as far as this second copy has it.',
        'Backups of the device wait meanwhile. What can be read now stays readable.',
        'If the backups of the appliance are on a disk of their own, check first that it is mounted. In an empty folder all of them are made anew.',
      ],
      confirm: 'Repair',
      run: () => repair.mutateAsync(deviceId),
      failed: `The backups of ${deviceName} weren’t repaired`,
    })
    if (isBegun) notifyDone(`The backups of ${deviceName} are being repaired`)
  }
  return (
    <RowMenu
      name={deviceName}
      isBusy={repair.isPending}
      actions={[{ label: 'Repair backups from this copy…', Icon: IconTool, isDisabled: snapshots === 0, onClick: ask }]}
    />
  )
}

const repairWords = (repair: NonNullable<VaultCopy['repair']>): string => {
  if (repair.status === 'failed') return `Repair: ${repair.error ?? 'failed'}`
  if (repair.status !== 'completed') return 'Backups are being repaired…'
  return repair.damaged ? `Backups repaired: ${plural(repair.damaged, 'damaged piece')}` : 'Backups read: no damage'
}

function State({ of: copy }: { of: VaultCopy }) {
  return (
    <>
      <Standing of={copy} />
      {copy.lastSyncAt !== null && <ReadBack at={copy.checkedAt} />}
      {copy.repair && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {repairWords(copy.repair)}
        </Text>
      )}
    </>
  )
}

function Standing({ of: { error, damage, missing, snapshots } }: { of: VaultCopy }) {
  const reason = damage ?? error
  if (reason !== null)
    return (
      <>
        <StatusDot tone="bad">{damage === null ? 'Failed' : 'Damaged'}</StatusDot>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {reason}
        </Text>
      </>
    )
  if (missing > 0) return <StatusDot tone="idle">{`${plural(missing, 'backup')} to copy`}</StatusDot>
  return snapshots > 0 ? <StatusDot tone="good">Up to date</StatusDot> : <StatusDot tone="idle">Empty</StatusDot>
}
