import type { Database } from '../../db/database.ts'
import { type Clock, iso, isoNow } from '../clock.ts'
import type { Log } from '../log.ts'
import { retryPauseMs } from './backoff.ts'
import { type RegisteredKind, usualAttempts } from './registered-kind.ts'
import type { EndedBy } from './run.ts'
import type { Ending, TaskStore } from './store.ts'
import { TaskFailure, type TaskRow } from './task.ts'

export type Outcome = { result: unknown } | { error: unknown }

const unexpected = 'internal_error'
const interrupted = 'The appliance stopped in the middle of it again and again'

interface EndingsOptions {
  db: Database
  clock: Clock
  log: Log
  store: TaskStore
  /** After the commit. */
  onChange: (id: string) => void
}

/** Decides and saves what follows an attempt. Every method joins the transaction under way. */
export class Endings {
  readonly #options: EndingsOptions

  constructor(options: EndingsOptions) {
    this.#options = options
  }

  /** After an attempt is over; `endedBy` is why it was aborted, if it was. */
  save(row: TaskRow, kind: RegisteredKind, endedBy: EndedBy | null, outcome: Outcome): void {
    if ('result' in outcome) this.#complete(row, kind, outcome.result)
    else if (endedBy === 'stop') this.#end(row, kind, { state: 'waiting', dueAt: isoNow(this.#options.clock) })
    else if (endedBy === 'cancel') this.#end(row, kind, { state: 'cancelled' })
    else if (endedBy === 'deadline') this.#end(row, kind, { state: 'expired' })
    else if (endedBy !== 'lost lease')
      this.#fail(row, kind, endedBy === 'attempt limit' ? tooLong(outcome.error) : outcome.error)
  }

  /** After an attempt was interrupted: it is made again, at once or after a pause. */
  takeOver(row: TaskRow, kind: RegisteredKind, pauses: boolean): void {
    const { clock, log } = this.#options
    if (row.cancel_requested) {
      this.#end(row, kind, { state: 'cancelled' })
      return
    }
    const isLast = row.attempts >= Math.max(kind.attempts, usualAttempts)
    log.warn({ task: row.id, kind: kind.name, attempts: row.attempts, isLast }, 'A task was interrupted')
    const dueAt = iso(clock.now() + (pauses ? retryPauseMs(row.attempts) : 0))
    this.#end(row, kind, isLast ? { state: 'failed', error: interrupted } : { state: 'waiting', dueAt })
  }

  /** Ends a waiting task. */
  giveUp(row: TaskRow, state: 'cancelled' | 'expired'): void {
    const { db, store, onChange } = this.#options
    if (store.end(row, { state })) db.afterCommit(() => onChange(row.id))
  }

  #complete(row: TaskRow, kind: RegisteredKind, result: unknown): void {
    const { db, store, onChange } = this.#options
    if (kind.keepMs > 0) this.#end(row, kind, { state: 'completed', result: JSON.stringify(result) ?? null })
    else if (store.endAndForget(row)) db.afterCommit(() => onChange(row.id))
  }

  #fail(row: TaskRow, kind: RegisteredKind, error: unknown): void {
    const { clock, log } = this.#options
    const { attempts } = row
    const isWorded = error instanceof TaskFailure
    const reason = isWorded ? error.message : unexpected
    const isLast = attempts >= kind.attempts || (isWorded && error.isFinal)
    const about = { task: row.id, kind: kind.name, attempts, isLast }
    if (isWorded) log.warn({ ...about, reason }, 'A task failed')
    else log.error({ ...about, err: error }, 'A task failed')
    const dueAt = iso(clock.now() + retryPauseMs(attempts))
    this.#end(row, kind, isLast ? { state: 'failed', error: reason } : { state: 'waiting', dueAt, error: reason })
  }

  #end(row: TaskRow, kind: RegisteredKind, ending: Ending): void {
    const { db, store, onChange } = this.#options
    if (!store.end(row, ending)) return
    if (ending.state === 'failed') kind.onFailed({ ...row, state: 'failed', error: ending.error }, ending.error)
    db.afterCommit(() => onChange(row.id))
  }
}

const tooLong = (error: unknown) =>
  error instanceof TaskFailure ? error : new TaskFailure('It took too long', { cause: error })
