import { nameKey } from '../../../shared/names.ts'
import { longestSearch } from './bounds.ts'
import { pageOf, positionAt, start } from './cursor.ts'
import type { IndexDatabase } from './index-file.ts'
import { nameOf } from './names.ts'
import { versionsOf } from './read-versions.ts'
import { type EntryRow, entryColumns, entryOf, FolderNames, newestOf } from './reading.ts'
import type { FoundEntry, Page, Questions } from './shapes.ts'

/** Files and folders of all snapshots whose name contains the text, whatever its case; those of one folder together. */
export function searchNames(db: IndexDatabase, input: Questions['search']['input']): Page<FoundEntry> {
  const text = nameKey(input.text.slice(0, longestSearch))
  const newest = newestOf(db)
  if (!newest || text === '') return { items: [], next: null }
  const { rows, next } = pageOf(paths(db, text, input), input.limit)
  const folders = new FolderNames(db)
  const items = rows.flatMap((row) => {
    const versions = versionsOf(db, row.folder, nameOf(row.name_key, row.own_name))
    const [latest] = versions
    if (!latest) return []
    const { newestSnapshot, size, modifiedAt, type } = latest
    const entry = entryOf(row, folders.of(row.folder), newest.isWindows)
    return [{ ...entry, type, size, modifiedAt, newestSnapshot, versions: versions.length }]
  })
  return { items, next }
}

/** One row of each path; stops when a page is full. */
function paths(
  db: IndexDatabase,
  text: string,
  { limit, after }: { limit: number; after?: string | null },
): EntryRow[] {
  const found: EntryRow[] = []
  const rows = db
    .prepare<unknown[], EntryRow>(
      `SELECT ${entryColumns} FROM entries
       WHERE (folder, is_leaf, name_key, own_name) > (?, ?, ?, ?) AND instr(name_key, ?) > 0
         AND presence IN (SELECT presence FROM presences)
       ORDER BY folder, is_leaf, name_key, own_name`,
    )
    .iterate(...(positionAt(after) ?? start), text)
  for (const row of rows) {
    const last = found.at(-1)
    if (last && isSamePath(last, row)) continue
    found.push(row)
    if (found.length > limit) break
  }
  return found
}

export const isSamePath = (one: EntryRow, other: EntryRow): boolean =>
  one.folder === other.folder &&
  one.is_leaf === other.is_leaf &&
  one.name_key === other.name_key &&
  one.own_name === other.own_name
