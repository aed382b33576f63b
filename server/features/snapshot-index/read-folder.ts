import { nameKey } from '../../../shared/names.ts'
import { longestSearch } from './bounds.ts'
import { pageOf, positionAt } from './cursor.ts'
import type { IndexDatabase } from './index-file.ts'
import { type EntryRow, entryColumns, entryOf, folderIn, isInSnapshot, snapshotOf } from './reading.ts'
import type { Counts, FolderPage, Questions } from './shapes.ts'

/** A folder of a snapshot, page by page: folders first, then by name; with a text those whose name contains it. */
export function readFolder(db: IndexDatabase, input: Questions['folder']['input']): FolderPage {
  const snapshot = snapshotOf(db, input.snapshotId)
  const { folder, names } = folderIn(db, snapshot, input.path)
  const after = positionAt(input.after)
  const text = nameKey((input.text ?? '').slice(0, longestSearch))
  const [, isLeaf, key, own] = after ?? [folder, -1, '', '']
  const rows = db
    .prepare<unknown[], EntryRow>(
      `SELECT ${entryColumns} FROM entries
       WHERE folder = ? AND (is_leaf, name_key, own_name) > (?, ?, ?) AND ${isInSnapshot} AND ${hasText}
       ORDER BY is_leaf, name_key, own_name LIMIT ?`,
    )
    .all(folder, isLeaf, key, own, snapshot.key, text, input.limit + 1)
  const page = pageOf(rows, input.limit)
  return {
    items: page.rows.map((row) => entryOf(row, names, snapshot.isWindows)),
    next: page.next,
    counts: after ? null : countsOf(db, folder, snapshot.key, text),
  }
}

/** Every name contains the empty text. */
const hasText = 'instr(name_key, ?) > 0'

function countsOf(db: IndexDatabase, folder: number, snapshot: number, text: string): Counts {
  const counts = db
    .prepare<[number, number, string], Counts>(
      `SELECT count(*) FILTER (WHERE is_leaf = 1) AS files, count(*) FILTER (WHERE is_leaf = 0) AS folders,
         coalesce(sum(size), 0) AS bytes
       FROM entries WHERE folder = ? AND ${isInSnapshot} AND ${hasText}`,
    )
    .get(folder, snapshot, text)
  return counts ?? { files: 0, folders: 0, bytes: 0 }
}
