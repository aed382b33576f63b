import { Text } from '@mantine/core'
import { IconCamera } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import { snapshotsQuery } from '../../data/backup-snapshots.ts'
import { SnapshotBadges } from '../../domain/backup-snapshots/snapshot-badges.tsx'
import { bytes, count, exactTime } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyList, NoMatch } from '../../ui/states.tsx'

interface Props {
  orgId: string
  deviceId: string | undefined
  configId: string | undefined
  onClear: (() => void) | undefined
}

const limit = 50

/** Snapshots of an organization or a device, the newest first. */
export function SnapshotList({ orgId, deviceId, configId, onClear }: Props) {
  const { page = 1 } = useSearch({ from: '/app/backup/files' })
  const navigate = useNavigate({ from: '/backup/files' })
  const snapshots = useQuery(snapshotsQuery({ orgId, deviceId, configId, page, limit }))
  return (
    <Panel title="Snapshots">
      <PagedList
        of={snapshots}
        what="snapshot"
        onPage={(next) => navigate({ search: (old) => ({ ...old, page: next }), resetScroll: false })}
        empty={
          onClear ? (
            <NoMatch what="snapshots" onClear={onClear} />
          ) : (
            <EmptyList icon={<IconCamera stroke={1.5} />} title="No snapshots yet">
              Every backup of a device makes one. It shows the files as they were at that moment.
            </EmptyList>
          )
        }
      >
        {(rows, isStale) => (
          <DataTable
            label="Snapshots"
            rows={rows}
            rowKey={({ id }) => id}
            columns={deviceId === undefined ? columns : columnsOfDevice}
            minWidth={deviceId === undefined ? 760 : 420}
            isStale={isStale}
            onOpen={({ id }) => navigate({ to: '/backup/snapshots/$snapshotId', params: { snapshotId: id } })}
          />
        )}
      </PagedList>
    </Panel>
  )
}

function SnapshotLink({ snapshot: { id, createdAt } }: { snapshot: BackupSnapshot }) {
  return (
    <TextLink
      to="/backup/snapshots/$snapshotId"
      params={{ snapshotId: id }}
      data-main
      fw={500}
      c="inherit"
      size="sm"
      className="nums"
    >
      {exactTime(createdAt)}
    </TextLink>
  )
}

const taken: Column<BackupSnapshot> = {
  id: 'taken',
  title: 'Taken',
  cell: (snapshot) => (
    <>
      <SnapshotLink snapshot={snapshot} />
      <SecondLine>
        <RelativeTime at={snapshot.createdAt} />
      </SecondLine>
    </>
  ),
}
const size: Column<BackupSnapshot> = {
  id: 'size',
  title: 'Size',
  align: 'right',
  wrap: 'never',
  cell: ({ sizeBytes, fileCount }) => (
    <>
      {bytes(sizeBytes)}
      <SecondLine>{count(fileCount)} files</SecondLine>
    </>
  ),
}
const expires: Column<BackupSnapshot> = {
  id: 'expires',
  title: 'Expires',
  cell: (snapshot) =>
    snapshot.retentionBlockedReason === null ? (
      <RelativeTime at={snapshot.expiresAt} never="Never" />
    ) : (
      <SnapshotBadges snapshot={snapshot} />
    ),
}

const columnsOfDevice: Column<BackupSnapshot>[] = [taken, size, expires]

const columns: Column<BackupSnapshot>[] = [
  taken,
  { id: 'device', title: 'Device', wrap: 'anywhere', cell: ({ deviceName }) => <Text size="sm">{deviceName}</Text> },
  { id: 'storage', title: 'Storage', wrap: 'anywhere', look: 'dimmed', cell: ({ configName }) => configName },
  size,
  expires,
]
