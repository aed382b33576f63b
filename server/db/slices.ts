import type { Steps } from '../lib/pieces.ts'
import type { Database } from './database.ts'

/** So many rows are looked at in a step; that takes a millisecond or two however long the texts are. */
const rowsPerStep = 250

/** Counts the rows that fit, by looking at every one of the table. */
export function* countInSlices(
  db: Database,
  table: 'devices' | 'organizations',
  condition: { sql: string; parameters: readonly unknown[] },
): Steps<number> {
  const last = db.statement<number>(`SELECT coalesce(max(seq), 0) FROM ${table}`).pluck().get() ?? 0
  const some = db
    .statement<number>(`SELECT count(*) FROM ${table} WHERE seq > +? AND seq <= +? AND ${condition.sql}`)
    .pluck()
  let total = 0
  for (let from = 0; from < last; from += rowsPerStep) {
    total += some.get(from, from + rowsPerStep, ...condition.parameters) ?? 0
    yield
  }
  return total
}
