import * as contract from '../../../shared/api/backup-maintenance.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { ApplianceRestic, ResticEngines } from '../backup-engine/index.ts'
import type { BackupPlans } from '../backup-jobs/index.ts'
import type { Snapshots } from '../backup-snapshots/index.ts'
import type { BackupStorage } from '../backup-storage/index.ts'
import type { BackupStore } from '../backup-store/index.ts'
import type { Connections, DeviceWork } from '../device-connections/index.ts'
import type { SnapshotIndex } from '../snapshot-index/index.ts'
import { BackupMaintenance } from './backup-maintenance.ts'
import { DeviceRepositories } from './device-repositories.ts'
import { DueRepositories } from './due-repositories.ts'
import { jobName, MaintenanceStatus } from './maintenance-status.ts'
import { Reconcile } from './reconcile.ts'
import { RepositoryMaintenance } from './repository-maintenance.ts'
import { removeUnknownIndexes } from './unknown-indexes.ts'

interface MaintenanceDependencies extends BackupStorage {
  store: BackupStore
  index: SnapshotIndex
  snapshots: Snapshots
  plans: BackupPlans
  restic: ApplianceRestic
  engines: ResticEngines
  connections: Connections
  work: DeviceWork
  /** The restic of the appliance; null when there is none. */
  findRestic: () => Promise<string | null>
}

export interface RepositoryWork {
  maintenance: Pick<RepositoryMaintenance, 'placeOf' | 'reasonOf'>
  onDevices: DeviceRepositories
}

/** Maintenance of repositories: the data of expired snapshots is deleted at night. */
export function createBackupMaintenance(
  services: Services,
  dependencies: MaintenanceDependencies,
): Module<RepositoryWork> {
  const due = new DueRepositories(services)
  const onDevices = new DeviceRepositories({ ...services, ...dependencies })
  const maintenance = new RepositoryMaintenance({ ...services, ...dependencies, due, onDevices })
  const nights = new BackupMaintenance({ ...services, ...dependencies, due, maintenance, onDevices })
  const status = new MaintenanceStatus({ ...services, ...dependencies })
  const reconcile = new Reconcile({ ...services, ...dependencies, maintenance })
  return {
    api: { maintenance, onDevices },
    routes: (http) => {
      http.user(contract.readBackupMaintenance, ({ actor, query }) => status.read(actor, query))
      http.user(contract.startReconcile, ({ actor, body, query }) => reconcile.start(actor, body, query.orgId))
      http.user(contract.readReconcile, ({ actor, query }) => reconcile.last(actor, query.orgId))
    },
    jobs: [
      {
        name: jobName,
        description: 'Removes the data of expired snapshots from storage',
        schedule: '0 5 1-4 * * *',
        run: async (signal) => {
          await removeUnknownIndexes({ ...services, ...dependencies }, signal)
          await nights.run(signal)
        },
      },
    ],
  }
}
