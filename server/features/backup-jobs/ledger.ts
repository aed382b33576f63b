import type { Updateable } from 'kysely'
import type { BackupJob } from '../../../shared/api/backup-jobs.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import { Signal } from '../../platform/signal.ts'
import type { ResticEngines } from '../backup-engine/index.ts'
import { ProgressOfJobs } from './progress.ts'
import { type JobRow, jobById, jobView } from './store.ts'
import type { BackupJobTable } from './tables.ts'

interface LedgerServices {
  db: Database
  clock: Clock
  live: LiveEvents
  engines: ResticEngines
}

type EndedJob = Pick<JobRow, 'id' | 'device_id'>
type EndStatus = 'completed' | 'partial' | 'failed' | 'cancelled'

/** Saves what becomes of backups, and tells browsers that watch. */
export class JobLedger {
  readonly progress: ProgressOfJobs
  /** A backup ends; said in the transaction that ends it. */
  readonly ending = new Signal<{ deviceId: string }>()
  /** A backup ended, and what waited for it may begin; said after the commit. */
  readonly ended = new Signal<{ deviceId: string }>()
  readonly #services: LedgerServices

  constructor(services: LedgerServices) {
    this.#services = services
    this.progress = new ProgressOfJobs(services.clock)
  }

  view(row: JobRow): BackupJob {
    return jobView(row, this.progress.of(row.id))
  }

  change(id: string, changes: Updateable<BackupJobTable>): void {
    const { db, clock } = this.#services
    db.run(
      q
        .updateTable('backup_jobs')
        .set({ ...changes, updated_at: isoNow(clock) })
        .where('id', '=', id),
    )
    this.announce(id)
  }

  /** Joins the transaction of whatever ended it. Its credential ends with it. */
  finish(row: EndedJob, status: EndStatus, changes: Updateable<BackupJobTable> = {}): void {
    this.closeAccess(row.id)
    this.#end(row, status, changes)
  }

  /** The same for a job of which the device may not know yet that it is over. */
  giveUp(row: EndedJob, status: 'failed' | 'cancelled', changes: Updateable<BackupJobTable>): void {
    this.#services.engines.windDown(row.id)
    this.#end(row, status, changes)
  }

  /** The device is still at work. */
  prolongAccess(id: string): void {
    this.#services.engines.prolong(id)
  }

  /** The device has no more to do with the storage for this job. */
  closeAccess(id: string): void {
    this.#services.engines.close(id)
  }

  #end(row: EndedJob, status: EndStatus, changes: Updateable<BackupJobTable>): void {
    const { db, clock } = this.#services
    db.afterCommit(() => {
      this.progress.forget(row.id)
      this.ended.say({ deviceId: row.device_id })
    })
    this.change(row.id, { ...changes, status, completed_at: isoNow(clock) })
    this.ending.say({ deviceId: row.device_id })
  }

  /** After the commit, to those who may see it. */
  announce(id: string): void {
    const { db, live } = this.#services
    db.afterCommit(() => {
      const row = jobById(db, id)
      if (!row) return
      live.publish({
        type: 'backup.job',
        deviceId: row.device_id,
        orgId: row.org_id,
        siteId: row.site_id,
        job: this.view(row),
      })
    })
  }
}
