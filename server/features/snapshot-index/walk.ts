import type SQLite from 'better-sqlite3'
import { cursorOf, type Position, positionAt, positionOf } from './cursor.ts'
import { IndexError } from './index-error.ts'
import type { IndexDatabase } from './index-file.ts'
import { columnsOf } from './names.ts'
import {
  type EntryRow,
  entriesAt,
  entryColumns,
  entryOf,
  FolderNames,
  isInSnapshot,
  namesIn,
  pathNotFound,
  snapshotOf,
} from './reading.ts'
import type { Entry, Page, Questions } from './shapes.ts'

/** A folder within which the walk is, and how far it has come there. */
interface Frame {
  folder: number
  isLeaf: number
  key: string
  own: string
  /** Read already, and not yet shown. */
  rows: EntryRow[]
}

const rowsAtOnce = 500
const begin = (folder: number): Frame => ({ folder, isLeaf: -1, key: '', own: '', rows: [] })

/** Everything below a folder, a folder right before what is in it; of a file itself. Goes on where a page has ended. */
export function readBelow(db: IndexDatabase, input: Questions['below']['input']): Page<Entry> {
  const snapshot = snapshotOf(db, input.snapshotId)
  const names = namesIn(input.path, snapshot.isWindows)
  const own = names.length === 0 ? [] : entriesAt(db, snapshot.key, names)
  if (names.length > 0 && own.length === 0) throw pathNotFound(input.path)
  const after = positionAt(input.after)
  const folders = new FolderNames(db)
  const shown = (row: EntryRow) => entryOf(row, folders.of(row.folder), snapshot.isWindows)
  const items = after ? [] : own.filter(({ is_leaf }) => is_leaf === 1).map(shown)
  const top = names.length === 0 ? 0 : own.find(({ child }) => child !== null)?.child
  if (top === undefined || top === null) return { items, next: null }

  const frames = after ? framesAt(db, top, after) : [begin(top)]
  let last: EntryRow | null = null
  for (const row of walk(db, snapshot.key, frames)) {
    if (items.length >= input.limit && last) return { items, next: cursorOf(positionOf(last)) }
    items.push(shown(row))
    last = row
  }
  return { items, next: null }
}

function* walk(db: IndexDatabase, snapshot: number, frames: Frame[]): Generator<EntryRow> {
  const read: SQLite.Statement<unknown[], EntryRow> = db.prepare(
    `SELECT ${entryColumns} FROM entries
     WHERE folder = ? AND (is_leaf, name_key, own_name) > (?, ?, ?) AND ${isInSnapshot}
     ORDER BY is_leaf, name_key, own_name LIMIT ${rowsAtOnce}`,
  )
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    if (frame.rows.length === 0)
      frame.rows = read.all(frame.folder, frame.isLeaf, frame.key, frame.own, snapshot).reverse()
    const row = frame.rows.pop()
    if (row) {
      Object.assign(frame, { isLeaf: row.is_leaf, key: row.name_key, own: row.own_name })
      yield row
      if (row.child !== null) frames.push(begin(row.child))
    } else frames.pop()
  }
}

/** The folders from the top one to the entry at which a page has ended; into that one, if it is a folder. */
function framesAt(db: IndexDatabase, top: number, [folder, isLeaf, key, own]: Position): Frame[] {
  const parentOf = db.prepare<[number], { parent: number; name: string }>(
    'SELECT parent, name FROM folders WHERE id = ?',
  )
  const frames: Frame[] = [{ folder, isLeaf, key, own, rows: [] }]
  for (let at = folder; at !== top; ) {
    const up = parentOf.get(at)
    if (!up) throw new IndexError('bad_cursor', 'This place is not below the folder')
    frames.unshift({ folder: up.parent, isLeaf: 0, ...columnsOf(up.name), rows: [] })
    at = up.parent
  }
  const child = db
    .prepare<unknown[], number | null>(
      `SELECT child FROM entries WHERE folder = ? AND is_leaf = 0 AND is_leaf = ? AND name_key = ? AND own_name = ? LIMIT 1`,
    )
    .pluck()
    .get(folder, isLeaf, key, own)
  if (child !== undefined && child !== null) frames.push(begin(child))
  return frames
}
