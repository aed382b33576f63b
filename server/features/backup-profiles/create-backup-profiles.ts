import * as contract from '../../../shared/api/backup-profiles.ts'
import { searches } from '../../platform/http/searches.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { BackupProfiles } from './backup-profiles.ts'

export function createBackupProfiles(services: Services): Module<null> {
  const profiles = new BackupProfiles(services)
  const search = searches()
  return {
    api: null,
    routes: (http) => {
      http.user(contract.listBackupProfiles, ({ actor, query, reply }) =>
        search.steps(actor, reply, profiles.list(actor, query.orgId)),
      )
      http.user(contract.createBackupProfile, ({ actor, body, query }) => profiles.create(actor, body, query.orgId))
      http.user(contract.readBackupProfile, ({ actor, params }) => profiles.read(actor, params.id))
      http.user(contract.updateBackupProfile, ({ actor, params, body }) => profiles.update(actor, params.id, body))
      http.user(contract.deleteBackupProfile, ({ actor, params }) => {
        profiles.remove(actor, params.id)
        return { deleted: true as const }
      })
    },
  }
}
