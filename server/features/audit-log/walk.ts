import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { beginSteps, inSteps, type Steps } from '../../lib/pieces.ts'
import type { Wanted } from './filters.ts'

/** Looking at so many events takes no longer than answering with a page of them. */
const atOnce = 1000
/** The same where a text is looked for in each: details may be long. */
const searchedAtOnce = 100

/** Told which events of a piece match, and how many it may have had. */
type Find = (matching: number[], looked: number) => 'more' | 'enough'

interface Place {
  timestamp: string
  id: string
}

/** A way through the log, newest first, a piece at a time: what lies behind the piece has not been looked at. */
export class Walk {
  readonly #db: Database
  readonly #isSearch: boolean
  readonly #first: Select
  readonly #behind: Select
  #last: Place | null = null
  #isOver = false

  /** `upTo`: leaves out what was written after this event. */
  constructor(db: Database, wanted: Wanted, upTo?: number) {
    this.#db = db
    this.#isSearch = wanted.match !== null
    const isOld = upTo === undefined ? sql<boolean>`1` : sql<boolean>`seq <= ${upTo}`
    this.#first = selectOf(wanted, isOld)
    this.#behind = selectOf(wanted, sql`${isOld} and (timestamp, id) < (+@timestamp, +@id)`)
  }

  /** Nothing is left to look at. */
  get isOver(): boolean {
    return this.#isOver
  }

  *#steps(find: Find, most: number): Steps<void> {
    const some = Math.min(most, this.#isSearch ? searchedAtOnce : atOnce)
    while (find(this.#next(some), some) === 'more' && !this.#isOver) yield
  }

  /**
   * Goes on until `find` has had enough or nothing is left, and leaves the event loop free in between. No more than `most`
   * are looked at in a step.
   */
  async run(signal: AbortSignal, find: Find, most = atOnce): Promise<void> {
    await beginSteps(this.#steps(find, most), (rest) => inSteps(signal, rest))
  }

  /** Looks at so many events at most; tells which of them match. */
  #next(most: number): number[] {
    const { sql: select, parameters } = this.#last ? this.#behind : this.#first
    const named = { ...this.#last, most }
    const rows = this.#db.statement(select).raw().all(parameters, named) as [number, number | null][]
    this.#isOver = rows.length < most
    const last = rows.at(-1)
    if (last) this.#last = this.#placeOf(last[0])
    return rows.flatMap(([seq, isHit]) => (isHit ? [seq] : []))
  }

  #placeOf(seq: number): Place {
    return this.#db.statement('SELECT timestamp, id FROM audit_logs WHERE seq = ?').get(seq) as Place
  }
}

interface Select {
  sql: string
  parameters: readonly unknown[]
}

/** Built once for all pieces: their number and where they begin are bound by name. */
function selectOf({ match, ranges }: Wanted, where: RawBuilder<boolean>): Select {
  const hit = match ?? sql`1`
  const parts = ranges.map(
    (range) =>
      sql`select seq, timestamp, id, ${hit} as hit from audit_logs indexed by ${sql.ref(range.index)}
        where ${range.where} and ${where}`,
  )
  return sql`select seq, hit from (${sql.join(parts, sql` union all `)}
    order by timestamp desc, id desc limit +@most)`.compile(q)
}
