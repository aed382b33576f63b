import { type ScheduledTask, schedule } from 'node-cron'
import type { JobView } from '../../shared/api/system.ts'
import type { Database } from '../db/database.ts'
import { q } from '../db/query.ts'
import { inBackground } from '../lib/turns.ts'
import { type Clock, iso } from './clock.ts'
import { AppError } from './errors.ts'
import type { Log } from './log.ts'

export interface Job {
  /** `feature.verb` */
  name: string
  description: string
  /** Cron, six fields, the first one seconds; local time. */
  schedule: string
  /** Also when the appliance starts: it may have been off for days. */
  runsAtStart?: true
  run(signal: AbortSignal): void | Promise<void>
}

/** Runs every background job, none of them twice at once, and remembers how it went. */
export class Jobs {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #jobs = new Map<string, Job>()
  readonly #tasks = new Map<string, ScheduledTask>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #stopping = new AbortController()

  constructor(db: Database, clock: Clock, log: Log) {
    this.#db = db
    this.#clock = clock
    this.#log = log
  }

  add(...jobs: Job[]): void {
    for (const job of jobs) this.#jobs.set(job.name, job)
  }

  start(): void {
    for (const job of this.#jobs.values()) {
      const run = () => this.#runOnce(job).catch(() => {})
      this.#tasks.set(job.name, schedule(job.schedule, run, { name: job.name }))
      if (job.runsAtStart) run()
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const task of this.#tasks.values()) await task.destroy()
    await Promise.allSettled(this.#running.values())
  }

  list(): JobView[] {
    return [...this.#jobs.values()].map((job) => this.#view(job)).sort((a, b) => a.name.localeCompare(b.name))
  }

  /** Runs the job now, or joins the run under way, and returns how it went. */
  async runNow(name: string): Promise<JobView> {
    const job = this.#jobs.get(name)
    if (!job) throw new AppError('job_not_found')
    await this.#runOnce(job).catch(() => {})
    return this.#view(job)
  }

  #runOnce(job: Job): Promise<void> {
    const underWay = this.#running.get(job.name)
    if (underWay) return underWay
    const run = this.#run(job).finally(() => this.#running.delete(job.name))
    this.#running.set(job.name, run)
    return run
  }

  async #run(job: Job): Promise<void> {
    const startedAt = this.#clock.now()
    const started = this.#clock.monotonic()
    let failure: unknown
    try {
      await inBackground(() => job.run(this.#stopping.signal))
    } catch (error) {
      failure = error
      this.#log.error({ err: error, job: job.name }, 'A background job failed')
    }
    const outcome = {
      last_started_at: iso(startedAt),
      last_finished_at: iso(this.#clock.now()),
      last_duration_ms: Math.round(this.#clock.monotonic() - started),
      last_outcome: failure ? ('failure' as const) : ('success' as const),
      last_error: failure ? String(failure).slice(0, 1000) : null,
    }
    // Written many times an hour; waiting for a busy disk each time would hold up all others.
    this.#db.runUnsynced(
      q
        .insertInto('job_runs')
        .values({ name: job.name, ...outcome })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(outcome)),
    )
    if (failure) throw failure
  }

  #view(job: Job): JobView {
    const last = this.#db.first(q.selectFrom('job_runs').selectAll().where('name', '=', job.name))
    return {
      name: job.name,
      description: job.description,
      schedule: job.schedule,
      isRunning: this.#running.has(job.name),
      lastStartedAt: last?.last_started_at ?? null,
      lastFinishedAt: last?.last_finished_at ?? null,
      lastDurationMs: last?.last_duration_ms ?? null,
      lastOutcome: last?.last_outcome ?? null,
      lastError: last?.last_error ?? null,
      nextRunAt: this.#tasks.get(job.name)?.getNextRun()?.toISOString() ?? null,
    }
  }
}
