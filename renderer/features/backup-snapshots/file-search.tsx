import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type FoundFile, fileSearchQuery } from '../../data/backup-snapshots.ts'
import { EntryIcon } from '../../domain/backup-snapshots/entry-icon.tsx'
import { bytes, dateOnly, plural } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { TextLink } from '../../ui/links.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import classes from './file-search.module.css'
import { areFilesUnknown } from './files-unknown.tsx'
import { parentOf } from './paths.ts'
import { type RestoreFrom, useRestoreFrom } from './use-restore-from.tsx'

interface Props {
  device: { id: string; name: string }
  /** The storage that is looked in; undefined: that of the newest snapshot. */
  configId: string | undefined
  /** Whether there are several. */
  hasStorages: boolean
}

/** In its place while no device is chosen. */
export const SearchNeedsDevice = () => (
  <section>
    <Stack gap="sm">
      <Title order={2} size="h5">
        Find a file
      </Title>
      <Text size="sm" c="dimmed">
        Choose the device above to find a file by its name, also one that was deleted since.
      </Text>
    </Stack>
  </section>
)

/** Finds files by name in all snapshots of a device. */
export function FileSearch({ device, configId, hasStorages }: Props) {
  const { q } = useSearch({ from: '/app/backup/files' })
  const navigate = useNavigate({ from: '/backup/files' })
  return (
    <section>
      <Stack gap="sm">
        <Title order={2} size="h5">
          Find a file
        </Title>
        <Group>
          <SearchBox
            label="Name of the file or folder"
            value={q}
            onSearch={(next) => navigate({ search: (old) => ({ ...old, q: next }), replace: true })}
          />
        </Group>
        {q === undefined ? (
          <Text size="sm" c="dimmed">
            A part of the name is enough. All snapshots of {device.name}
            {hasStorages && configId === undefined && ' in the storage it was last backed up to'} are searched, also for
            files that were deleted since.
          </Text>
        ) : (
          <Found deviceId={device.id} configId={configId} q={q} />
        )}
      </Stack>
    </section>
  )
}

function Found({ deviceId, configId, q }: { deviceId: string; configId: string | undefined; q: string }) {
  const navigate = useNavigate({ from: '/backup/files' })
  const search = useInfiniteQuery(fileSearchQuery({ deviceId, configId, q }))
  const { data, error, isPlaceholderData, hasNextPage } = search
  const { restore, dialog } = useRestoreFrom()
  const columns = useMemo(() => [...whatColumns, ...(restore ? [takeColumn(restore)] : [])], [restore])
  if (error && areFilesUnknown(error))
    return (
      <Text size="sm" c="dimmed" role="status">
        The names of the files on this device aren’t known here. Open a snapshot to restore it as a whole.
      </Text>
    )
  if (error && !data) return <LoadFailed error={error} onRetry={search.refetch} />
  if (!data) return <SkeletonLines count={4} />
  const rows = data.pages.flatMap((page) => page.data)
  const open = ({ type, path, newestSnapshot: { id: snapshotId } }: FoundFile) => {
    if (type !== 'folder') void navigate({ search: (old) => ({ ...old, versions: path }), resetScroll: false })
    else if (snapshotId)
      void navigate({ to: '/backup/snapshots/$snapshotId', params: { snapshotId }, search: { path } })
  }
  return (
    <>
      <Text size="xs" c="dimmed" role="status">
        {rows.length === 0 ? '' : `${plural(rows.length, 'match', 'matches')}${hasNextPage ? ' so far' : ''}`}
      </Text>
      {rows.length === 0 ? (
        <Text size="sm">
          Nothing with “{q}” in its name was backed up. Try a shorter part of it, or look around in a snapshot.
        </Text>
      ) : (
        <DataTable
          label="Files found"
          rows={rows}
          rowKey={({ path, type }) => `${type} ${path}`}
          columns={columns}
          minWidth={460}
          isStale={isPlaceholderData}
          onOpen={open}
        />
      )}
      {dialog}
      {error && <LoadFailed error={error} onRetry={search.fetchNextPage} />}
      {hasNextPage && !error && (
        <Button variant="default" loading={search.isFetchingNextPage} onClick={() => search.fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  )
}

function FoundName({ found: { name, path, type, newestSnapshot } }: { found: FoundFile }) {
  const looks = { 'data-main': true, fw: 500, c: 'inherit', size: 'sm' } as const
  if (type !== 'folder')
    return (
      <TextLink to="/backup/files" search={(old) => ({ ...old, versions: path })} resetScroll={false} {...looks}>
        {name}
      </TextLink>
    )
  if (newestSnapshot.id === null) return name
  return (
    <TextLink
      to="/backup/snapshots/$snapshotId"
      params={{ snapshotId: newestSnapshot.id }}
      search={{ path }}
      {...looks}
    >
      {name}
    </TextLink>
  )
}

/** The newest there is of it; of files the versions are behind the name. */
const takeColumn = (restore: NonNullable<RestoreFrom['restore']>): Column<FoundFile> => ({
  id: 'take',
  title: 'Actions',
  align: 'right',
  place: 'bottom',
  cell: ({ name, path, newestSnapshot: { id: snapshotId } }) =>
    snapshotId && (
      <Button
        variant="default"
        size="xs"
        aria-label={`Restore ${name}`}
        onClick={() => restore({ snapshotId, paths: [path] })}
      >
        Restore…
      </Button>
    ),
})

const whatColumns: Column<FoundFile>[] = [
  {
    id: 'name',
    title: 'Name',
    wrap: 'anywhere',
    cell: (found) => (
      <span className={classes.found}>
        <EntryIcon type={found.type} />
        <span>
          <FoundName found={found} />
          <SecondLine>{parentOf(found.path)}</SecondLine>
        </span>
      </span>
    ),
  },
  {
    id: 'last',
    title: 'Last backed up',
    align: 'right',
    wrap: 'never',
    cell: ({ size, type, versions, newestSnapshot }) => (
      <>
        {dateOnly(newestSnapshot.takenAt)}
        <SecondLine>{type === 'folder' ? 'Folder' : `${bytes(size)}, ${plural(versions, 'version')}`}</SecondLine>
      </>
    ),
  },
]
