import { listFilesOfSnapshot, readFileListing } from '../../../shared/api/backup-file-listings.ts'
import * as protectionContract from '../../../shared/api/backup-snapshot-protection.ts'
import * as contract from '../../../shared/api/backup-snapshots.ts'
import { AppError } from '../../platform/errors.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { ApplianceRestic } from '../backup-engine/index.ts'
import type { BackupPolicyServices } from '../backup-policies/index.ts'
import type { BackupStorage } from '../backup-storage/index.ts'
import type { DeviceServices } from '../devices/index.ts'
import type { SnapshotIndex } from '../snapshot-index/index.ts'
import { DeviceBackups } from './device-backups.ts'
import { FileListings } from './file-listings.ts'
import { BackedUpFiles } from './files.ts'
import { SnapshotProtection } from './snapshot-protection.ts'
import { Snapshots } from './snapshots.ts'

interface SnapshotDependencies
  extends Pick<DeviceServices, 'devices' | 'signals'>,
    BackupStorage,
    BackupPolicyServices {
  index: SnapshotIndex
  restic: ApplianceRestic
}

export interface BackupSnapshots {
  snapshots: Snapshots
  files: BackedUpFiles
  listings: FileListings
}

export function createBackupSnapshots(
  services: Services,
  { devices, signals, configs, repositories, locks, index, backupPolicies, restic }: SnapshotDependencies,
): Module<BackupSnapshots> {
  const snapshots = new Snapshots({ ...services, devices })
  const files = new BackedUpFiles({ ...services, devices, snapshots, index })
  const listings = new FileListings({ ...services, snapshots, index, restic })
  const protection = new SnapshotProtection({ ...services, snapshots, backupPolicies })
  const deviceBackups = new DeviceBackups({ ...services, devices, repositories, locks })
  signals.deleting.on(({ deviceId }) => {
    if (snapshots.areOf(deviceId)) throw new AppError('device_has_backups')
    repositories.forget(deviceId)
  })
  configs.keepFor((configId) => (snapshots.isIn(configId) ? 'snapshots' : null))
  return {
    api: { snapshots, files, listings },
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
      http.user(contract.deleteDeviceBackups, ({ actor, params }) => deviceBackups.remove(actor, params.deviceId))
      http.user(contract.listBackupSnapshots, ({ actor, query }) => snapshots.list(actor, query))
      http.user(contract.readBackupSnapshot, ({ actor, params, query }) =>
        snapshots.read(actor, params.id, query.orgId),
      )
      http.user(readFileListing, async ({ actor, params, query }) => ({
        data: await listings.read(actor, params.id, query.orgId),
      }))
      http.user(listFilesOfSnapshot, async ({ actor, params, query }) => ({
        data: await listings.start(actor, params.id, query.orgId),
      }))
      protectionRoutes(http, protection)
    },
  }
}

function protectionRoutes(http: Http, protection: SnapshotProtection): void {
  const named = ({ params, query }: { params: { id: string }; query: { orgId?: string | undefined } }) => ({
    id: params.id,
    orgId: query.orgId,
  })
  http.user(protectionContract.applyLegalHold, ({ actor, body, ...of }) =>
    protection.hold(actor, named(of), body.reason),
  )
  http.user(protectionContract.releaseLegalHold, ({ actor, body, ...of }) =>
    protection.releaseHold(actor, named(of), body.reason),
  )
  http.user(protectionContract.deleteLegalHold, ({ actor, ...of }) => protection.releaseHold(actor, named(of), null))
  http.user(protectionContract.applyImmutability, ({ actor, body, ...of }) =>
    protection.makeImmutable(actor, named(of), body),
  )
  http.user(protectionContract.releaseImmutability, ({ actor, body, ...of }) =>
    protection.releaseImmutability(actor, named(of), body.reason),
  )
}
