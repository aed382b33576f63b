import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/database.ts'
import { inBackground } from '../../lib/turns.ts'
import { type Clock, iso, isoNow, second } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Endings, Outcome } from './endings.ts'
import type { LongWork, RegisteredKind } from './registered-kind.ts'
import { Run } from './run.ts'
import { leaseMs, type TaskStore } from './store.ts'
import type { TaskRow } from './task.ts'

/** As many are claimed in one transaction. */
const claimedPerTurn = 20
/** For work that does not heed its signal when the appliance stops. */
const stopLimitMs = 15 * second

interface RunsOptions {
  db: Database
  clock: Clock
  log: Log
  store: TaskStore
  endings: Endings
  onChange: (id: string) => void
}

/** The attempts in this process: starts them, aborts them and saves how they ended. */
export class Runs {
  readonly #options: RunsOptions
  /** After each end: it makes room for others. */
  readonly #wake: () => void
  /** By `seq` of their row. */
  readonly #running = new Map<number, Run>()
  #ended: [Run, Outcome][] = []
  /** Some could not be saved: they are done again when their lease ends. */
  hasUnsaved = false

  constructor(options: RunsOptions, wake: () => void) {
    this.#options = options
    this.#wake = wake
  }

  has({ seq }: TaskRow): boolean {
    return this.#running.has(seq)
  }

  /** How many more of the kind may begin. */
  roomFor(kind: RegisteredKind, { concurrency, isReady }: LongWork): number {
    if (!isReady()) return 0
    let room = concurrency
    for (const run of this.#running.values()) if (run.kind === kind) room--
    return room
  }

  /** Claims some tasks that are due. */
  claim(kind: RegisteredKind, work: LongWork): Run[] {
    const { db, clock } = this.#options
    const room = Math.min(claimedPerTurn, this.roomFor(kind, work))
    if (room <= 0) return []
    const rows = db.transaction(() => {
      const claimed: TaskRow[] = []
      while (claimed.length < room) {
        const row = this.#claimNext(kind, work)
        if (!row) break
        claimed.push(row)
      }
      return claimed
    })
    return rows.map((row) => {
      const run = new Run(row, kind, work, clock.monotonic() + leaseMs / 2)
      this.#running.set(row.seq, run)
      return run
    })
  }

  begin(run: Run): void {
    const { row, signal, work } = run
    run.hasBegun = true
    this.#options.onChange(row.id)
    const timer = work.attemptMs === null ? undefined : setTimeout(() => run.end('attempt limit'), work.attemptMs)
    inBackground(() => work.run(row, { signal, progress: (progress) => this.#progress(run, progress) }))
      .then(
        (result) => this.#hasEnded(run, { result }),
        (error) => this.#hasEnded(run, { error }),
      )
      .finally(() => clearTimeout(timer))
  }

  cancel({ seq }: TaskRow): void {
    this.#running.get(seq)?.end('cancel')
  }

  /** Renews leases, and ends what is past its deadline. */
  look(): void {
    const { db, clock } = this.#options
    const [now, monotonic] = [isoNow(clock), clock.monotonic()]
    const runs = [...this.#running.values()]
    for (const run of runs) if (run.row.deadline_at !== null && run.row.deadline_at <= now) run.end('deadline')
    const due = runs.filter(({ renewAt }) => renewAt <= monotonic)
    if (due.length > 0) db.transaction(() => this.#renew(due, monotonic))
  }

  /** When to look at each of them again. */
  nextLooks(): string[] {
    const { clock } = this.#options
    return [...this.#running.values()].map(({ renewAt, endedBy, row: { deadline_at } }) => {
      const renewal = iso(clock.now() + renewAt - clock.monotonic())
      return endedBy === null && deadline_at !== null && deadline_at < renewal ? deadline_at : renewal
    })
  }

  /** Aborts all of them and waits until they have ended. */
  async stop(): Promise<void> {
    const runs = [...this.#running.values()]
    const timers = runs.map((run) => {
      if (run.work.stopMs > 0 && run.hasBegun) return setTimeout(() => run.end('stop'), run.work.stopMs)
      run.end('stop')
      if (!run.hasBegun) this.#hasEnded(run, { error: run.signal.reason })
      return undefined
    })
    const limit = new AbortController()
    const isLate = sleep(stopLimitMs, true, { signal: limit.signal }).catch(() => false)
    const isOver = Promise.all(runs.map((run) => run.over)).then(() => false)
    if (await Promise.race([isOver, isLate]))
      this.#options.log.warn('Tasks that do not end are left to the next start of the appliance')
    limit.abort()
    for (const timer of timers) clearTimeout(timer)
  }

  /** Inside a transaction. */
  #claimNext({ name }: RegisteredKind, { isObsolete }: LongWork): TaskRow | undefined {
    const { endings, store } = this.#options
    for (;;) {
      const next = store.nextDue(name)
      if (!next) return undefined
      if (!isObsolete?.(next)) return store.claim(next)
      endings.giveUp(next, 'cancelled')
    }
  }

  #renew(runs: readonly Run[], monotonic: number): void {
    for (const run of runs) {
      run.renewAt = monotonic + leaseMs / 2
      if (!this.#options.store.renew(run.row)) run.end('lost lease')
    }
  }

  #progress(run: Run, progress: unknown): void {
    const { db, store, onChange } = this.#options
    if (store.progress(run.row, JSON.stringify(progress))) db.afterCommit(() => onChange(run.row.id))
    else run.end('lost lease')
  }

  /** Those that end in one go are saved in one transaction. */
  #hasEnded(run: Run, outcome: Outcome): void {
    this.#ended.push([run, outcome])
    if (this.#ended.length === 1) setImmediate(() => this.#saveEnded())
  }

  #saveEnded(): void {
    const { db, log } = this.#options
    const ended = this.#ended
    this.#ended = []
    try {
      db.transaction(() => {
        for (const [run, outcome] of ended) this.#saveOne(run, outcome)
      })
    } catch (error) {
      this.hasUnsaved = true
      log.error({ err: error }, 'The end of tasks could not be saved; they are done again when their lease is over')
    }
    for (const [run] of ended) {
      this.#running.delete(run.row.seq)
      run.isOver()
    }
    this.#wake()
  }

  #saveOne(run: Run, outcome: Outcome): void {
    const { db, endings, log } = this.#options
    try {
      db.attempt(() => endings.save(run.row, run.kind, run.endedBy, outcome))
    } catch (error) {
      if (!db.isInTransaction) throw error
      this.hasUnsaved = true
      log.error({ err: error, task: run.row.id }, 'The end of a task could not be saved; it is done again later')
    }
  }
}
