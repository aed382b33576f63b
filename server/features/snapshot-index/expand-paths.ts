import { mostPaths } from './bounds.ts'
import { IndexError } from './index-error.ts'
import type { IndexDatabase } from './index-file.ts'
import { partsOf } from './paths.ts'
import { entriesAt, isInSnapshot, type SnapshotRow, snapshotOf } from './reading.ts'
import type { Counts, Expansion, Questions } from './shapes.ts'

/** What the paths come to with all that is below them; what is selected twice, or within another one, counts once. */
export function expandPaths(db: IndexDatabase, input: Questions['expand']['input']): Expansion {
  if (input.paths.length > mostPaths) throw new IndexError('too_large', 'These are too many paths')
  const snapshot = snapshotOf(db, input.snapshotId)
  const { selected, missing } = select(db, snapshot, input.paths)
  const counts: Counts = { files: 0, folders: 0, bytes: 0 }
  const tops: number[] = []
  for (const { names, folder, leaves, bytes } of selected.values()) {
    if (isWithin(names, selected)) continue
    if (folder !== null) tops.push(folder)
    // The top folder itself is not in any snapshot.
    if (folder !== null && folder !== 0) counts.folders++
    counts.files += leaves
    counts.bytes += bytes
  }
  const below = countBelow(db, snapshot.key, tops)
  return {
    files: counts.files + below.files,
    folders: counts.folders + below.folders,
    bytes: counts.bytes + below.bytes,
    missing,
  }
}

interface Selected {
  names: readonly string[]
  folder: number | null
  leaves: number
  bytes: number
}

function select(db: IndexDatabase, snapshot: SnapshotRow, paths: readonly string[]) {
  const selected = new Map<string, Selected>()
  const missing: string[] = []
  for (const path of paths) {
    const names = partsOf(path, snapshot.isWindows)
    const one = names && selectionOf(db, snapshot, names)
    if (one) selected.set(one.names.join('/'), one)
    else missing.push(path)
  }
  return { selected, missing }
}

function selectionOf(db: IndexDatabase, snapshot: SnapshotRow, names: readonly string[]): Selected | null {
  if (names.length === 0) return { names, folder: 0, leaves: 0, bytes: 0 }
  const rows = entriesAt(db, snapshot.key, names)
  if (rows.length === 0) return null
  const leaves = rows.filter((row) => row.is_leaf === 1)
  return {
    names,
    folder: rows.find(({ child }) => child !== null)?.child ?? null,
    leaves: leaves.length,
    bytes: leaves.reduce((sum, { size }) => sum + (size ?? 0), 0),
  }
}

/** Whether a folder above it is selected, too. */
function isWithin(names: readonly string[], selected: ReadonlyMap<string, Selected>): boolean {
  return names.some((_, depth) => (selected.get(names.slice(0, depth).join('/'))?.folder ?? null) !== null)
}

function countBelow(db: IndexDatabase, snapshot: number, folders: readonly number[]): Counts {
  const counts = db
    .prepare<[string, number, number], Counts>(
      `WITH RECURSIVE below (id) AS (
         SELECT value FROM json_each(?)
         UNION ALL
         SELECT child FROM below CROSS JOIN entries
         WHERE entries.folder = below.id AND is_leaf = 0 AND ${isInSnapshot}
       )
       SELECT count(*) FILTER (WHERE is_leaf = 1) AS files, count(*) FILTER (WHERE is_leaf = 0) AS folders,
         coalesce(sum(size), 0) AS bytes
       FROM below CROSS JOIN entries WHERE entries.folder = below.id AND ${isInSnapshot}`,
    )
    .get(JSON.stringify(folders), snapshot, snapshot)
  return counts ?? { files: 0, folders: 0, bytes: 0 }
}
