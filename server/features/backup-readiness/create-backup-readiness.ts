import * as contract from '../../../shared/api/backup-readiness.ts'
import { q } from '../../db/query.ts'
import { searches } from '../../platform/http/searches.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { BackupJobServices } from '../backup-jobs/index.ts'
import type { VerificationServices } from '../backup-verification/index.ts'
import type { DeviceSignals } from '../devices/index.ts'
import { Calculations } from './calculations.ts'
import { ReadinessReports } from './reports.ts'

interface ReadinessDependencies extends Pick<BackupJobServices, 'made'>, Pick<VerificationServices, 'checked'> {
  signals: Pick<DeviceSignals, 'retiring' | 'moving'>
}

/** How well devices could be brought back from their backups. */
export function createBackupReadiness(
  services: Services,
  { made, checked, signals }: ReadinessDependencies,
): Module<null> {
  const { db } = services
  const calculations = new Calculations(services)
  const reports = new ReadinessReports({ ...services, calculations })
  made.on(({ id }) =>
    db.afterCommit(() => {
      const snapshot = db.first(q.selectFrom('backup_snapshots').select('device_id').where('id', '=', id))
      if (snapshot) calculations.devices([snapshot.device_id])
    }),
  )
  checked.on(({ deviceId }) => db.afterCommit(() => calculations.devices([deviceId])))
  signals.retiring.on(({ deviceId }) => calculations.forget(deviceId))
  signals.moving.on(({ deviceId }) => calculations.forget(deviceId))
  return {
    api: null,
    routes: (http) => {
      const search = searches()
      http.user(contract.recoveryReadiness, async ({ actor, query, reply }) => ({
        data: await search.steps(actor, reply, reports.readiness(actor, query)),
      }))
      http.user(contract.backupHealth, async ({ actor, query, reply }) => ({
        data: await search.steps(actor, reply, reports.health(actor, query)),
      }))
    },
    jobs: [
      {
        name: 'backup.readiness',
        description: 'Calculates anew how well devices could be brought back: what was proven long ago counts less',
        schedule: '0 0 2 * * *',
        runsAtStart: true,
        run: (signal) => calculations.all(signal),
      },
    ],
  }
}
