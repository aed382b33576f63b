import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces } from '../../platform/pieces.ts'
import type { Wanted } from './filters.ts'

/** Looking at so many events takes no longer than answering with a page of them. */
const atOnce = 1000

/** A way through the log, newest first, a piece at a time: what lies behind the piece has not been looked at. */
export class Walk {
  readonly #db: Database
  readonly #wanted: Wanted
  readonly #isOld: RawBuilder<boolean>
  #last: { timestamp: string; id: string } | null = null
  #isOver = false

  /** `upTo`: leaves out what was written after this event. */
  constructor(db: Database, wanted: Wanted, upTo?: number) {
    this.#db = db
    this.#wanted = wanted
    this.#isOld = upTo === undefined ? sql`1` : sql`seq <= ${upTo}`
  }

  /** Nothing is left to look at. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Looks at so many events at most; tells which of them match. */
  next(most: number): number[] {
    const { match, ranges } = this.#wanted
    const hit = match ?? sql`1`
    const parts = ranges.map(
      ({ index, where }) =>
        sql`select seq, timestamp, id, ${hit} as hit from audit_logs indexed by ${sql.ref(index)}
          where ${where} and ${this.#isOld} and ${this.#isBehind()}`,
    )
    const piece = sql<[number, number]>`select seq, hit from (${sql.join(parts, sql` union all `)}
      order by timestamp desc, id desc limit ${most})`.compile(q)
    const rows = this.#db.statement(piece.sql).raw().all(piece.parameters) as [number, number | null][]
    this.#isOver = rows.length < most
    const last = rows.at(-1)
    if (last) this.#last = this.#placeOf(last[0])
    return rows.flatMap(([seq, isHit]) => (isHit ? [seq] : []))
  }

  /** Goes on until `find` has had enough or nothing is left, and leaves the event loop free in between. */
  async run(signal: AbortSignal, find: (matching: number[]) => 'more' | 'enough', first = atOnce): Promise<void> {
    const isDone = (most: number) => find(this.next(most)) === 'enough' || this.#isOver
    if (isDone(Math.min(first, atOnce))) return
    await inPieces(signal, (most) => (isDone(most) ? 0 : most))
  }

  #isBehind(): RawBuilder<unknown> {
    return this.#last ? sql`(timestamp, id) < (${this.#last.timestamp}, ${this.#last.id})` : sql`1`
  }

  #placeOf(seq: number) {
    const place = q.selectFrom('audit_logs').select(['timestamp', 'id']).where('seq', '=', seq)
    return this.#db.first(place) ?? null
  }
}
