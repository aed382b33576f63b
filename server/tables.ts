import type { ColumnsOf, Table } from './db/table.ts'
import { accessTables } from './features/access/tables.ts'
import { apiKeysTables } from './features/api-keys/tables.ts'
import { authenticationTables } from './features/authentication/tables.ts'
import { backupAttentionTables } from './features/backup-attention/tables.ts'
import { backupJobsTables } from './features/backup-jobs/tables.ts'
import { backupObjectLockTables } from './features/backup-object-lock/tables.ts'
import { backupPoliciesTables } from './features/backup-policies/tables.ts'
import { backupProfilesTables } from './features/backup-profiles/tables.ts'
import { backupReadinessTables } from './features/backup-readiness/tables.ts'
import { backupReportsTables } from './features/backup-reports/tables.ts'
import { backupRestoresTables } from './features/backup-restores/tables.ts'
import { backupSlaTables } from './features/backup-sla/tables.ts'
import { backupSnapshotsTables } from './features/backup-snapshots/tables.ts'
import { backupStorageTables } from './features/backup-storage/tables.ts'
import { backupStoreTables } from './features/backup-store/tables.ts'
import { backupUsageTables } from './features/backup-usage/tables.ts'
import { backupVaultsTables } from './features/backup-vaults/tables.ts'
import { backupVerificationTables } from './features/backup-verification/tables.ts'
import { commandsTables } from './features/commands/tables.ts'
import { configurationPoliciesTables } from './features/configuration-policies/tables.ts'
import { contactsTables } from './features/contacts/tables.ts'
import { deviceGroupsTables } from './features/device-groups/tables.ts'
import { devicesTables } from './features/devices/tables.ts'
import { enrollmentKeysTables } from './features/enrollment-keys/tables.ts'
import { inventoryTables } from './features/inventory/tables.ts'
import { loginBrandingTables } from './features/login-branding/tables.ts'
import { organizationMergeTables } from './features/organization-merge/tables.ts'
import { organizationsTables } from './features/organizations/tables.ts'
import { partnersTables } from './features/partners/tables.ts'
import { peopleTables } from './features/people/tables.ts'
import { psaTables } from './features/psa/tables.ts'
import { sitesTables } from './features/sites/tables.ts'
import { ssoTables } from './features/sso/tables.ts'
import { unusualChangesTables } from './features/unusual-changes/tables.ts'
import { auditTables } from './platform/audit-tables.ts'
import { platformTables } from './platform/tables.ts'

/**
 * Every table there is; what each is for stands beside the feature that owns it. Each stands after those it refers to:
 * merges move rows in this order, erasure deletes them in the reverse.
 */
export const tables = {
  ...platformTables,
  ...auditTables,
  ...partnersTables,
  ...organizationsTables,
  ...sitesTables,
  ...accessTables,
  ...authenticationTables,
  ...peopleTables,
  ...enrollmentKeysTables,
  ...apiKeysTables,
  ...ssoTables,
  ...psaTables,
  ...loginBrandingTables,
  ...deviceGroupsTables,
  ...contactsTables,
  ...devicesTables,
  ...inventoryTables,
  ...commandsTables,
  ...backupStorageTables,
  ...backupJobsTables,
  ...backupSnapshotsTables,
  ...backupObjectLockTables,
  ...backupVaultsTables,
  ...backupRestoresTables,
  ...backupAttentionTables,
  ...unusualChangesTables,
  ...backupSlaTables,
  ...backupVerificationTables,
  ...backupReadinessTables,
  ...backupReportsTables,
  ...backupUsageTables,
  ...backupStoreTables,
  ...backupProfilesTables,
  ...configurationPoliciesTables,
  ...backupPoliciesTables,
  ...organizationMergeTables,
}

export type TableName = keyof typeof tables
/** The columns of every table, by its name in the file. */
export type Tables = { [Name in TableName]: ColumnsOf<(typeof tables)[Name]> }

export const isTableName = (name: string): name is TableName => Object.hasOwn(tables, name)
export const tableNames = Object.keys(tables).filter(isTableName)
/** What a table is to tenants, merges and erasure, whatever its columns. */
export const rulesOf = (name: TableName): Table<never> => tables[name]
