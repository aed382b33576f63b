import * as contract from '../../../shared/api/backup-snapshots.ts'
import { AppError } from '../../platform/errors.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { BackupStorage } from '../backup-storage/index.ts'
import type { DeviceServices } from '../devices/index.ts'
import type { SnapshotIndex } from '../snapshot-index/index.ts'
import { BackedUpFiles } from './files.ts'
import { Snapshots } from './snapshots.ts'

interface SnapshotDependencies extends Pick<DeviceServices, 'devices' | 'signals'>, BackupStorage {
  index: SnapshotIndex
}

export interface BackupSnapshots {
  snapshots: Snapshots
  files: BackedUpFiles
}

export function createBackupSnapshots(
  services: Services,
  { devices, signals, configs, repositories, index }: SnapshotDependencies,
): Module<BackupSnapshots> {
  const snapshots = new Snapshots({ ...services, devices })
  const files = new BackedUpFiles({ ...services, devices, snapshots, index })
  signals.deleting.on(({ deviceId }) => {
    if (snapshots.areOf(deviceId)) throw new AppError('device_has_backups')
    repositories.forget(deviceId)
  })
  configs.keepFor((configId) => (snapshots.isIn(configId) ? 'snapshots' : null))
  return {
    api: { snapshots, files },
    routes: (http) => {
      http.user(contract.browseBackupSnapshot, async ({ actor, params, query, reply }) => {
        const json = await files.browse(actor, params.id, query.orgId, query.path)
        return reply
          .headers({ 'content-type': contract.browseBackupSnapshot.content, 'cache-control': 'no-store' })
          .send(json)
      })
      http.user(contract.readBackupFolder, ({ actor, params, query }) => files.folder(actor, params.id, query))
      http.user(contract.compareBackupSnapshots, ({ actor, params, query }) => files.compare(actor, params, query))
      http.user(contract.searchBackedUpFiles, ({ actor, params, query }) => files.search(actor, params.deviceId, query))
      http.user(contract.readFileVersions, ({ actor, params, query }) => files.versions(actor, params.deviceId, query))
      http.user(contract.listBackupSnapshots, ({ actor, query }) => snapshots.list(actor, query))
      http.user(contract.readBackupSnapshot, ({ actor, params, query }) =>
        snapshots.read(actor, params.id, query.orgId),
      )
    },
  }
}
