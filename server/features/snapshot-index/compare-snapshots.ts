import { type Position, pageOf, positionAt, start } from './cursor.ts'
import type { IndexDatabase } from './index-file.ts'
import { type EntryRow, entryColumns, entryOf, FolderNames, isoTime, type SnapshotRow, snapshotOf } from './reading.ts'
import { isSamePath } from './search-names.ts'
import type { Change, ComparisonPage, Counts, Difference, Questions } from './shapes.ts'

interface Row extends EntryRow {
  is_new: number
}

/** A path that differs: its states in the older and in the newer snapshot. */
export interface Pair {
  path: EntryRow
  before: Row | null
  after: Row | null
}

/** What differs in the newer snapshot, page by page, those of one folder together. */
export function compareSnapshots(db: IndexDatabase, input: Questions['compare']['input']): ComparisonPage {
  const [older, newer] = [snapshotOf(db, input.older), snapshotOf(db, input.newer)]
  const from = positionAt(input.after)
  const found: Pair[] = []
  for (const pair of pairs(db, older, newer, from ?? start)) {
    if (input.only && changeOf(pair) !== input.only) continue
    found.push(pair)
    if (found.length > input.limit) break
  }
  const page = pageOf(
    found.map((pair) => ({ ...pair.path, pair })),
    input.limit,
  )
  const folders = new FolderNames(db)
  return {
    items: page.rows.map(({ pair }) => differenceOf(pair, folders, newer.isWindows)),
    next: page.next,
    counts: from ? null : countsOf(pairs(db, older, newer, start)),
  }
}

/** An entry is in both snapshots, or its path is different in them. */
export function* pairs(db: IndexDatabase, older: SnapshotRow, newer: SnapshotRow, from: Position): Generator<Pair> {
  if (older.key === newer.key) return
  const rows = db
    .prepare<unknown[], Row>(
      `SELECT ${entryColumns}, presence IN (SELECT presence FROM presences WHERE snapshot = ?) AS is_new
       FROM entries
       WHERE (folder, is_leaf, name_key, own_name) > (?, ?, ?, ?) AND presence IN (
         SELECT presence FROM presences WHERE snapshot IN (?, ?) GROUP BY presence HAVING count(*) = 1)
       ORDER BY folder, is_leaf, name_key, own_name`,
    )
    .iterate(newer.key, ...from, older.key, newer.key)
  let open: Pair | null = null
  for (const row of rows) {
    if (open === null || !isSamePath(open.path, row)) {
      if (open && isDifference(open)) yield open
      open = { path: row, before: null, after: null }
    }
    if (row.is_new === 1) open.after = row
    else open.before = row
  }
  if (open && isDifference(open)) yield open
}

/** The time of a folder changes with what is in it, which is listed itself. */
const isDifference = ({ path, before, after }: Pair): boolean => path.is_leaf === 1 || !before || !after

function changeOf({ before, after }: Pair): Change {
  if (!before) return 'added'
  return after ? 'changed' : 'removed'
}

function differenceOf(pair: Pair, folders: FolderNames, isWindows: boolean): Difference {
  const { path, type } = entryOf(pair.after ?? pair.path, folders.of(pair.path.folder), isWindows)
  const state = (row: Row | null) => row && { size: row.size, modifiedAt: isoTime(row.mtime) }
  return { change: changeOf(pair), path, type, before: state(pair.before), after: state(pair.after) }
}

function countsOf(all: Iterable<Pair>): Record<Change, Counts> {
  const none = () => ({ files: 0, folders: 0, bytes: 0 })
  const counts = { added: none(), changed: none(), removed: none() }
  for (const pair of all) {
    const count = counts[changeOf(pair)]
    if (pair.path.is_leaf === 1) count.files++
    else count.folders++
    count.bytes += (pair.after ?? pair.before)?.size ?? 0
  }
  return counts
}
