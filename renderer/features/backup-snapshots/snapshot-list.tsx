import { Title } from '@mantine/core'
import { IconCamera } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import { snapshotsQuery } from '../../data/backup-snapshots.ts'
import { SnapshotBadges } from '../../domain/backup-snapshots/snapshot-badges.tsx'
import { bytes, exactTime, plural } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { ButtonLink, TextLink } from '../../ui/links.tsx'
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
    <section>
      <Title order={2} size="h5" mb="sm">
        Snapshots
      </Title>
      <PagedList
        of={snapshots}
        what="snapshot"
        onPage={(next) => navigate({ search: (old) => ({ ...old, page: next }), resetScroll: false })}
        empty={
          deviceId !== undefined && configId === undefined ? (
            <NeverBackedUp deviceId={deviceId} />
          ) : onClear ? (
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
    </section>
  )
}

function NeverBackedUp({ deviceId }: { deviceId: string }) {
  return (
    <EmptyList
      icon={<IconCamera stroke={1.5} />}
      title="No snapshots of this device"
      action={
        <ButtonLink to="/devices/$deviceId" params={{ deviceId }} search={{ tab: 'backup' }} variant="default">
          Show its backups
        </ButtonLink>
      }
    >
      Its backups haven’t made one yet, or all of them have expired.
    </EmptyList>
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

/** Leads to what there is of its device alone. */
function DeviceOnly({ snapshot: { deviceId, deviceName } }: { snapshot: BackupSnapshot }) {
  return (
    <TextLink to="/backup/files" search={{ device: deviceId }} c="inherit" size="sm">
      {deviceName}
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
        <RelativeTime isPast at={snapshot.createdAt} />
      </SecondLine>
    </>
  ),
}
const size: Column<BackupSnapshot> = {
  id: 'size',
  title: 'Size',
  align: 'right',
  wrap: 'never',
  only: 'wide',
  cell: ({ sizeBytes, fileCount }) => (
    <>
      {bytes(sizeBytes)}
      <SecondLine>{plural(fileCount, 'file')}</SecondLine>
    </>
  ),
}
const expires: Column<BackupSnapshot> = {
  id: 'expires',
  title: 'Expires',
  only: 'wide',
  cell: (snapshot) =>
    snapshot.retentionBlockedReason === null ? (
      <RelativeTime at={snapshot.expiresAt} never="Never" />
    ) : (
      <SnapshotBadges snapshot={snapshot} />
    ),
}

/** What a wide screen has in columns. */
const summary = (isOfDevice: boolean): Column<BackupSnapshot> => ({
  id: 'summary',
  title: 'Summary',
  only: 'narrow',
  place: 'bottom',
  cell: (snapshot) => {
    const { deviceName, sizeBytes, fileCount, expiresAt, retentionBlockedReason } = snapshot
    return (
      <>
        {[!isOfDevice && deviceName, bytes(sizeBytes), plural(fileCount, 'file')].filter(Boolean).join(' · ')}
        <SecondLine>
          {retentionBlockedReason !== null ? (
            <SnapshotBadges snapshot={snapshot} />
          ) : expiresAt === null ? (
            'Never expires'
          ) : (
            <>
              Expires <RelativeTime at={expiresAt} />
            </>
          )}
        </SecondLine>
      </>
    )
  },
})

const columnsOfDevice: Column<BackupSnapshot>[] = [taken, size, expires, summary(true)]

const columns: Column<BackupSnapshot>[] = [
  taken,
  {
    id: 'device',
    title: 'Device',
    wrap: 'anywhere',
    only: 'wide',
    cell: (snapshot) => <DeviceOnly snapshot={snapshot} />,
  },
  {
    id: 'storage',
    title: 'Storage',
    wrap: 'anywhere',
    look: 'dimmed',
    only: 'wide',
    cell: ({ configName }) => configName,
  },
  size,
  expires,
  summary(false),
]
