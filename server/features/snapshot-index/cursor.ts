import { IndexError } from './index-error.ts'
import type { EntryRow } from './reading.ts'

/** The place of an entry in the order of the index. */
export type Position = readonly [folder: number, isLeaf: number, key: string, own: string]

/** Before every entry there is. */
export const start: Position = [-1, 0, '', '']

export const positionOf = (row: Pick<EntryRow, 'folder' | 'is_leaf' | 'name_key' | 'own_name'>): Position => [
  row.folder,
  row.is_leaf,
  row.name_key,
  row.own_name,
]

export const cursorOf = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url')

/** @throws IndexError `bad_cursor` for what was not given out */
export function positionAt(cursor: string | null | undefined): Position | null {
  if (cursor === null || cursor === undefined) return null
  const bad = new IndexError('bad_cursor', 'This is no place in the index')
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw bad
  }
  if (!Array.isArray(value)) throw bad
  const [folder, isLeaf, key, own]: unknown[] = value
  if (typeof folder !== 'number' || typeof isLeaf !== 'number' || typeof key !== 'string' || typeof own !== 'string')
    throw bad
  return [folder, isLeaf, key, own]
}

/** The rows of a page, of which one more was asked for than it has. */
export function pageOf<Row extends Parameters<typeof positionOf>[0]>(rows: readonly Row[], limit: number) {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { rows: shown, next: rows.length > limit && last ? cursorOf(positionOf(last)) : null }
}
