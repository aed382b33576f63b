import type { Updateable } from 'kysely'
import { z } from 'zod'
import type { RestoreJob } from '../../../shared/api/backup-restores.ts'
import { reportedAmount } from '../../../shared/device/amounts.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, isoNow, second } from '../../platform/clock.ts'
import { LastHeard } from '../../platform/last-heard.ts'
import type { LiveEvents } from '../../platform/live.ts'
import type { ResticEngines } from '../backup-engine/index.ts'
import { type RestoreProgress, type RestoreRow, restoreById, restoreView } from './store.ts'
import type { RestoreJobTable } from './tables.ts'

interface LedgerServices {
  db: Database
  clock: Clock
  live: LiveEvents
  engines: ResticEngines
}

const bytes = reportedAmount
const progressFrame = z.object({
  phase: z.enum(['preparing', 'restoring', 'finishing']).catch('restoring'),
  current: bytes.catch(0),
  filesDone: bytes.optional().catch(undefined),
})

type EndStatus = 'completed' | 'partial' | 'failed' | 'cancelled'

/** Saves what becomes of restores, and tells browsers that watch. */
export class RestoreLedger {
  readonly lastHeard: LastHeard
  readonly #services: LedgerServices
  readonly #progress = new Map<string, RestoreProgress>()

  constructor(services: LedgerServices) {
    this.#services = services
    this.lastHeard = new LastHeard(services.clock)
  }

  view(row: RestoreRow): RestoreJob {
    return restoreView(row, this.#progress.get(row.id))
  }

  /** Undefined for what is no progress. */
  takeProgress(id: string, sent: unknown): RestoreProgress | undefined {
    const frame = progressFrame.safeParse(sent).data
    if (!frame) return undefined
    const before = this.#progress.get(id)
    const at = this.#services.clock.now()
    const seconds = before ? (at - before.at) / second : 0
    const bytesPerSecond =
      before && seconds > 0 ? Math.max(0, Math.round((frame.current - before.current) / seconds)) : null
    const progress = { ...frame, filesDone: frame.filesDone, at, bytesPerSecond }
    this.#progress.set(id, progress)
    this.lastHeard.note(id)
    return progress
  }

  change(id: string, changes: Updateable<RestoreJobTable>): void {
    const { db, clock } = this.#services
    db.run(
      q
        .updateTable('restore_jobs')
        .set({ ...changes, updated_at: isoNow(clock) })
        .where('id', '=', id),
    )
    this.announce(id)
  }

  /** Joins the transaction of whatever ended it. Its credential ends with it. */
  finish(row: Pick<RestoreRow, 'id'>, status: EndStatus, changes: Updateable<RestoreJobTable> = {}): void {
    this.closeAccess(row.id)
    this.#end(row, status, changes)
  }

  /** The same for a restore of which the device may not know yet that it is over. */
  giveUp(row: Pick<RestoreRow, 'id'>, status: EndStatus, changes: Updateable<RestoreJobTable> = {}): void {
    this.#services.engines.windDown(row.id)
    this.#end(row, status, changes)
  }

  /** The device is still at work. */
  prolongAccess(id: string): void {
    this.#services.engines.prolong(id)
  }

  /** The device has no more to do with the storage for this restore. */
  closeAccess(id: string): void {
    this.#services.engines.close(id)
  }

  #end(row: Pick<RestoreRow, 'id'>, status: EndStatus, changes: Updateable<RestoreJobTable>): void {
    this.#services.db.afterCommit(() => {
      this.#progress.delete(row.id)
      this.lastHeard.forget(row.id)
    })
    this.change(row.id, {
      timed_out_by_server: 0,
      ...changes,
      status,
      completed_at: isoNow(this.#services.clock),
    })
  }

  /** After the commit, to those who may see it. */
  announce(id: string): void {
    const { db, live } = this.#services
    db.afterCommit(() => {
      const row = restoreById(db, id)
      if (!row) return
      const { device_id: deviceId, org_id: orgId, site_id: siteId } = row
      live.publish({ type: 'backup.restore', deviceId, orgId, siteId, restore: this.view(row) })
    })
  }
}
