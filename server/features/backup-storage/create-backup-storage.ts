import * as contract from '../../../shared/api/backup-configs.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { BackupConfigs } from './backup-configs.ts'
import { Repositories } from './repositories.ts'

export interface BackupStorage {
  configs: BackupConfigs
  repositories: Repositories
}

export function createBackupStorage(services: Services): Module<BackupStorage> {
  const configs = new BackupConfigs(services)
  const repositories = new Repositories(services)
  configs.keepFor((configId) => (repositories.areIn(configId) ? 'repositories of devices' : null))
  return {
    api: { configs, repositories },
    routes: (http) => {
      http.user(contract.listBackupConfigs, ({ actor, query }) => configs.list(actor, query.orgId))
      http.user(contract.createBackupConfig, ({ actor, body, query }) => configs.create(actor, body, query.orgId))
      http.user(contract.readBackupConfig, ({ actor, params, query }) => configs.read(actor, params.id, query.orgId))
      http.user(contract.updateBackupConfig, ({ actor, params, body, query }) =>
        configs.update(actor, params.id, body, query.orgId),
      )
      http.user(contract.deleteBackupConfig, ({ actor, params, query }) => {
        configs.remove(actor, params.id, query.orgId)
        return { deleted: true as const }
      })
    },
  }
}
