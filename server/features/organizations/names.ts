import { type RawBuilder, sql } from 'kysely'
import type { CountCache } from '../../db/count-cache.ts'
import { isIndexed, literally, phrase } from '../../db/like.ts'
import { q } from '../../db/query.ts'

/** From how many matches on a list looks at each name on its way, instead of sorting all matches. */
const commonMatches = 500

/** Searching for a part of a name, whatever its case. */

export const nameContainsByIndex = (text: string): RawBuilder<boolean> =>
  sql`seq in (select rowid from organization_search where organization_search match ${phrase(text)})`

/** The same by looking at the name, where that finds the same: LIKE knows only the case of English letters. */
export function nameContains(text: string): RawBuilder<boolean> {
  if (isIndexed(text) && !isPlain(text)) return nameContainsByIndex(text)
  const spellings = new Set([text.toLowerCase(), text.toUpperCase()].slice(0, isPlain(text) ? 1 : 2))
  const like = [...spellings].map((spelling) => sql`name like ${`%${literally(spelling)}%`} escape '\\'`)
  return sql`(${sql.join(like, sql` or `)})`
}

const isPlain = (text: string) => /^\p{ASCII}*$/u.test(text)

/** How many names contain a text, hidden organizations included. */
export class Names {
  readonly #totals: CountCache

  constructor(totals: CountCache) {
    this.#totals = totals
  }

  count(text: string): number {
    const counted = isIndexed(text)
      ? sql`select count(*) as total from organization_search where organization_search match ${phrase(text)}`
      : sql`select count(*) as total from organizations where ${nameContains(text)}`
    return this.#totals.total(counted.compile(q))
  }

  /** So few that sorting them takes less than looking at names in the order of the list. */
  areFew(text: string): boolean {
    return isIndexed(text) && (!isPlain(text) || this.count(text) < commonMatches)
  }
}
