import { useNavigate } from '@tanstack/react-router'
import type { RestoreJob } from '../../../shared/api/backup-restores.ts'
import { bytes, count, dash } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RestoreStatusDot } from './restore-status.tsx'
import { targetWords, whatIsRestored } from './restore-words.ts'

interface Props {
  restores: readonly RestoreJob[]
  isStale?: boolean
  /** All are of one device, whose page this is. */
  isOfDevice?: boolean
}

export function RestoreTable({ restores, isStale, isOfDevice = false }: Props) {
  const navigate = useNavigate()
  return (
    <DataTable
      label="Restores"
      rows={restores}
      rowKey={({ id }) => id}
      columns={isOfDevice ? columnsOfDevice : columns}
      minWidth={isOfDevice ? 620 : 760}
      isStale={isStale}
      onOpen={({ id }) => navigate({ to: '/backup/restores/$restoreId', params: { restoreId: id } })}
    />
  )
}

function RestoreLink({ restore: { id }, children }: { restore: RestoreJob; children: string }) {
  return (
    <TextLink to="/backup/restores/$restoreId" params={{ restoreId: id }} data-main fw={500} c="inherit" size="sm">
      {children}
    </TextLink>
  )
}

const startOf = ({ startedAt, createdAt }: RestoreJob) => startedAt ?? createdAt

const others: Column<RestoreJob>[] = [
  {
    id: 'state',
    title: 'Status',
    width: 230,
    only: 'wide',
    cell: (restore) => <RestoreStatusDot restore={restore} />,
  },
  { id: 'target', title: 'To', wrap: 'anywhere', only: 'wide', cell: (restore) => targetWords(restore) },
  {
    id: 'files',
    title: 'Files',
    align: 'right',
    wrap: 'never',
    only: 'wide',
    cell: ({ restoredFiles }) => (restoredFiles === null ? dash : count(restoredFiles)),
  },
  {
    id: 'size',
    title: 'Size',
    align: 'right',
    wrap: 'never',
    only: 'wide',
    cell: ({ restoredSize }) => bytes(restoredSize),
  },
  {
    id: 'when',
    title: 'Started',
    wrap: 'never',
    only: 'wide',
    cell: (restore) => <RelativeTime isPast at={startOf(restore)} />,
  },
  {
    id: 'summary',
    title: 'Summary',
    only: 'narrow',
    place: 'bottom',
    cell: (restore) => (
      <>
        <RestoreStatusDot restore={restore} />
        <SecondLine>
          <RelativeTime isPast at={startOf(restore)} />
          {restore.restoredSize !== null && ` · ${bytes(restore.restoredSize)}`}
        </SecondLine>
      </>
    ),
  },
]

const columns: Column<RestoreJob>[] = [
  {
    id: 'device',
    title: 'Device',
    wrap: 'anywhere',
    cell: (restore) => (
      <>
        <RestoreLink restore={restore}>{restore.deviceName}</RestoreLink>
        <SecondLine>{whatIsRestored(restore)}</SecondLine>
      </>
    ),
  },
  ...others,
]

const columnsOfDevice: Column<RestoreJob>[] = [
  {
    id: 'what',
    title: 'What',
    wrap: 'anywhere',
    cell: (restore) => <RestoreLink restore={restore}>{whatIsRestored(restore)}</RestoreLink>,
  },
  ...others,
]
