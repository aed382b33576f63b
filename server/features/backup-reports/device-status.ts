import type { BackupStatus } from '../../../shared/api/backup-reports.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { isUsable, looksAt, runsOf, stateOf } from '../backup-attention/index.ts'
import { objectIn } from '../backup-jobs/index.ts'
import { type BackupPolicies, nextOccurrence } from '../backup-policies/index.ts'
import { readingProgressOf } from '../backup-verification/index.ts'
import type { Devices } from '../devices/index.ts'

interface StatusServices {
  db: Database
  clock: Clock
  devices: Devices
  backupPolicies: BackupPolicies
}

/**
 * How one device stands with its backups.
 * @throws AppError `device_not_found`, `site_access_denied`
 */
export function deviceStatus(
  { db, clock, devices, backupPolicies }: StatusServices,
  actor: UserActor,
  deviceId: string,
  named: string | undefined,
): BackupStatus {
  const device = devices.find(actor, deviceId)
  const backup = backupPolicies.ofDevice(device.id)
  const runs = backup && runsOf(db, [backup]).get(device.id)
  if (!runs || (named !== undefined && device.org_id !== named)) throw new AppError('device_not_found')
  const { plan, destination, timeZone } = backup
  const next = plan?.schedule ? nextOccurrence(plan.schedule, timeZone, clock.now()) : null
  const jobs = q
    .selectFrom('backup_jobs')
    .select(['id', 'status', 'created_at', 'completed_at', 'error_log'])
    .where('org_id', '=', device.org_id)
    .where('device_id', '=', device.id)
  const last = db.first(
    jobs.select('vss_metadata').orderBy('started_at', 'desc').orderBy('created_at', 'desc').orderBy('id', 'desc'),
  )
  const newest = jobs.orderBy('completed_at', 'desc').limit(1)
  const success = db.first(newest.where('status', 'in', ['completed', 'partial']))
  const failure = db.first(newest.where('status', '=', 'failed'))
  return {
    deviceId: device.id,
    protected: isUsable(backup),
    state: stateOf(looksAt(clock.now())(backup, runs)),
    featureLinkId: plan?.linkId ?? null,
    configId: plan === null || destination === 'no_config' ? null : destination.configId,
    timezone: plan?.schedule ? timeZone : null,
    lastJob: last
      ? {
          id: last.id,
          status: last.status,
          createdAt: last.created_at,
          completedAt: last.completed_at,
          vssMetadata: objectIn(last.vss_metadata) ?? null,
          errorLog: last.error_log,
        }
      : null,
    lastSuccessAt: success?.completed_at ?? null,
    lastFailureAt: failure?.completed_at ?? null,
    lastFailureError: failure?.error_log ?? null,
    lastFailureJobId: failure?.id ?? null,
    nextScheduledAt: next ? iso(next.at) : null,
    ...readingProgressOf(db, device),
  }
}
