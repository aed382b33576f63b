import type { Selectable } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { DueWork } from '../../platform/due-work.ts'
import type { Log } from '../../platform/log.ts'
import type { TenantJobTable } from './tables.ts'

export type TenantJob = Selectable<TenantJobTable>
export type TenantJobKind = TenantJob['kind']

/** Thrown by the work of a job to fail it with a reason that people may read. */
export class JobFailure extends Error {}

interface Work {
  /**
   * Does the job, or what is left of it. Resolves with the result; `report` saves how far it is. Rejects with an
   * `AbortError` when the appliance stops, which leaves the job active: it is taken up again at the next start.
   */
  run(job: TenantJob, report: (progress: object) => void, signal: AbortSignal): Promise<object>
  /** Joins the transaction that marks the job failed. */
  onFailure?(job: TenantJob, reason: string): void
}

export interface NewTenantJob {
  id: string
  kind: TenantJobKind
  orgId: string
  partnerId: string
  requestedBy: string | null
  input?: object
}

/** Long work on one tenant, such as a merge: one at a time, kept in a table, taken up again after a crash. */
export class TenantJobs {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #kinds = new Map<TenantJobKind, Work>()
  readonly #work: DueWork

  constructor(db: Database, clock: Clock, log: Log) {
    this.#db = db
    this.#clock = clock
    this.#log = log
    this.#work = new DueWork(
      clock,
      log,
      (stopping) => this.#runAll(stopping),
      () => null,
    )
  }

  handle(kind: TenantJobKind, work: Work): void {
    this.#kinds.set(kind, work)
  }

  /** Inside the transaction of what asks for it. False when the job is there already and not finished. */
  enqueue({ id, kind, orgId, partnerId, requestedBy, input }: NewTenantJob): boolean {
    if (this.isOpen(id)) return false
    this.#db.run(q.deleteFrom('tenant_jobs').where('id', '=', id))
    this.#db.run(
      q.insertInto('tenant_jobs').values({
        id,
        kind,
        org_id: orgId,
        partner_id: partnerId,
        requested_by: requestedBy,
        state: 'waiting',
        input: JSON.stringify(input ?? {}),
        created_at: isoNow(this.#clock),
      }),
    )
    this.#db.afterCommit(() => this.#work.wake())
    return true
  }

  find(id: string): TenantJob | undefined {
    return this.#db.first(q.selectFrom('tenant_jobs').selectAll().where('id', '=', id))
  }

  isOpen(id: string): boolean {
    const state = this.find(id)?.state
    return state === 'waiting' || state === 'active'
  }

  start(): void {
    this.#work.start()
  }

  stop(): Promise<void> {
    return this.#work.stop()
  }

  /** Active ones first: those a stop has interrupted. */
  async #runAll(stopping: AbortSignal): Promise<void> {
    for (;;) {
      const next = this.#db.first(
        q
          .selectFrom('tenant_jobs')
          .selectAll()
          .where('state', 'in', ['active', 'waiting'])
          .orderBy('state')
          .orderBy('created_at')
          .orderBy('id')
          .limit(1),
      )
      if (!next || stopping.aborted) return
      await this.#run(next, stopping)
    }
  }

  async #run(job: TenantJob, signal: AbortSignal): Promise<void> {
    this.#set(job.id, {
      state: 'active',
      started_at: job.started_at ?? isoNow(this.#clock),
      attempts: job.attempts + 1,
    })
    try {
      const work = this.#kinds.get(job.kind)
      if (!work) throw new Error(`nobody does ${job.kind}`)
      const report = (progress: object) => this.#set(job.id, { progress: JSON.stringify(progress) })
      const result = await work.run(this.find(job.id) as TenantJob, report, signal)
      this.#finish(job.id, { state: 'completed', result: JSON.stringify(result) })
    } catch (error) {
      if (signal.aborted) return
      this.#fail(job, error)
    }
  }

  #fail(job: TenantJob, error: unknown): void {
    if (!(error instanceof JobFailure)) this.#log.error({ err: error, job: job.id }, 'Work on a tenant failed')
    const reason = error instanceof JobFailure ? error.message : 'internal_error'
    this.#db.transaction(() => {
      this.#finish(job.id, { state: 'failed', failed_reason: reason })
      this.#kinds.get(job.kind)?.onFailure?.(job, reason)
    })
  }

  #finish(id: string, outcome: Partial<TenantJob>): void {
    this.#set(id, { ...outcome, finished_at: isoNow(this.#clock) })
  }

  #set(id: string, values: Partial<TenantJob>): void {
    this.#db.run(q.updateTable('tenant_jobs').set(values).where('id', '=', id))
  }
}
