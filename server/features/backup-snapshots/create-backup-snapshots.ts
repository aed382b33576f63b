import * as contract from '../../../shared/api/backup-snapshots.ts'
import { AppError } from '../../platform/errors.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { BackupStorage } from '../backup-storage/index.ts'
import type { DeviceServices } from '../devices/index.ts'
import { Snapshots } from './snapshots.ts'

interface SnapshotDependencies extends Pick<DeviceServices, 'devices' | 'signals'>, BackupStorage {}

export function createBackupSnapshots(
  services: Services,
  { devices, signals, configs, repositories }: SnapshotDependencies,
): Module<Snapshots> {
  const snapshots = new Snapshots({ ...services, devices })
  signals.deleting.on(({ deviceId }) => {
    if (snapshots.areOf(deviceId)) throw new AppError('device_has_backups')
    repositories.forget(deviceId)
  })
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
