import * as contract from '../../../shared/api/backup-snapshots.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { BackupConfigs } from '../backup-storage/index.ts'
import type { Devices } from '../devices/index.ts'
import { Snapshots } from './snapshots.ts'

export function createBackupSnapshots(
  services: Services,
  { devices, configs }: { devices: Devices; configs: BackupConfigs },
): Module<Snapshots> {
  const snapshots = new Snapshots({ ...services, devices })
  configs.keepFor((configId) => (snapshots.isIn(configId) ? 'snapshots' : null))
  return {
    api: snapshots,
    routes: (http) => {
      http.user(contract.listBackupSnapshots, ({ actor, query }) => snapshots.list(actor, query))
      http.user(contract.readBackupSnapshot, ({ actor, params, query }) =>
        snapshots.read(actor, params.id, query.orgId),
      )
    },
  }
}
