import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { beginSteps, inSteps, type Steps } from '../../lib/pieces.ts'
import type { EventQuery } from './filters.ts'
import { LogScan, type ScannedEvent } from './log-scan.ts'

const maxCachedSeqs = 1000
/** Details may be long, so few newer events are scanned in a step. */
const eventsPerStep = 100
const maxSearches = 200

/** The result of a search through the whole log. */
class SearchResult {
  /** The number of the newest event that was scanned. */
  readonly upTo: number
  total: number
  /** Numbers of the events found, in no particular order; null where there are more than are cached. */
  seqs: number[] | null

  constructor(upTo: number, { total, seqs }: Pick<SearchResult, 'total' | 'seqs'> = { total: 0, seqs: [] }) {
    this.upTo = upTo
    this.total = total
    this.seqs = seqs && [...seqs]
  }

  add(seq: number): void {
    this.total++
    if (this.total > maxCachedSeqs) this.seqs = null
    this.seqs?.push(seq)
  }
}

/**
 * A search for something rare scans every event of the log. The log only grows, so results are cached, and when the search
 * is repeated only newer events are scanned.
 */
export class SearchCache {
  readonly #db: Database
  readonly #results = new LRUCache<string, SearchResult>({ max: maxSearches })

  constructor(db: Database) {
    this.#db = db
  }

  /** The cached result of a search, brought up to date; null where there is none. */
  async cached(query: EventQuery, signal: AbortSignal): Promise<SearchResult | null> {
    const key = this.#keyOf(query)
    const former = this.#results.get(key)
    if (!former) return null
    const result = new SearchResult(this.#newest(), former)
    if (result.upTo > former.upTo) await this.#addNewer(result, query, former.upTo, signal)
    return this.#store(key, result)
  }

  /** Scans the whole log, and caches the result. */
  async searchAll(query: EventQuery, signal: AbortSignal): Promise<SearchResult> {
    const key = this.#keyOf(query)
    const result = new SearchResult(this.#newest())
    await new LogScan(this.#db, query, result.upTo).scan(signal, (matching) => {
      for (const seq of matching) result.add(seq)
      return 'more'
    })
    return this.#store(key, result)
  }

  /**
   * The numbers of `limit` matching events, newest first, after the newest `offset` ones. Scans only as far as needed, and
   * caches the result where that was the whole log.
   */
  async page(query: EventQuery, offset: number, limit: number, signal: AbortSignal): Promise<number[]> {
    const page: number[] = []
    let before = 0
    const collect = (matching: number[]) => {
      for (const seq of matching) if (before++ >= offset && page.length < limit) page.push(seq)
      return page.length < limit ? 'more' : 'enough'
    }
    await this.walk(query, collect, signal, query.match ? undefined : offset + limit)
    return page
  }

  /**
   * Gives `onMatches` the numbers of matching events, newest first and some at a time, until it has enough. Caches the
   * result where that was the whole log.
   * @param limit the largest number of events in a step
   */
  async walk(
    query: EventQuery,
    onMatches: (matching: number[]) => 'more' | 'enough',
    signal: AbortSignal,
    limit?: number,
  ): Promise<void> {
    const key = this.#keyOf(query)
    const result = new SearchResult(this.#newest())
    const log = new LogScan(this.#db, query, result.upTo)
    const collect = (matching: number[]) => {
      for (const seq of matching) result.add(seq)
      return onMatches(matching)
    }
    await log.scan(signal, collect, limit)
    if (log.isOver) this.#store(key, result)
  }

  #store(key: string, result: SearchResult): SearchResult {
    this.#results.set(key, result)
    return result
  }

  /** Adds matching events after number `after`, in the order in which they were written. */
  async #addNewer(
    result: SearchResult,
    { ranges, match }: EventQuery,
    after: number,
    signal: AbortSignal,
  ): Promise<void> {
    const isVisible = sql.join(
      ranges.map(({ where }) => sql`(${where})`),
      sql` or `,
    )
    const { sql: select, parameters } = sql`select seq, (${isVisible}) and ${match ?? sql`1`} as hit from audit_logs
      where seq > +@last and seq <= ${result.upTo} order by seq limit ${eventsPerStep}`.compile(q)
    const newer = this.#db.statement<ScannedEvent>(select).raw()
    const steps = function* (): Steps<void> {
      for (let last: number | undefined = after; last !== undefined; ) {
        const rows = newer.all(parameters, { last })
        for (const [seq, isHit] of rows) if (isHit) result.add(seq)
        last = rows.at(-1)?.[0]
        yield
      }
    }
    await beginSteps(steps(), (rest) => inSteps(signal, rest))
  }

  #newest(): number {
    return this.#db.statement<number | null>('SELECT max(seq) FROM audit_logs').pluck().get() ?? 0
  }

  /**
   * The key of a search. Events are removed with their organization, and by the retention. Both change where a chain
   * begins, and with it the key: results from before are not used any more.
   */
  #keyOf({ ranges, match }: EventQuery): string {
    const beginnings = this.#db.statement("SELECT count(*) || ' ' || total(first_seq) FROM audit_chains").pluck().get()
    const all = sql`${sql.join(ranges.map(({ where }) => where))} ${match ?? sql`1`}`.compile(q)
    // Hashed, because it may name thousands of organizations.
    return `${beginnings} ${hash('sha256', `${all.sql} ${JSON.stringify(all.parameters)}`)}`
  }
}
