import { Button, Text } from '@mantine/core'
import { IconEqual } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type Change, comparisonQuery, type Difference, snapshotQuery } from '../../data/backup-snapshots.ts'
import { EntryIcon } from '../../domain/backup-snapshots/entry-icon.tsx'
import { NotFound } from '../../domain/navigation/not-found.tsx'
import { ApiError } from '../../lib/api-error.ts'
import { bytes, count, dash, exactTime, plural } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { FilterSegments } from '../../ui/filter-segments.tsx'
import { TextLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyList, LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { changeNames, changes, sizeChange, toneOf } from './change-words.ts'
import classes from './file-search.module.css'
import { areFilesUnknown } from './files-unknown.tsx'
import { nameOf, parentOf } from './paths.ts'

const route = '/app/backup/snapshots/$snapshotId/compare/$olderId'

/** What changed from one snapshot to a later one. */
export function ComparisonPage() {
  const { snapshotId, olderId } = useParams({ from: route })
  const newer = useQuery(snapshotQuery(snapshotId))
  const older = useQuery(snapshotQuery(olderId))
  const error = newer.error ?? older.error
  if (error instanceof ApiError && error.status === 404) return <NotFound />
  if (error) return <LoadFailed error={error} onRetry={() => Promise.all([newer.refetch(), older.refetch()])} />
  if (!newer.data || !older.data) return <SkeletonLines count={6} />
  const snapshotLink = (id: string, at: string) => (
    <TextLink to="/backup/snapshots/$snapshotId" params={{ snapshotId: id }} size="sm" td="underline">
      {exactTime(at)}
    </TextLink>
  )
  return (
    <>
      <PageHeader
        title={`Changes on ${newer.data.deviceName}`}
        before={
          <TextLink to="/backup/snapshots/$snapshotId" params={{ snapshotId }} size="sm">
            Snapshot of {newer.data.deviceName}
          </TextLink>
        }
        about={
          <>
            From {snapshotLink(olderId, older.data.createdAt)} to {snapshotLink(snapshotId, newer.data.createdAt)}
          </>
        }
      />
      <Changes newerId={snapshotId} olderId={olderId} />
    </>
  )
}

function Changes({ newerId, olderId }: { newerId: string; olderId: string }) {
  const { only } = useSearch({ from: route })
  const navigate = useNavigate({ from: '/backup/snapshots/$snapshotId/compare/$olderId' })
  // The counts are those of all changes, whichever are shown.
  const counts = useInfiniteQuery(comparisonQuery(newerId, olderId, undefined)).data?.pages[0]?.counts
  const comparison = useInfiniteQuery(comparisonQuery(newerId, olderId, only))
  const { data, error, hasNextPage } = comparison
  if (error && areFilesUnknown(error))
    return (
      <EmptyList icon={<IconEqual stroke={1.5} />} title="These snapshots can’t be compared">
        The list of the files in one of them is missing.
      </EmptyList>
    )
  if (error && !data) return <LoadFailed error={error} onRetry={comparison.refetch} />
  if (!data) return <SkeletonLines count={6} />
  const rows = data.pages.flatMap((page) => page.data)
  const amountOf = (change: Change) => {
    const { files = 0, folders = 0 } = counts?.[change] ?? {}
    return files + folders
  }
  const total = changes.reduce((sum, change) => sum + amountOf(change), 0)
  if (counts && total === 0)
    return (
      <EmptyList icon={<IconEqual stroke={1.5} />} title="Nothing changed">
        Both snapshots have the same files.
      </EmptyList>
    )
  return (
    <>
      <FilterBar label="Filter changes">
        <FilterSegments
          label="Changes"
          data={changes.map((change) => ({
            value: change,
            label: counts ? `${changeNames[change]} ${count(amountOf(change))}` : changeNames[change],
          }))}
          value={only}
          onChange={(next) => navigate({ search: { only: next }, replace: true })}
        />
        {counts && (
          <Text size="sm" c="dimmed" role="status">
            {plural(only ? amountOf(only) : total, 'change')}
          </Text>
        )}
      </FilterBar>
      {rows.length === 0 ? (
        <Text size="sm">Nothing was {changeNames[only ?? 'changed'].toLowerCase()}.</Text>
      ) : (
        <DataTable
          label="Changes"
          rows={rows}
          rowKey={({ path, type }) => `${type} ${path}`}
          columns={columnsFor(newerId, olderId)}
          minWidth={640}
          isStale={comparison.isPlaceholderData}
        />
      )}
      {error && <LoadFailed error={error} onRetry={comparison.fetchNextPage} />}
      {hasNextPage && !error && (
        <Button
          variant="default"
          mt="sm"
          loading={comparison.isFetchingNextPage}
          onClick={() => comparison.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </>
  )
}

type States = Pick<Difference, 'type' | 'before' | 'after'>

const sizeOf = ({ type, before, after }: States) => (type === 'folder' ? null : bytes((after ?? before)?.size))

function modifiedOf({ before, after }: Pick<States, 'before' | 'after'>): string | null {
  const at = (after ?? before)?.modifiedAt
  return at ? exactTime(at) : null
}

const columnsFor = (newerId: string, olderId: string): Column<Difference>[] => [
  {
    id: 'name',
    title: 'Name',
    wrap: 'anywhere',
    cell: ({ path, type, change }) => (
      <span className={classes.found}>
        <EntryIcon type={type} />
        <span>
          <TextLink
            to="/backup/snapshots/$snapshotId"
            params={{ snapshotId: change === 'removed' ? olderId : newerId }}
            search={type === 'folder' ? { path } : { path: parentOf(path), at: path }}
            data-main
            fw={500}
            c="inherit"
            size="sm"
          >
            {nameOf(path)}
          </TextLink>
          <SecondLine>{parentOf(path)}</SecondLine>
        </span>
      </span>
    ),
  },
  {
    id: 'change',
    title: 'Change',
    wrap: 'never',
    only: 'wide',
    cell: ({ change }) => <StatusDot tone={toneOf[change]}>{changeNames[change]}</StatusDot>,
  },
  {
    id: 'size',
    title: 'Size',
    align: 'right',
    wrap: 'never',
    only: 'wide',
    cell: ({ type, before, after }) =>
      type === 'folder' ? null : (
        <>
          {sizeOf({ type, before, after })}
          {before && after && <SecondLine>{sizeChange(before.size, after.size)}</SecondLine>}
        </>
      ),
  },
  {
    id: 'modified',
    title: 'Modified',
    wrap: 'never',
    only: 'wide',
    cell: (difference) => modifiedOf(difference) ?? dash,
  },
  {
    id: 'summary',
    title: 'Summary',
    only: 'narrow',
    place: 'bottom',
    cell: (difference) => (
      <>
        <StatusDot tone={toneOf[difference.change]}>{changeNames[difference.change]}</StatusDot>
        <SecondLine>{[sizeOf(difference), modifiedOf(difference)].filter(Boolean).join(' · ')}</SecondLine>
      </>
    ),
  },
]
