import type { Database } from '../db/database.ts'
import { q } from '../db/query.ts'
import { type Clock, hour, iso, isoNow, second } from './clock.ts'
import type { Log } from './log.ts'

type Deliver = (payload: never) => void | Promise<void>

/**
 * Effects that follow a commit. They are written with the change that causes them and delivered after it, again after
 * a failure, and after a crash: at least once, so a delivery must bear repetition.
 */
export class Outbox {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #kinds = new Map<string, Deliver>()
  #timer: NodeJS.Timeout | null = null
  #delivering: Promise<void> | null = null
  #isStopped = true

  constructor(db: Database, clock: Clock, log: Log) {
    this.#db = db
    this.#clock = clock
    this.#log = log
  }

  handle<Payload>(kind: string, deliver: (payload: Payload) => void | Promise<void>): void {
    this.#kinds.set(kind, deliver as Deliver)
  }

  /** Inside the transaction of the change. */
  add(kind: string, payload: object): void {
    const now = isoNow(this.#clock)
    this.#db.run(
      q.insertInto('outbox').values({ kind, payload: JSON.stringify(payload), next_attempt_at: now, created_at: now }),
    )
    this.#db.afterCommit(() => this.#wake(0))
  }

  start(): void {
    this.#isStopped = false
    this.#wake(0)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.#delivering
  }

  #wake(afterMs: number): void {
    if (this.#isStopped) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#delivering ??= this.#deliverDue().finally(() => {
        this.#delivering = null
        this.#sleepUntilNext()
      })
    }, afterMs)
  }

  async #deliverDue(): Promise<void> {
    for (;;) {
      const due = this.#db.all(
        q
          .selectFrom('outbox')
          .selectAll()
          .where('next_attempt_at', '<=', isoNow(this.#clock))
          .where('kind', 'in', [...this.#kinds.keys()])
          .orderBy('id')
          .limit(50),
      )
      if (due.length === 0 || this.#isStopped) return
      for (const row of due) await this.#deliver(row)
    }
  }

  async #deliver(row: { id: number; kind: string; payload: string; attempts: number }): Promise<void> {
    try {
      await this.#kinds.get(row.kind)?.(JSON.parse(row.payload) as never)
      this.#db.run(q.deleteFrom('outbox').where('id', '=', row.id))
    } catch (error) {
      const attempts = row.attempts + 1
      const waitMs = Math.min(hour, 5 * second * 2 ** (attempts - 1))
      this.#log.warn(
        { err: error, kind: row.kind, attempts },
        'An effect could not be delivered; it will be tried again',
      )
      this.#db.run(
        q
          .updateTable('outbox')
          .set({ attempts, next_attempt_at: iso(this.#clock.now() + waitMs), last_error: String(error).slice(0, 500) })
          .where('id', '=', row.id),
      )
    }
  }

  #sleepUntilNext(): void {
    if (this.#isStopped) return
    const next = this.#db.first(
      q
        .selectFrom('outbox')
        .select('next_attempt_at')
        .where('kind', 'in', [...this.#kinds.keys()])
        .orderBy('next_attempt_at')
        .limit(1),
    )
    if (next) this.#wake(Math.min(hour, Math.max(100, Date.parse(next.next_attempt_at) - this.#clock.now())))
  }
}
