import type { Database } from '../db/database.ts'
import { q } from '../db/query.ts'
import { type Clock, iso, isoNow } from './clock.ts'
import { DueWork, retryPauseMs } from './due-work.ts'
import type { Log } from './log.ts'

interface Kind {
  deliver: (payload: never) => void | Promise<void>
  isWrite: boolean
}

/**
 * Effects that follow a commit. They are written with the change that causes them and delivered after it, again after
 * a failure, and after a crash.
 */
export class Outbox {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #kinds = new Map<string, Kind>()
  readonly #work: DueWork

  constructor(db: Database, clock: Clock, log: Log) {
    this.#db = db
    this.#clock = clock
    this.#log = log
    this.#work = new DueWork(
      clock,
      log,
      (stopping) => this.#deliverDue(stopping),
      () => this.#nextDueAt(),
    )
  }

  /** Delivered at least once, so it must bear repetition. */
  handle<Payload>(kind: string, deliver: (payload: Payload) => void | Promise<void>): void {
    this.#kinds.set(kind, { deliver, isWrite: false })
  }

  /** An effect that is nothing but writes: it is done and struck off in one transaction, so exactly once. */
  apply<Payload>(kind: string, write: (payload: Payload) => void): void {
    this.#kinds.set(kind, { deliver: write, isWrite: true })
  }

  /** Inside the transaction of the change. */
  add(kind: string, payload: object): void {
    const now = isoNow(this.#clock)
    this.#db.run(
      q.insertInto('outbox').values({ kind, payload: JSON.stringify(payload), next_attempt_at: now, created_at: now }),
    )
    this.#db.afterCommit(() => this.#work.wake())
  }

  start(): void {
    this.#work.start()
  }

  stop(): Promise<void> {
    return this.#work.stop()
  }

  async #deliverDue(stopping: AbortSignal): Promise<void> {
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
      if (due.length === 0 || stopping.aborted) return
      for (const row of due) await this.#deliver(row)
    }
  }

  async #deliver(row: { id: number; kind: string; payload: string; attempts: number }): Promise<void> {
    const { deliver, isWrite } = this.#kinds.get(row.kind) as Kind
    const payload = JSON.parse(row.payload) as never
    const strikeOff = () => void this.#db.run(q.deleteFrom('outbox').where('id', '=', row.id))
    try {
      if (isWrite)
        this.#db.transaction(() => {
          void deliver(payload)
          strikeOff()
        })
      else {
        await deliver(payload)
        strikeOff()
      }
    } catch (error) {
      const attempts = row.attempts + 1
      this.#log.warn(
        { err: error, kind: row.kind, attempts },
        'An effect could not be delivered; it will be tried again',
      )
      this.#db.run(
        q
          .updateTable('outbox')
          .set({
            attempts,
            next_attempt_at: iso(this.#clock.now() + retryPauseMs(attempts)),
            last_error: String(error).slice(0, 500),
          })
          .where('id', '=', row.id),
      )
    }
  }

  #nextDueAt(): string | null {
    const next = this.#db.first(
      q
        .selectFrom('outbox')
        .select('next_attempt_at')
        .where('kind', 'in', [...this.#kinds.keys()])
        .orderBy('next_attempt_at')
        .limit(1),
    )
    return next?.next_attempt_at ?? null
  }
}
