import { sql } from 'kysely'
import { nameOrder } from '../../shared/names.ts'

/** For lists of names as people look them up; knows no index, so for those that are read and sorted as a whole. */
export const byName = (column: string) => sql<string>`name_order(${sql.ref(column)})`

/** The same for rows that are here: to have SQLite sort thousands of them takes twice as long. */
export const sortedByName = <Row extends { id: string; name: string }>(rows: readonly Row[]): Row[] =>
  rows
    .map((row) => ({ row, place: nameOrder(row.name) }))
    .sort((a, b) => compare(a.place, b.place) || compare(a.row.id, b.row.id))
    .map(({ row }) => row)

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))
