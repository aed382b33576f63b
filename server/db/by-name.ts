import { sql } from 'kysely'
import { nameOrder } from '../../shared/names.ts'
import type { Steps } from '../lib/pieces.ts'

/** For lists of names as people look them up; knows no index, so for those that are read and sorted as a whole. */
export const byName = (column: string) => sql<string>`name_order(${sql.ref(column)})`

/** The same for rows that are here: to have SQLite sort thousands of them takes twice as long. */
export const sortedByName = <Row extends { id: string; name: string }>(rows: readonly Row[]): Row[] =>
  rows
    .map((row) => ({ row, sortKey: nameOrder(row.name) }))
    .sort((a, b) => compare(a.sortKey, b.sortKey) || compare(a.row.id, b.row.id))
    .map(({ row }) => row)

/** The first so many of them, of rows that are too many to be sorted in one go. */
export function* firstByName<Row extends { id: string; name: string }>(
  rows: readonly Row[],
  limit: number,
): Steps<Row[]> {
  let found: Row[] = []
  for (let from = 0; from < rows.length; from += limit) {
    found = sortedByName([...found, ...rows.slice(from, from + limit)]).slice(0, limit)
    yield
  }
  return found
}

export const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** As COLLATE NOCASE compares: whatever the case of ASCII letters. */
export const compareCaseless = (a: string, b: string): number => compare(caseless(a), caseless(b))

const caseless = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
