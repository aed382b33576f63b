import { type RawBuilder, sql } from 'kysely'
import type { Steps } from '../lib/pieces.ts'
import type { Database } from './database.ts'
import { contains, folded } from './like.ts'
import { q } from './query.ts'

/** A table whose rows people look up by a name. */
export interface Named {
  table: 'contacts' | 'devices' | 'organizations' | 'sites' | 'users'
  /** What a row is called, the most important first, and the index that is in this order, and then of ids. */
  names: readonly { column: string; index: string; isLowerCase?: true }[]
  /** Which rows may be found. */
  where: RawBuilder<boolean>
}

/** Rows looked at in one step; that takes a millisecond or two however long their names are. */
const rowsPerStep = 500

interface Shown {
  id: string
  name: string | null
  email?: string | null
}

/** The best matches: names that begin with the text before those that have it anywhere. `read` gets the rows of ids. */
export function* bestNamed<Row extends Shown>(
  db: Database,
  named: Named,
  text: string,
  limit: number,
  read: (ids: readonly string[]) => Row[],
): Steps<Row[]> {
  const ids = new Set(yield* beginningWith(db, named, text, limit))
  if (ids.size < limit) for (const id of yield* containing(db, named, text, limit + ids.size)) ids.add(id)
  return bestFirst(inOrderOf(ids, read([...ids])), text).slice(0, limit)
}

/** The rows in the order of their ids. */
export function inOrderOf<Row extends { id: string }>(ids: Iterable<string>, rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return [...ids].flatMap((id) => byId.get(id) ?? [])
}

/** Ids of rows with a name that begins with the text, in the order of the names: what is called just so comes first. */
export function* beginningWith(db: Database, named: Named, text: string, limit: number): Steps<string[]> {
  const found = new Set<string>()
  for (const name of named.names) {
    const first = name.isLowerCase ? text.toLowerCase() : text
    for (let last: NamedRow | undefined = { name: first, id: '' }; last && found.size < limit; ) {
      const some: NamedRow[] = nextByName(db, named, name, last, `${first}\u{10ffff}`)
      for (const { id, isFound } of some) if (isFound && found.size < limit) found.add(id)
      last = some.length < rowsPerStep ? undefined : some.at(-1)
      yield
    }
  }
  return [...found]
}

interface NamedRow {
  id: string
  name: string
  isFound?: number | null
}

/** Two ranges of the index: with an `or` SQLite would read all rows of the same name again. */
function nextByName(db: Database, { table, where }: Named, name: Named['names'][number], last: NamedRow, end: string) {
  const column = name.isLowerCase ? sql.ref(name.column) : sql`${sql.ref(name.column)} collate nocase`
  const range = (isWithin: RawBuilder<unknown>) => sql`select * from (
    select id, ${sql.ref(name.column)} as name, (${where}) as isFound from ${sql.table(table)} indexed by ${sql.raw(name.index)}
    where ${sql.ref(name.column)} is not null and ${isWithin} order by ${column}, id limit ${rowsPerStep})`
  const same = range(sql`${column} = ${last.name} and id > ${last.id}`)
  const next = range(sql`${column} > ${last.name} and ${column} < ${end}`)
  return rowsOf<NamedRow>(db, sql`${same} union all ${next} limit ${rowsPerStep}`)
}

/** The same for names with the text anywhere, in the order in which the rows came to be. */
function* containing(db: Database, named: Named, text: string, limit: number): Steps<string[]> {
  const end = rowsOf<{ end: number | null }>(db, sql`select max(rowid) as end from ${sql.table(named.table)}`)[0]?.end
  const fits = sql.join(
    named.names.map(({ column }) => contains(sql.ref(column), text)),
    sql` or `,
  )
  const found: string[] = []
  for (let from = 0; from < (end ?? 0) && found.length < limit; from += rowsPerStep) {
    const some = rowsOf<{ id: string }>(
      db,
      sql`select id from ${sql.table(named.table)} where rowid > ${from} and rowid <= ${from + rowsPerStep}
        and (${fits}) and ${named.where} order by rowid limit ${limit - found.length}`,
    )
    for (const { id } of some) found.push(id)
    yield
  }
  return found
}

const rowsOf = <Row>(db: Database, select: RawBuilder<unknown>): Row[] => {
  const { sql: text, parameters } = select.compile(q)
  return db.statement<Row>(text).all(parameters)
}

/** How well a text fits a name; the smaller the better. */
export const fit = { isName: 0, beginsName: 1, beginsWord: 2, within: 3, elsewhere: 4 }

export function fitOf(name: string | null, text: string): number {
  const [all, wanted] = [folded(name ?? ''), folded(text)]
  if (!all.includes(wanted)) return fit.elsewhere
  if (all === wanted) return fit.isName
  if (all.startsWith(wanted)) return fit.beginsName
  for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, at + 1))
    if (!/[\p{L}\p{N}]/u.test(all.charAt(at - 1))) return fit.beginsWord
  return fit.within
}

/** Those whose name or email fits best first, and otherwise in their order. */
export function bestFirst<Row extends Omit<Shown, 'id'>>(rows: readonly Row[], text: string): Row[] {
  const fits = ({ name, email = null }: Row) => Math.min(fitOf(name, text), fitOf(email, text))
  return sortedBy(rows, fits)
}

export const sortedBy = <Row>(rows: readonly Row[], keyOf: (row: Row) => number): Row[] =>
  rows
    .map((row) => ({ row, key: keyOf(row) }))
    .sort((one, other) => one.key - other.key)
    .map(({ row }) => row)
