import { IconCircleOff, IconRefresh } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { EncryptionKey } from '../../../shared/api/backup-keys.ts'
import { deactivateKey, rotateKey } from '../../data/encryption-keys.ts'
import { count } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { type Column, menuColumn } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

interface Props {
  orgId: string
  keys: readonly EncryptionKey[]
  mayWrite: boolean
}

export function KeyTable({ orgId, keys, mayWrite }: Props) {
  const menu = menuColumn((key: EncryptionKey) => (key.isActive ? <KeyMenu orgId={orgId} of={key} /> : null))
  return (
    <DataTable
      label="Keys"
      rows={keys}
      rowKey={({ id }) => id}
      columns={mayWrite ? [...columns, menu] : columns}
      minWidth={760}
    />
  )
}

const columns: Column<EncryptionKey>[] = [
  { id: 'name', title: 'Name', look: 'strong', wrap: 'anywhere', cell: ({ name }) => name },
  { id: 'state', title: 'Status', wrap: 'never', cell: (key) => <State of={key} /> },
  { id: 'repositories', title: 'Repositories', wrap: 'never', cell: ({ repositories }) => count(repositories) },
  { id: 'sheet', title: 'Recovery sheet', wrap: 'never', cell: (key) => <Sheet of={key} /> },
  { id: 'hash', title: 'Check', wrap: 'never', cell: ({ keyHash }) => <code>{keyHash.slice(0, 8)}</code> },
  { id: 'created', title: 'Created', wrap: 'never', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]

function State({ of: { isActive, repositories } }: { of: EncryptionKey }) {
  if (isActive) return <StatusDot tone="good">Active</StatusDot>
  if (repositories > 0) return <StatusDot tone="busy">Being replaced</StatusDot>
  return <StatusDot tone="idle">No longer used</StatusDot>
}

function Sheet({ of: { isActive, managedRestoreSupported, lockedAwayAt } }: { of: EncryptionKey }) {
  if (!managedRestoreSupported) return <>Your own key</>
  if (lockedAwayAt !== null) return <RelativeTime at={lockedAwayAt} />
  return isActive ? <StatusDot tone="warn">Not locked away</StatusDot> : null
}

function KeyMenu({
  orgId,
  of: { id, name, repositories, managedRestoreSupported },
}: {
  orgId: string
  of: EncryptionKey
}) {
  const rotate = useMutation(rotateKey(orgId))
  const deactivate = useMutation(deactivateKey(orgId))
  const askToRotate = async () => {
    const isDone = await askToConfirm({
      title: `Rotate ${name}?`,
      consequences: [
        'Every repository gets a password from a new key, one after the other, while backups go on. Then the old password no longer opens it.',
        'Data is not encrypted anew: somebody who copied a repository and its old password can still read that copy. If a password was stolen, back up to new storage instead.',
        'Print the recovery sheet again afterwards. Keep the old one until every repository has the new key.',
      ],
      confirm: 'Rotate',
      run: () => rotate.mutateAsync(id),
      failed: `${name} wasn’t rotated`,
    })
    if (isDone) notifyDone('The repositories get their new key within minutes')
  }
  const askToDeactivate = async () => {
    const isDone = await askToConfirm({
      title: `Deactivate ${name}?`,
      consequences: 'It’s used for nothing from then on, and can’t be activated again.',
      confirm: 'Deactivate',
      run: () => deactivate.mutateAsync(id),
      failed: `${name} wasn’t deactivated`,
    })
    if (isDone) notifyDone(`${name} was deactivated`)
  }
  return (
    <RowMenu
      name={name}
      isBusy={rotate.isPending || deactivate.isPending}
      actions={[
        ...(managedRestoreSupported ? [{ label: 'Rotate…', Icon: IconRefresh, onClick: askToRotate }] : []),
        {
          label: 'Deactivate…',
          Icon: IconCircleOff,
          isDestructive: true,
          isDisabled: repositories > 0,
          onClick: askToDeactivate,
        },
      ]}
    />
  )
}
