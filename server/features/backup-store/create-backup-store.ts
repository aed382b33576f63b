import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readBackupStoreUsage, setBackupQuota } from '../../../shared/api/backup-quotas.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { BackupStore } from './backup-store.ts'
import { StoreCredentials } from './credentials.ts'
import { Leftovers } from './leftovers.ts'
import { StoreQuotas } from './quotas.ts'
import { StoreRefusals } from './refusals.ts'
import { RepositoryFiles } from './repository-files.ts'
import { storeRoutes } from './routes.ts'
import { StoreUsage } from './usage.ts'

const gibibyte = 1024 ** 3

export function createBackupStore(services: Services): Module<BackupStore> {
  const { config, db, clock, log, limits, audit } = services
  const root = join(config.dataDir, 'backups')
  mkdirSync(root, { recursive: true, mode: 0o700 })
  const files = new RepositoryFiles(root)
  const credentials = new StoreCredentials(db, clock)
  const refusals = new StoreRefusals({ db, clock, audit })
  const usage = new StoreUsage(db, clock)
  const quotas = new StoreQuotas({ ...services, files, usage, reservedBytes: gibibyte })
  const store = new BackupStore({ files, credentials, usage, quotas, reservedBytes: gibibyte })
  const leftovers = new Leftovers({ db, clock, log, files })
  return {
    api: store,
    jobs: [
      {
        name: 'backup-store.clean',
        description: 'Removes backups of deleted devices and organizations, and ended access to the backup store',
        schedule: '50 15 * * * *',
        run: async (signal) => {
          credentials.removeExpired()
          await leftovers.remove(signal)
        },
      },
    ],
    routes: (http) => {
      http.user(readBackupStoreUsage, async ({ actor, query }) => ({ data: await quotas.read(actor, query.orgId) }))
      http.user(setBackupQuota, async ({ actor, body }) => ({
        data: await quotas.set(actor, body.orgId, body.quotaBytes),
      }))
      return storeRoutes(http, { store, credentials, limits, refusals, root })
    },
    start: () => void files.removeDrafts().catch((err) => log.error({ err }, 'Unfinished uploads are left over')),
    stop: async () => {
      await files.stop()
      usage.save()
    },
  }
}
