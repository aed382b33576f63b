import type { Database } from '../../db/database.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { Condition } from './condition.ts'
import type { Slice } from './device-query.ts'
import { after, type ListPosition, type Order, sortKeys } from './position.ts'

/** Rows tested in one step; that takes a millisecond or two however long their texts are. */
const rowsPerSlice = 250

interface ScannedRow extends ListPosition {
  seq: number
  fits: number | null
}

/** Those of the devices that fit, up to a limit, tested so many at a time. */
export function* fittingInSlices(
  db: Database,
  seqs: readonly number[],
  { sql, parameters }: Condition,
  limit = Number.POSITIVE_INFINITY,
): Steps<number[]> {
  const test = db.statement<number>(`SELECT seq FROM devices WHERE seq IN (SELECT value FROM json_each(?)) AND ${sql}`)
  const fitting: number[] = []
  for (let from = 0; from < seqs.length && fitting.length < limit; from += rowsPerSlice) {
    const some = JSON.stringify(seqs.slice(from, from + rowsPerSlice))
    for (const seq of test.pluck().all(some, ...parameters)) if (fitting.length < limit) fitting.push(seq)
    yield
  }
  return fitting
}

/**
 * The `seq` of a page of matching rows, in the order of the list. Tests each row on the way and stops as soon as the page is full.
 */
export function* pageInSlices(
  db: Database,
  condition: Condition,
  order: Order,
  { limit, offset, from }: Slice,
): Steps<number[]> {
  const page: number[] = []
  let toSkip = offset
  for (let last = from; ; ) {
    const rows = slice(db, condition, order, last)
    for (const { seq, fits } of rows) {
      if (!fits) continue
      if (toSkip > 0) toSkip--
      else if (page.push(seq) === limit) return page
    }
    const end = rows.at(-1)
    if (rows.length === rowsPerSlice && end) last = end
    // Those without a date come last, and are no smaller than any.
    else if (order.dir === 'desc' && last?.k !== null) last = beforeUndated
    else return page
    yield
  }
}

const beforeUndated: ListPosition = { k: null, id: '' }

function slice(db: Database, { sql, parameters }: Condition, order: Order, last: ListPosition | null): ScannedRow[] {
  const { sql: key, index } = sortKeys[order.by]
  const position = startOf(key, order, last)
  return db
    .statement<ScannedRow>(
      `SELECT seq, ${key} AS k, id, (${sql}) AS fits FROM devices INDEXED BY ${index} WHERE ${position.sql}
       ORDER BY ${key} ${order.dir}, devices.id LIMIT ${rowsPerSlice}`,
    )
    .all(...parameters, ...position.parameters)
}

/** As `after`, so that the index begins there: of descending dates those that have one come first, then the others. */
function startOf(key: string, order: Order, last: ListPosition | null): Condition {
  if (order.dir === 'asc') return last ? after(last, order) : { sql: '1', parameters: [] }
  if (!last) return { sql: `${key} IS NOT NULL`, parameters: [] }
  if (last.k === null) return after(last, order)
  return { sql: `${key} <= +? AND (${key} < +? OR devices.id > +?)`, parameters: [last.k, last.k, last.id] }
}
