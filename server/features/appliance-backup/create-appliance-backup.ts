import { downloadBackup, mostUnknownFolders, readBackup } from '../../../shared/api/appliance-backup.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Authentication } from '../authentication/index.ts'
import { unknownFolders } from '../backup-store/index.ts'
import { BackupDownloads } from './downloads.ts'
import { lastBackup } from './last-backup.ts'
import { opensHereOnly } from './wrapped-keys.ts'

/** Backups of the appliance itself, as an administrator sees and takes them. */
export function createApplianceBackup(
  services: Services,
  { assertOwner }: Pick<Authentication, 'assertOwner'>,
): Module<null> {
  const { db, config, log } = services
  const { dataDir } = config
  const downloads = new BackupDownloads({ ...services, dataDir })
  return {
    api: null,
    routes: (http) => {
      http.user(readBackup, () => ({
        last: lastBackup(db).read(),
        opensHereOnly: opensHereOnly(dataDir),
        unknownInStore: unknownFolders(db, mostUnknownFolders),
      }))
      http.user(downloadBackup, async ({ actor, body, reply }) => {
        await assertOwner(actor, body?.currentPassword)
        return downloads.send(actor, reply)
      })
    },
    start: () => void downloads.removeLeftovers().catch((err) => log.error({ err }, 'A backup is left over')),
    stop: () => downloads.stop(),
  }
}
