import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { ConfigurationPolicies } from '../configuration-policies/index.ts'
import { BackupLinks } from './backup-links.ts'
import { BackupPolicies } from './backup-policies.ts'

export interface BackupPolicyServices {
  backupPolicies: BackupPolicies
}

export function createBackupPolicies(
  { db }: Services,
  { configurationPolicies }: { configurationPolicies: ConfigurationPolicies },
): Module<BackupPolicyServices> {
  configurationPolicies.links.register('backup', new BackupLinks(db))
  return { api: { backupPolicies: new BackupPolicies(db) } }
}
