import { IndexError } from './index-error.ts'
import type { IndexDatabase } from './index-file.ts'
import { columnsOf, nameOf } from './names.ts'
import { partsOf, shownName, shownPath } from './paths.ts'
import type { Entry, EntryType, SnapshotName } from './shapes.ts'

/** A row of `entries`, as far as it is shown. */
export interface EntryRow {
  folder: number
  is_leaf: number
  name_key: string
  own_name: string
  type: number
  size: number | null
  mtime: number | null
  child: number | null
}

export const entryColumns = 'folder, is_leaf, name_key, own_name, type, size, mtime, child'

/** Whether an entry is in a snapshot, which is bound to the parameter. */
export const isInSnapshot = 'presence IN (SELECT presence FROM presences WHERE snapshot = ?)'

export interface SnapshotRow extends SnapshotName {
  /** In this file. */
  key: number
  isWindows: boolean
}

export function snapshotOf(db: IndexDatabase, id: string): SnapshotRow {
  const row = db
    .prepare<[string], { key: number; time: number; is_windows: number }>(
      'SELECT id AS key, time, is_windows FROM snapshots WHERE snapshot = ?',
    )
    .get(id)
  if (!row) throw new IndexError('not_indexed', `The snapshot ${id} is not in the index`)
  return { id, key: row.key, time: row.time, isWindows: row.is_windows === 1 }
}

/** The newest snapshot of the file; undefined when it has none. */
export function newestOf(db: IndexDatabase): SnapshotRow | undefined {
  const id = db.prepare<[], string>('SELECT snapshot FROM snapshots ORDER BY time DESC, id DESC LIMIT 1').pluck().get()
  return id === undefined ? undefined : snapshotOf(db, id)
}

export const pathNotFound = (path: string): IndexError => new IndexError('not_found', `There is no ${path}`)

/** @throws IndexError `not_found` for what is no path */
export function namesIn(path: string, isWindows: boolean): string[] {
  const names = partsOf(path, isWindows)
  if (!names) throw pathNotFound(path)
  return names
}

/** The folder of these names, in whichever snapshot; undefined when there never was one. */
export function folderOf(db: IndexDatabase, names: readonly string[]): number | undefined {
  const find = db
    .prepare<[number, string, string], number>(
      'SELECT child FROM entries WHERE folder = ? AND is_leaf = 0 AND name_key = ? AND own_name = ? LIMIT 1',
    )
    .pluck()
  let folder: number | undefined = 0
  for (const name of names) {
    if (folder === undefined) return undefined
    const { key, own } = columnsOf(name)
    folder = find.get(folder, key, own)
  }
  return folder
}

/** What the path is in the snapshot. Both, where names that are no UTF-8 look alike. */
export function entriesAt(db: IndexDatabase, snapshot: number, names: readonly string[]): EntryRow[] {
  const name = names.at(-1)
  const folder = folderOf(db, names.slice(0, -1))
  if (folder === undefined || name === undefined) return []
  const { key, own } = columnsOf(name)
  return db
    .prepare<[number, string, string, number], EntryRow>(
      `SELECT ${entryColumns} FROM entries
       WHERE folder = ? AND is_leaf IN (0, 1) AND name_key = ? AND own_name = ? AND ${isInSnapshot}`,
    )
    .all(folder, key, own, snapshot)
}

/** The id of a folder that is in the snapshot. */
export function folderIn(db: IndexDatabase, snapshot: SnapshotRow, path: string) {
  const names = namesIn(path, snapshot.isWindows)
  if (names.length === 0) return { folder: 0, names }
  const folder = entriesAt(db, snapshot.key, names).find(({ child }) => child !== null)?.child
  if (folder === undefined || folder === null) throw pathNotFound(path)
  return { folder, names }
}

/** Where folders are, each looked up once. */
export class FolderNames {
  readonly #find
  readonly #names = new Map<number, readonly string[]>([[0, []]])

  constructor(db: IndexDatabase) {
    this.#find = db.prepare<[number], { parent: number; name: string }>('SELECT parent, name FROM folders WHERE id = ?')
  }

  of(folder: number): readonly string[] {
    const known = this.#names.get(folder)
    if (known) return known
    const row = this.#find.get(folder)
    if (!row) throw new IndexError('damaged', `The folder ${folder} is missing`)
    const names = [...this.of(row.parent), row.name]
    this.#names.set(folder, names)
    return names
  }
}

const typeNames: readonly EntryType[] = ['folder', 'file', 'symlink', 'other']
export const typeOf = (type: number): EntryType => typeNames[type] ?? 'other'

/** Null for what no calendar has. */
export const isoTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

export function entryOf(row: EntryRow, folder: readonly string[], isWindows: boolean): Entry {
  const name = nameOf(row.name_key, row.own_name)
  return {
    name: shownName(name, folder.length, isWindows),
    path: shownPath([...folder, name], isWindows),
    type: typeOf(row.type),
    size: row.size,
    modifiedAt: isoTime(row.mtime),
  }
}
