import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { beginSteps, inSteps, type Steps } from '../../lib/pieces.ts'
import type { EventQuery } from './filters.ts'

/** Scanning so many events takes no longer than returning a page of them. */
const eventsPerStep = 1000
/** The same where each event is searched for a text: details may be long. */
const searchedEventsPerStep = 100

/** Number of an event, and whether it matches. */
export type ScannedEvent = [seq: number, isHit: number | null]

/** Is given the numbers of the events of a step that match, and how many events were scanned at most. */
type OnMatches = (matching: number[], scanned: number) => 'more' | 'enough'

interface EventPosition {
  timestamp: string
  id: string
}

/** Scans the log, newest event first, some events in each step. */
export class LogScan {
  readonly #db: Database
  readonly #isSearch: boolean
  readonly #firstStep: Select
  readonly #nextStep: Select
  #last: EventPosition | null = null
  #isOver = false

  /** @param upTo number of the newest event to scan; without it all events are */
  constructor(db: Database, query: EventQuery, upTo?: number) {
    this.#db = db
    this.#isSearch = query.match !== null
    const isOld = upTo === undefined ? sql<boolean>`1` : sql<boolean>`seq <= ${upTo}`
    this.#firstStep = selectOf(query, isOld)
    this.#nextStep = selectOf(query, sql`${isOld} and (timestamp, id) < (+@timestamp, +@id)`)
  }

  /** No events are left to scan. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** The same as `scan`, where the caller takes the steps. */
  *steps(onMatches: OnMatches, limit = eventsPerStep): Steps<void> {
    const count = Math.min(limit, this.#isSearch ? searchedEventsPerStep : eventsPerStep)
    while (onMatches(this.#next(count), count) === 'more' && !this.#isOver) yield
  }

  /**
   * Goes on until `onMatches` returns `enough` or no events are left. Other requests are served between the steps.
   * @param limit the largest number of events in a step
   */
  async scan(signal: AbortSignal, onMatches: OnMatches, limit = eventsPerStep): Promise<void> {
    await beginSteps(this.steps(onMatches, limit), (rest) => inSteps(signal, rest))
  }

  /** Scans at most `limit` events, and returns the numbers of those that match. */
  #next(limit: number): number[] {
    const { sql: select, parameters } = this.#last ? this.#nextStep : this.#firstStep
    const named = { ...this.#last, limit }
    const rows = this.#db.statement<ScannedEvent>(select).raw().all(parameters, named)
    this.#isOver = rows.length < limit
    const last = rows.at(-1)
    if (last) this.#last = this.#positionOf(last[0])
    return rows.flatMap(([seq, isHit]) => (isHit ? [seq] : []))
  }

  #positionOf(seq: number): EventPosition {
    return this.#db.one(q.selectFrom('audit_logs').select(['timestamp', 'id']).where('seq', '=', seq))
  }
}

interface Select {
  sql: string
  parameters: readonly unknown[]
}

/** Built once for all steps: limit and position are bound by name. */
function selectOf({ match, ranges }: EventQuery, where: RawBuilder<boolean>): Select {
  const hit = match ?? sql`1`
  const parts = ranges.map(
    (range) =>
      sql`select seq, timestamp, id, ${hit} as hit from audit_logs indexed by ${sql.ref(range.index)}
        where ${range.where} and ${where}`,
  )
  return sql`select seq, hit from (${sql.join(parts, sql` union all `)}
    order by timestamp desc, id desc limit +@limit)`.compile(q)
}
