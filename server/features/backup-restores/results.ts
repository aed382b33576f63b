import { z } from 'zod'
import { type RestoreDetails, restoreDetails } from '../../../shared/api/backup-restores.ts'
import type { ReportedResult } from '../../../shared/device/commands.ts'
import { withoutCredentials } from '../../../shared/node/restic-refusals.ts'
import type { Database } from '../../db/database.ts'
import { toJson } from '../../lib/json.ts'
import type { DeviceActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow, second } from '../../platform/clock.ts'
import { objectIn } from '../backup-jobs/index.ts'
import type { RestoreLedger } from './ledger.ts'
import { type RestoreRow, restoreById } from './store.ts'

interface ResultServices {
  db: Database
  clock: Clock
  audit: Audit
  ledger: RestoreLedger
}

const savedEveryMs = 10 * second

const outcome = z.object({ status: z.string().optional() })

/** What devices say of restores. */
export class RestoreResults {
  readonly #services: ResultServices

  constructor(services: ResultServices) {
    this.#services = services
  }

  progress(actor: DeviceActor, id: string, sent: unknown): void {
    const { db, clock, ledger } = this.#services
    const row = restoreById(db, id)
    if (row?.device_id !== actor.deviceId || row.status !== 'running') return
    const progress = ledger.takeProgress(id, sent)
    if (!progress) return
    // A clock that was set back is no reason to save nothing until it is there again.
    if (Math.abs(progress.at - Date.parse(row.last_progress_at ?? row.created_at)) < savedEveryMs) {
      ledger.announce(id)
      return
    }
    db.transaction(() => {
      ledger.prolongAccess(id)
      ledger.change(id, {
        last_progress_at: isoNow(clock),
        restored_size: progress.current,
        ...(progress.filesDone !== undefined && { restored_files: progress.filesDone }),
      })
    })
  }

  /** False when the device has no restore of this id. A result after the server gave up still counts. */
  take(actor: DeviceActor, id: string, reported: ReportedResult): boolean {
    const { db, ledger, audit } = this.#services
    return db.transaction(() => {
      const row = restoreById(db, id)
      if (row?.device_id !== actor.deviceId) return false
      const isOpen = row.status === 'running' || row.status === 'pending' || row.timed_out_by_server === 1
      if (!isOpen || row.dispatched_at === null) {
        ledger.closeAccess(row.id)
        return true
      }
      const [status, details] = endOf(reported)
      ledger.finish(row, status, {
        result: toJson(details),
        restored_files: details.filesRestored ?? row.restored_files,
        restored_size: details.bytesRestored ?? row.restored_size,
      })
      audit(actor, {
        action: 'agent.command.result.submit',
        resourceType: 'device',
        resourceId: row.device_id,
        resourceName: row.display_name ?? row.hostname,
        orgId: row.org_id,
        details: { commandId: row.id, type: 'backup_restore', status },
      })
      return true
    })
  }
}

type End = Extract<RestoreRow['status'], 'completed' | 'partial' | 'failed'>

function endOf(reported: ReportedResult): [End, RestoreDetails] {
  const said = objectIn(reported.result) ?? objectIn(reported.stdout) ?? {}
  const { status } = outcome.parse(said)
  const details = restoreDetails.partial().safeParse(said).data ?? {}
  const error = details.error ?? reported.error ?? undefined
  const told: RestoreDetails = { ...details, ...(error !== undefined && { error: withoutCredentials(error) }) }
  if (status === 'partial' || status === 'degraded') return ['partial', told]
  const isGood = status === 'completed' || (status === undefined && reported.status === 'completed')
  return isGood ? ['completed', told] : ['failed', { ...told, error: told.error ?? 'Restore failed' }]
}
