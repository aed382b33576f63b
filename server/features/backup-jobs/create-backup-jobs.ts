import * as contract from '../../../shared/api/backup-jobs.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Signal } from '../../platform/signal.ts'
import type { ResticEngines } from '../backup-engine/index.ts'
import type { FileListings, Snapshots } from '../backup-snapshots/index.ts'
import type { BackupStorage } from '../backup-storage/index.ts'
import type { Connections, DeviceWork } from '../device-connections/index.ts'
import type { DeviceServices } from '../devices/index.ts'
import type { SnapshotIndex } from '../snapshot-index/index.ts'
import { JobDispatch } from './dispatch.ts'
import { BackupJobs } from './jobs.ts'
import { JobLedger } from './ledger.ts'
import { listingRoutes } from './listings.ts'
import type { BackupPlans } from './plan.ts'
import { JobResults, type MadeSnapshot } from './results.ts'
import { BackupRuns } from './runs.ts'
import { JobWatchdog } from './watchdog.ts'

interface BackupJobsDependencies extends Pick<DeviceServices, 'devices' | 'signals'>, BackupStorage {
  connections: Connections
  work: DeviceWork
  engines: ResticEngines
  snapshots: Snapshots
  listings: FileListings
  index: SnapshotIndex
  plans: BackupPlans
}

export interface BackupJobServices {
  runs: BackupRuns
  /** Said of a device, in the transaction that ends a backup of it. */
  ending: Signal<{ deviceId: string }>
  /** Of a snapshot, in the transaction that records it. */
  made: Signal<MadeSnapshot>
}

/** Backups: started, handed to devices, followed, ended in exactly one way. */
export function createBackupJobs(services: Services, dependencies: BackupJobsDependencies): Module<BackupJobServices> {
  const { work, signals, locks } = dependencies
  const ledger = new JobLedger({ ...services, ...dependencies })
  const dispatch = new JobDispatch({ ...services, ...dependencies, ledger })
  const jobs = new BackupJobs({ ...services, ...dependencies, dispatch, ledger })
  const runs = new BackupRuns({ ...services, ...dependencies, dispatch, ledger })
  const results = new JobResults({ ...services, ...dependencies, ledger })
  const watchdog = new JobWatchdog({ ...services, ...dependencies, ledger, dispatch })
  dependencies.configs.keepFor((configId) => (jobs.areOf(configId) ? 'backup job history' : null))
  work.takeResults((actor, id, reported) => results.take(actor, id, reported))
  work.progress.on(({ actor, id, progress }) => results.progress(actor, id, progress))
  work.connected.on(({ deviceId }) => dispatch.pushes.toDevice(deviceId))
  locks.workedInBy((repository) => jobs.isRunningIn(repository))
  locks.released.on(({ deviceId }) => dispatch.pushes.toDevice(deviceId))
  ledger.ended.on(({ deviceId }) => dispatch.pushes.toDevice(deviceId))
  signals.retiring.on(({ deviceId }) => jobs.cancelOpen(deviceId, 'Canceled because the device left service'))
  signals.moving.on(({ deviceId }) =>
    jobs.cancelOpen(deviceId, 'Canceled because the device was moved to another organization'),
  )
  return {
    api: { runs, ending: ledger.ending, made: results.made },
    routes: async (http) => {
      await listingRoutes(http, { ...services, ...dependencies })
      http.user(contract.listBackupJobs, ({ actor, query }) => jobs.list(actor, query))
      http.user(contract.previewRunAll, ({ actor, query }) => runs.preview(actor, query.orgId))
      http.user(contract.readBackupJob, ({ actor, params, query }) => jobs.read(actor, params.id, query.orgId))
      http.user(contract.runBackup, ({ actor, params }) => runs.run(actor, params.deviceId))
      http.user(contract.runAllBackups, ({ actor, query }) => runs.runAll(actor, query.orgId))
      http.user(contract.cancelBackupJob, ({ actor, params, query }) => jobs.cancel(actor, params.id, query.orgId))
    },
    jobs: [
      {
        name: 'backup.watch',
        description: 'Ends backups of which nothing is heard any more',
        schedule: '30 * * * * *',
        run: () => {
          watchdog.run()
        },
      },
    ],
  }
}
