import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { beginSteps, inSteps, type Steps } from '../../lib/pieces.ts'
import type { Wanted } from './filters.ts'
import { Walk } from './walk.ts'

const few = 1000
/** So many newer events are looked at in a step: details may be long. */
const atOnce = 100
const maxSearches = 200

/** What came of looking through the whole log once: no more of it than is asked for again, however much it is. */
class Found {
  /** The newest event that was looked at. */
  readonly upTo: number
  total: number
  /** Which ones, while they are few: whoever asks again need not look through the whole log for them. */
  few: number[] | null

  constructor(upTo: number, { total, few }: Pick<Found, 'total' | 'few'> = { total: 0, few: [] }) {
    this.upTo = upTo
    this.total = total
    this.few = few && [...few]
  }

  add(seq: number): void {
    this.total++
    if (this.total > few) this.few = null
    this.few?.push(seq)
  }
}

/**
 * Looking for something rare takes a look at every event there is. The log only grows, so what was found stays, and the
 * next time only newer events are looked at.
 */
export class FoundEvents {
  readonly #db: Database
  readonly #found = new LRUCache<string, Found>({ max: maxSearches })

  constructor(db: Database) {
    this.#db = db
  }

  /** Null when nobody has looked for it yet. */
  async known(wanted: Wanted, signal: AbortSignal): Promise<Found | null> {
    const key = this.#keyOf(wanted)
    const found = this.#found.get(key)
    if (!found) return null
    const now = new Found(this.#newest(), found)
    if (now.upTo > found.upTo) await this.#addNewer(now, wanted, found.upTo, signal)
    return this.#keep(key, now)
  }

  /** Looks through everything. */
  async all(wanted: Wanted, signal: AbortSignal): Promise<Found> {
    const key = this.#keyOf(wanted)
    const found = new Found(this.#newest())
    await new Walk(this.#db, wanted, found.upTo).run(signal, (matching) => {
      for (const seq of matching) found.add(seq)
      return 'more'
    })
    return this.#keep(key, found)
  }

  /**
   * So many of those that match, newest first, behind so many newer ones. Looks no further than it has to, and remembers
   * when that was everywhere.
   */
  async page(wanted: Wanted, offset: number, limit: number, signal: AbortSignal): Promise<number[]> {
    const key = this.#keyOf(wanted)
    const found = new Found(this.#newest())
    const walk = new Walk(this.#db, wanted, found.upTo)
    const page: number[] = []
    const find = (matching: number[]) => {
      for (const seq of matching) {
        if (found.total >= offset && page.length < limit) page.push(seq)
        found.add(seq)
      }
      return page.length < limit ? 'more' : 'enough'
    }
    await walk.run(signal, find, wanted.match ? undefined : offset + limit)
    if (walk.isOver) this.#keep(key, found)
    return page
  }

  #keep(key: string, found: Found): Found {
    this.#found.set(key, found)
    return found
  }

  /** In the order in which they were written. */
  async #addNewer(found: Found, { ranges, match }: Wanted, after: number, signal: AbortSignal): Promise<void> {
    const inSight = sql.join(
      ranges.map(({ where }) => sql`(${where})`),
      sql` or `,
    )
    const { sql: select, parameters } = sql`select seq, (${inSight}) and ${match ?? sql`1`} as hit from audit_logs
      where seq > +@last and seq <= ${found.upTo} order by seq limit ${atOnce}`.compile(q)
    const some = this.#db.statement(select).raw()
    const steps = function* (): Steps<void> {
      for (let last: number | undefined = after; last !== undefined; ) {
        const rows = some.all(parameters, { last }) as [number, number | null][]
        for (const [seq, hit] of rows) if (hit) found.add(seq)
        last = rows.at(-1)?.[0]
        yield
      }
    }
    await beginSteps(steps(), (rest) => inSteps(signal, rest))
  }

  #newest(): number {
    return (this.#db.statement('SELECT max(seq) FROM audit_logs').pluck().get() as number | null) ?? 0
  }

  /**
   * Events go with their organization, or when their time is over. Either changes where a chain begins, and what was
   * found until then, or is being looked for meanwhile, is found no more.
   */
  #keyOf({ ranges, match }: Wanted): string {
    const beginnings = this.#db.statement("SELECT count(*) || ' ' || total(first_seq) FROM audit_chains").pluck().get()
    const all = sql`${sql.join(ranges.map(({ where }) => where))} ${match ?? sql`1`}`.compile(q)
    // Of organizations that somebody sees there may be thousands, and each is named.
    return `${beginnings} ${hash('sha256', `${all.sql} ${JSON.stringify(all.parameters)}`)}`
  }
}
