import type { Database } from '../../db/database.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { Condition } from './filter.ts'
import { behind, type Order, type Place, sortKeys } from './position.ts'

/** So many rows are looked at in a step, which takes a millisecond or two however long the names are. */
const atOnce = 500

interface Looked extends Place {
  seq: number
  fits: number | null
}

/**
 * The numbers of so many rows that fit, behind a place and then behind so many that fit, in their order; looks no further
 * than it has to.
 */
export function* pageInSlices(
  db: Database,
  condition: Condition,
  order: Order,
  limit: number,
  offset: number,
  from: Place | null,
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
    if (rows.length === atOnce && end) last = end
    // Those without a date come last, and are no smaller than any.
    else if (order.dir === 'desc' && last?.k !== null) last = beforeUndated
    else return page
    yield
  }
}

const beforeUndated: Place = { k: null, id: '' }

function slice(db: Database, { sql, parameters }: Condition, order: Order, last: Place | null): Looked[] {
  const { sql: key, index } = sortKeys[order.by]
  const place = placed(key, order, last)
  return db
    .statement<Looked>(
      `SELECT seq, ${key} AS k, id, (${sql}) AS fits FROM devices INDEXED BY ${index} WHERE ${place.sql}
       ORDER BY ${key} ${order.dir}, devices.id LIMIT ${atOnce}`,
    )
    .all(...parameters, ...place.parameters)
}

/** As `behind`, so that the index begins there: of descending dates those that have one come first, then the others. */
function placed(key: string, order: Order, last: Place | null): Condition {
  if (order.dir === 'asc') return last ? behind(last, order) : { sql: '1', parameters: [] }
  if (!last) return { sql: `${key} IS NOT NULL`, parameters: [] }
  if (last.k === null) return behind(last, order)
  return { sql: `${key} <= +? AND (${key} < +? OR devices.id > +?)`, parameters: [last.k, last.k, last.id] }
}
