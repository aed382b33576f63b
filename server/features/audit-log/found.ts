import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces } from '../../platform/pieces.ts'
import type { Wanted } from './filters.ts'
import { Walk } from './walk.ts'

/** What came of looking through the whole log once. */
interface Found {
  /** The newest event that was looked at. */
  upTo: number
  total: number
  /** Which ones, while they are few: whoever asks again need not look through the whole log for them. */
  few: number[] | null
}

const few = 1000
const maxKept = 200

/**
 * Looking for something rare takes a look at every event there is. The log only grows, so what was found stays, and the
 * next time only newer events are looked at.
 */
export class FoundEvents {
  readonly #db: Database
  readonly #found = new Map<string, Found>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Null when nobody has looked for it yet. */
  async known(wanted: Wanted, signal: AbortSignal): Promise<Found | null> {
    const key = this.#keyOf(wanted)
    const found = this.#found.get(key)
    if (!found) return null
    const upTo = this.#newest()
    const newer = upTo > found.upTo ? await this.#between(wanted, found.upTo, upTo, signal) : []
    return this.#keep(key, { upTo, total: found.total + newer.length, few: joined(found.few, newer) })
  }

  /** Looks through everything. */
  async all(wanted: Wanted, signal: AbortSignal): Promise<Found> {
    const key = this.#keyOf(wanted)
    const { seqs, upTo } = await this.#look(wanted, Number.POSITIVE_INFINITY, signal)
    return this.#keep(key, { upTo, total: seqs.length, few: joined([], seqs) })
  }

  /** The newest so many of those that match. Looks no further than it has to, and remembers when that was everywhere. */
  async newest(wanted: Wanted, most: number, signal: AbortSignal): Promise<number[]> {
    const key = this.#keyOf(wanted)
    const { seqs, upTo, isAll } = await this.#look(wanted, most, signal)
    if (isAll) this.#keep(key, { upTo, total: seqs.length, few: joined([], seqs) })
    return seqs.slice(0, most)
  }

  async #look(wanted: Wanted, most: number, signal: AbortSignal) {
    const upTo = this.#newest()
    const walk = new Walk(this.#db, wanted, upTo)
    const seqs: number[] = []
    const find = (matching: number[]) => {
      for (const seq of matching) seqs.push(seq)
      return seqs.length < most ? 'more' : 'enough'
    }
    await walk.run(signal, find, wanted.match ? undefined : most)
    return { seqs, upTo, isAll: walk.isOver }
  }

  #keep(key: string, found: Found): Found {
    // The one that was asked for last goes last.
    this.#found.delete(key)
    this.#found.set(key, found)
    if (this.#found.size > maxKept) this.#found.delete(this.#found.keys().next().value ?? '')
    return found
  }

  /** In the order in which they were written. */
  async #between({ ranges, match }: Wanted, after: number, upTo: number, signal: AbortSignal): Promise<number[]> {
    const inSight = sql.join(
      ranges.map(({ where }) => sql`(${where})`),
      sql` or `,
    )
    const matching: number[] = []
    let last = after
    await inPieces(signal, (most) => {
      const piece = sql`select seq, (${inSight}) and ${match ?? sql`1`} as hit from audit_logs
        where seq > ${last} and seq <= ${upTo} order by seq limit ${most}`.compile(q)
      const rows = this.#db.statement(piece.sql).raw().all(piece.parameters) as [number, number | null][]
      for (const [seq, hit] of rows) if (hit) matching.push(seq)
      last = rows.at(-1)?.[0] ?? last
      return rows.length
    })
    return matching
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
    return `${beginnings} ${all.sql} ${JSON.stringify(all.parameters)}`
  }
}

const joined = (known: number[] | null, more: number[]): number[] | null =>
  known === null || known.length + more.length > few ? null : [...known, ...more]
