import { Box, Group, Text } from '@mantine/core'
import { IconFolder, IconFolderOff } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { BackedUpEntry, BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import { useDownload } from '../../data/backup-downloads.ts'
import { type FolderPage, folderQuery, startFolderQuery } from '../../data/backup-snapshots.ts'
import { RestoreDialog } from '../../domain/backup-restores/restore-dialog.tsx'
import { bytes, plural } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { usePageEscape } from '../../lib/use-page-escape.ts'
import { ButtonLink, TextLink } from '../../ui/links.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { EmptyList, LoadFailed, NoMatch, SkeletonLines } from '../../ui/states.tsx'
import { ChosenBar } from './chosen-bar.tsx'
import {
  type ChosenEntries,
  folderChosenAbove,
  isChosen,
  nothingChosen,
  pathsToRestore,
  withChosen,
  withoutChosen,
} from './chosen-entries.ts'
import { areFilesUnknown, FilesUnknown, isPathUnknown } from './files-unknown.tsx'
import { FolderCrumbs } from './folder-crumbs.tsx'
import { type Choosing, FolderGrid } from './folder-grid.tsx'
import { OtherSnapshot } from './other-snapshot.tsx'
import { nameOf, parentOf, top } from './paths.ts'

interface Props {
  snapshot: BackupSnapshot
  onRestoreAll: (() => void) | undefined
}

/** The folders of a snapshot, from the one that the address names. */
export function FolderBrowser({ snapshot, onRestoreAll }: Props) {
  const { path } = useSearch({ from: '/app/backup/snapshots/$snapshotId' })
  const { data: start } = useQuery({ ...startFolderQuery(snapshot.id), enabled: path === undefined })
  const shown = path ?? start
  return shown === undefined ? (
    <SkeletonLines count={8} />
  ) : (
    <Browser snapshot={snapshot} path={shown} onRestoreAll={onRestoreAll} />
  )
}

/** Files and folders of several folders are chosen together. */
function Browser({ snapshot, path, onRestoreAll }: Props & { path: string }) {
  const { q = '', at } = useSearch({ from: '/app/backup/snapshots/$snapshotId' })
  const navigate = useNavigate({ from: '/backup/snapshots/$snapshotId' })
  const [chosen, setChosen] = useState<ChosenEntries>(nothingChosen)
  const [isRestoring, setRestoring] = useState(false)
  const mayRestore = can(useMe(), 'devices:execute')
  const { download, preparing } = useDownload()
  const clear = () => setChosen(nothingChosen)
  usePageEscape(chosen.size > 0, clear)
  const open = (entry: BackedUpEntry) =>
    entry.type === 'folder'
      ? navigate({ search: { path: entry.path } })
      : navigate({ search: (old) => ({ ...old, versions: entry.path }), resetScroll: false })
  const up = () => {
    if (path !== top) void navigate({ search: { path: parentOf(path), at: path } })
  }
  return (
    <>
      <Group justify="space-between" mb="sm" gap="sm" align="center">
        <FolderCrumbs snapshotId={snapshot.id} path={path} />
        <Group gap="xs" flex={{ base: '1 1 100%', sm: '0 1 530px' }}>
          <OtherSnapshot snapshot={snapshot} />
          <SearchBox
            key={path}
            label="Filter this folder"
            value={q || undefined}
            onSearch={(next) => navigate({ search: (old) => ({ ...old, q: next, at: undefined }), replace: true })}
          />
        </Group>
      </Group>
      <Folder
        {...{ snapshot, path, q, at, chosen, onRestoreAll }}
        onChoose={(entries, isWanted) =>
          setChosen((old) =>
            isWanted
              ? withChosen(old, entries)
              : withoutChosen(
                  old,
                  entries.map((entry) => entry.path),
                ),
          )
        }
        onOpen={open}
        onUp={up}
        onClearFilter={() => navigate({ search: (old) => ({ ...old, q: undefined }), replace: true })}
      />
      <ChosenBar
        chosen={chosen}
        onRestore={mayRestore ? () => setRestoring(true) : undefined}
        onDownload={mayRestore ? () => download({ snapshotId: snapshot.id, paths: [...chosen.keys()] }) : undefined}
        isPreparing={preparing !== null}
        onRemove={(one) => setChosen((old) => withoutChosen(old, [one]))}
        onClear={clear}
      />
      {isRestoring && (
        <RestoreDialog snapshot={snapshot} paths={pathsToRestore(chosen)} onClose={() => setRestoring(false)} />
      )}
    </>
  )
}

/** An entry to begin at is looked for among so many. */
const searchedForStart = 20_000

interface FolderProps {
  snapshot: BackupSnapshot
  path: string
  q: string
  /** The entry to begin at. */
  at: string | undefined
  chosen: ChosenEntries
  onRestoreAll: (() => void) | undefined
  onChoose: (entries: readonly Pick<BackedUpEntry, 'path' | 'type'>[], isChosen: boolean) => void
  onOpen: (entry: BackedUpEntry) => void
  onUp: () => void
  onClearFilter: () => void
}

function Folder(props: FolderProps) {
  const { snapshot, path, q } = props
  const folder = useInfiniteQuery(folderQuery(snapshot.id, path, q))
  const { data, error } = folder
  if (error && areFilesUnknown(error)) return <FilesUnknown snapshotId={snapshot.id} onRestore={props.onRestoreAll} />
  if (error && isPathUnknown(error)) return <NotInSnapshot snapshot={snapshot} />
  if (data)
    return (
      <>
        <LoadedFolder {...props} folder={{ ...folder, data }} />
        {error && <LoadFailed error={error} onRetry={folder.fetchNextPage} />}
      </>
    )
  return error ? <LoadFailed error={error} onRetry={folder.refetch} /> : <SkeletonLines count={8} />
}

interface FolderReading {
  data: { pages: FolderPage[] }
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isPlaceholderData: boolean
  isError: boolean
  fetchNextPage: () => unknown
}

function LoadedFolder({ folder, ...props }: FolderProps & { folder: FolderReading }) {
  const { snapshot, q, at, chosen, onChoose } = props
  const { data, hasNextPage, isFetchingNextPage, isPlaceholderData, isError, fetchNextPage } = folder
  const entries = useMemo(() => data.pages.flatMap((page) => page.data), [data])
  const isEnd = !hasNextPage || isFetchingNextPage || isPlaceholderData || isError
  const more = useCallback(() => {
    if (!isEnd) fetchNextPage()
  }, [isEnd, fetchNextPage])
  const isStartMissing = at !== undefined && !entries.some((entry) => entry.path === at)
  useEffect(() => {
    if (isStartMissing && entries.length < searchedForStart) more()
  }, [isStartMissing, entries.length, more])
  const { counts, path: shown = top } = data.pages[0] ?? {}
  if (entries.length === 0) return <NoEntries {...props} />
  const folderChosen = chosen.has(shown) ? shown : folderChosenAbove(chosen, shown)
  return (
    <>
      <Text size="xs" c="dimmed" mb={6} className="nums" role="status">
        {counts && countWords(counts)}
        {q !== '' && ' found'}
      </Text>
      <Box mb="xs">
        <FolderGrid
          label={`Files in ${shown === top ? 'the snapshot' : nameOf(shown)}`}
          path={shown}
          entries={entries}
          total={counts ? counts.files + counts.folders : entries.length}
          isStale={isPlaceholderData}
          chosen={chosen}
          chosenAround={folderChosen}
          choosing={
            q === ''
              ? choosingFolder(shown, folderChosen, chosen, onChoose)
              : hasNextPage
                ? undefined
                : choosingEach(entries, chosen, onChoose)
          }
          startAt={at}
          onChoose={onChoose}
          onOpen={props.onOpen}
          onUp={props.onUp}
          onEnd={more}
          renderName={(entry) => <EntryName snapshotId={snapshot.id} entry={entry} />}
        />
      </Box>
    </>
  )
}

/** “2 folders, 14 files, 31 MB”. */
const countWords = ({ files, folders, bytes: size }: NonNullable<FolderPage['counts']>): string =>
  [folders > 0 && plural(folders, 'folder'), files > 0 && `${plural(files, 'file')}, ${bytes(size)}`]
    .filter(Boolean)
    .join(', ')

/** All of a folder is the folder itself; undefined within one that is chosen. */
function choosingFolder(
  folder: string,
  folderChosen: string | undefined,
  chosen: ChosenEntries,
  onChoose: FolderProps['onChoose'],
): Choosing | undefined {
  if (folderChosen !== undefined && folderChosen !== folder) return undefined
  const hasSome = [...chosen.keys()].some((path) => path !== top && parentOf(path) === folder)
  return {
    state: folderChosen === folder ? 'all' : hasSome ? 'some' : 'none',
    onChange: (isWanted) => onChoose([{ path: folder, type: 'folder' }], isWanted),
  }
}

/** What a filter shows, one by one. */
function choosingEach(
  entries: readonly BackedUpEntry[],
  chosen: ChosenEntries,
  onChoose: FolderProps['onChoose'],
): Choosing {
  const amount = entries.filter(({ path }) => isChosen(chosen, path)).length
  return {
    state: amount === entries.length ? 'all' : amount > 0 ? 'some' : 'none',
    onChange: (isWanted) => onChoose(entries, isWanted),
  }
}

function NoEntries({ snapshot, q, onClearFilter }: Pick<FolderProps, 'snapshot' | 'q' | 'onClearFilter'>) {
  if (q === '')
    return (
      <EmptyList icon={<IconFolder stroke={1.5} />} title="This folder is empty">
        Nothing in it was backed up.
      </EmptyList>
    )
  return (
    <NoMatch
      what="files"
      onClear={onClearFilter}
      otherwise={
        <ButtonLink to="/backup/files" search={{ device: snapshot.deviceId, q }} variant="default">
          Search all snapshots
        </ButtonLink>
      }
    />
  )
}

/** Folders are pages of their own; files open what they were over time. */
function EntryName({ snapshotId, entry: { path, name, type } }: { snapshotId: string; entry: BackedUpEntry }) {
  return (
    <TextLink
      to="/backup/snapshots/$snapshotId"
      params={{ snapshotId }}
      search={type === 'folder' ? { path } : (old) => ({ ...old, versions: path })}
      resetScroll={type === 'folder'}
      tabIndex={-1}
      c="inherit"
      size="sm"
    >
      {name}
    </TextLink>
  )
}

function NotInSnapshot({ snapshot }: { snapshot: BackupSnapshot }) {
  return (
    <EmptyList
      icon={<IconFolderOff stroke={1.5} />}
      title="This folder isn’t in this snapshot"
      action={
        <ButtonLink
          to="/backup/snapshots/$snapshotId"
          params={{ snapshotId: snapshot.id }}
          search={{ path: top }}
          variant="default"
        >
          Show all files
        </ButtonLink>
      }
    >
      It was made later, or deleted before. Another snapshot of {snapshot.deviceName} may have it.
    </EmptyList>
  )
}
