import { pageOf, positionAt } from './cursor.ts'
import type { IndexDatabase } from './index-file.ts'
import { type EntryRow, entryColumns, entryOf, folderIn, isInSnapshot, snapshotOf } from './reading.ts'
import type { Counts, FolderPage, Questions } from './shapes.ts'

/** A folder of a snapshot, page by page: folders first, then by name. */
export function readFolder(db: IndexDatabase, input: Questions['folder']['input']): FolderPage {
  const snapshot = snapshotOf(db, input.snapshotId)
  const { folder, names } = folderIn(db, snapshot, input.path)
  const after = positionAt(input.after)
  const [, isLeaf, key, own] = after ?? [folder, -1, '', '']
  const rows = db
    .prepare<unknown[], EntryRow>(
      `SELECT ${entryColumns} FROM entries
       WHERE folder = ? AND (is_leaf, name_key, own_name) > (?, ?, ?) AND ${isInSnapshot}
       ORDER BY is_leaf, name_key, own_name LIMIT ?`,
    )
    .all(folder, isLeaf, key, own, snapshot.key, input.limit + 1)
  const page = pageOf(rows, input.limit)
  return {
    items: page.rows.map((row) => entryOf(row, names, snapshot.isWindows)),
    next: page.next,
    counts: after ? null : countsOf(db, folder, snapshot.key),
  }
}

function countsOf(db: IndexDatabase, folder: number, snapshot: number): Counts {
  const counts = db
    .prepare<[number, number], Counts>(
      `SELECT count(*) FILTER (WHERE is_leaf = 1) AS files, count(*) FILTER (WHERE is_leaf = 0) AS folders,
         coalesce(sum(size), 0) AS bytes
       FROM entries WHERE folder = ? AND ${isInSnapshot}`,
    )
    .get(folder, snapshot)
  return counts ?? { files: 0, folders: 0, bytes: 0 }
}
