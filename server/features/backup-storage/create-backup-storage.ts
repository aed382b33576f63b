import { join } from 'node:path'
import * as contract from '../../../shared/api/backup-configs.ts'
import { leftoversIn } from '../../lib/leftovers.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { BackupConfigs } from './backup-configs.ts'
import { ConfigTests } from './config-tests.ts'
import { ManagedKeys } from './managed-keys.ts'
import { StorageProbe, type StorageProbeParts } from './probe/storage-probe.ts'
import { Repositories } from './repositories.ts'
import { RepositoryLocks } from './repository-locks.ts'

export interface BackupStorage {
  configs: BackupConfigs
  keys: ManagedKeys
  repositories: Repositories
  locks: RepositoryLocks
  /** Private; for secrets while the appliance’s own restic runs. */
  resticFolder: string
}

export function createBackupStorage(
  services: Services,
  using: Pick<StorageProbeParts, 'store' | 'findRestic'>,
): Module<BackupStorage> {
  const { config, log, limits } = services
  const configs = new BackupConfigs(services)
  const keys = new ManagedKeys(services)
  const repositories = new Repositories({ ...services, keys })
  configs.keepFor((configId) => (repositories.areIn(configId) ? 'repositories of devices' : null))
  const resticFolder = join(config.dataDir, 'restic')
  const removeLeftovers = leftoversIn(resticFolder)
  const probe = new StorageProbe({ ...services, ...using, folder: resticFolder })
  const tests = new ConfigTests({ configs, probe, limits })
  const locks = new RepositoryLocks(services)
  return {
    api: { configs, keys, repositories, locks, resticFolder },
    routes: (http) => {
      http.user(contract.listBackupConfigs, ({ actor, query }) => configs.list(actor, query.orgId))
      http.user(contract.createBackupConfig, ({ actor, body, query }) => configs.create(actor, body, query.orgId))
      http.user(contract.readBackupConfig, ({ actor, params, query }) => configs.read(actor, params.id, query.orgId))
      http.user(contract.updateBackupConfig, ({ actor, params, body, query }) =>
        configs.update(actor, params.id, body, query.orgId),
      )
      http.user(contract.testBackupConfig, async ({ actor, params, query, reply }) => {
        const result = await tests.run(actor, params.id, query.orgId)
        if (result.status !== 'success') reply.code(400)
        return result
      })
      http.user(contract.deleteBackupConfig, ({ actor, params, query }) => {
        configs.remove(actor, params.id, query.orgId)
        return { deleted: true as const }
      })
    },
    start: () => void removeLeftovers().catch((err) => log.error({ err }, 'Files of restic are left over')),
    stop: () => locks.stop(),
  }
}
