import { type RawBuilder, sql } from 'kysely'
import type { CountCache } from '../../db/count-cache.ts'
import type { Database } from '../../db/database.ts'
import { contains, isIndexed, phraseOf, trigramsOf } from '../../db/like.ts'
import { q } from '../../db/query.ts'
import type { Steps } from '../../lib/pieces.ts'

/** From how many matches on a list looks at each name on its way, instead of sorting all matches. */
const commonMatches = 500
/** Names counted in one step; that takes a millisecond or two however long they are. */
const namesPerStep = 500

/** Searching for a part of a name, whatever its case. */

/** By looking at each name. */
export const nameContains = (text: string): RawBuilder<boolean> => contains(sql.ref('name'), text)

/** The same by an index first; for texts that few names contain. */
export const nameContainsByIndex = (text: string): RawBuilder<boolean> =>
  sql`(seq in (select rowid from organization_search where organization_search match ${trigramsOf(text)})
    and ${nameContains(text)})`

/** Counts, hidden organizations included. */
export class Names {
  readonly #db: Database
  readonly #totals: CountCache

  constructor(db: Database, totals: CountCache) {
    this.#db = db
    this.#totals = totals
  }

  /** So few names may contain a text that sorting them takes less than looking at names in the order of the list. */
  areFew(text: string): boolean {
    if (!isIndexed(text)) return false
    const some = sql`select 1 from organization_search where organization_search match ${trigramsOf(text)}
      limit ${commonMatches}`
    return this.#totals.total(sql`select count(*) as total from (${some})`.compile(q)) < commonMatches
  }

  /** How many names contain a text of three characters or more. */
  count(text: string): Steps<number> {
    const counting = { sql: 'names that contain', parameters: [text] }
    return this.#totals.counted(counting, () => this.#countInSlices(text))
  }

  *#countInSlices(text: string): Steps<number> {
    const { match, isExact } = phraseOf(text)
    const last = this.#db.statement<number>('SELECT coalesce(max(seq), 0) FROM organizations').pluck().get() ?? 0
    let total = 0
    for (let from = 0; from < last; from += namesPerStep) {
      const found = sql`select rowid from organization_search
        where organization_search match ${match} and rowid > ${from} and rowid <= ${from + namesPerStep}`
      const counted = isExact
        ? sql`select count(*) as total from (${found})`
        : sql`select count(*) as total from organizations where seq in (${found}) and ${nameContains(text)}`
      const { sql: select, parameters } = counted.compile(q)
      total += this.#db.statement<{ total: number }>(select).get(parameters)?.total ?? 0
      yield
    }
    return total
  }
}
