import { mostDownloadEntries } from '../../../shared/api/backup-downloads.ts'
import { AppError } from '../../platform/errors.ts'
import type { BackedUpFiles, SnapshotRow } from '../backup-snapshots/index.ts'
import { type Counts, type Entry, resticPathOf } from '../snapshot-index/index.ts'

export type Selection = { only: Entry } | { several: readonly Entry[]; counts: Counts }

/**
 * The files and folders that are to be downloaded; what is within another one comes with it.
 * @throws AppError `backup_path_not_found`, `backup_files_unknown`, `backup_not_downloadable`,
 *   `backup_name_not_downloadable`, `backup_selection_too_large`
 */
export async function selectionOf(
  files: BackedUpFiles,
  snapshot: SnapshotRow,
  paths: readonly string[],
): Promise<Selection> {
  const several = outermost(await Promise.all(paths.map((path) => files.entry(snapshot, path))))
  for (const { type, name } of several)
    if (type !== 'folder' && type !== 'file') throw new AppError('backup_not_downloadable', { name })
  const [only] = several
  if (only && several.length === 1) return { only }
  // It would only be known when those before it are on their way.
  const unreadable = several.find(({ path }) => path.includes('\uFFFD'))
  if (unreadable) throw new AppError('backup_name_not_downloadable', { name: unreadable.name })
  const counts = await files.counts(
    snapshot,
    several.map(({ path }) => path),
  )
  if (counts.files + counts.folders > mostDownloadEntries)
    throw new AppError('backup_selection_too_large', { max: mostDownloadEntries })
  return { several, counts }
}

/** Each once, without those in a folder that is among them. */
function outermost(entries: readonly Entry[]): Entry[] {
  const byPath = new Map(entries.map((entry) => [resticPathOf(entry.path), entry]))
  const isWithin = (path: string): boolean => {
    for (let at = path.lastIndexOf('/'); at >= 0; at = path.lastIndexOf('/', at - 1)) {
      if (path !== '/' && byPath.get(path.slice(0, at) || '/')?.type === 'folder') return true
      if (at === 0) break
    }
    return false
  }
  return [...byPath].flatMap(([path, entry]) => (isWithin(path) ? [] : [entry]))
}
