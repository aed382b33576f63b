import * as contract from '../../../shared/api/backup-preview.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Connections, DeviceWork } from '../device-connections/index.ts'
import type { DeviceServices } from '../devices/index.ts'
import { BackupPreviews } from './backup-previews.ts'

interface PreviewDependencies extends Pick<DeviceServices, 'devices'> {
  connections: Connections
  work: DeviceWork
}

/** What backups would read, asked of the devices themselves. Nothing of it is kept. */
export function createBackupPreview(services: Services, dependencies: PreviewDependencies): Module<null> {
  const previews = new BackupPreviews({ ...services, ...dependencies })
  dependencies.work.takeResults((actor, id, reported) => previews.take(actor, id, reported))
  return {
    api: null,
    routes: (http) => {
      http.user(contract.previewBackup, async ({ actor, body, reply }) => {
        const left = new AbortController()
        reply.raw.once('close', () => left.abort())
        return { data: await previews.run(actor, body, left.signal) }
      })
    },
    stop: () => previews.stop(),
  }
}
