import { accessErrors } from './access.ts'
import { agentsErrors } from './agents.ts'
import { apiKeysErrors } from './api-keys.ts'
import { auditLogErrors } from './audit-log.ts'
import { authenticationErrors } from './authentication.ts'
import { backupDownloadsErrors } from './backup-downloads.ts'
import { backupEngineErrors } from './backup-engine.ts'
import { backupJobsErrors } from './backup-jobs.ts'
import { backupKeysErrors } from './backup-keys.ts'
import { backupMaintenanceErrors } from './backup-maintenance.ts'
import { backupPreviewErrors } from './backup-preview.ts'
import { backupProfilesErrors } from './backup-profiles.ts'
import { backupRestoresErrors } from './backup-restores.ts'
import { backupSnapshotProtectionErrors } from './backup-snapshot-protection.ts'
import { backupSnapshotsErrors } from './backup-snapshots.ts'
import { backupStorageErrors } from './backup-storage.ts'
import { backupStoreErrors } from './backup-store.ts'
import { backupVaultsErrors } from './backup-vaults.ts'
import { backupVerificationErrors } from './backup-verification.ts'
import { commandsErrors } from './commands.ts'
import { componentsErrors } from './components.ts'
import { configurationPoliciesErrors } from './configuration-policies.ts'
import { contactsErrors } from './contacts.ts'
import { deviceGroupsErrors } from './device-groups.ts'
import { devicesErrors } from './devices.ts'
import { enrollmentKeysErrors } from './enrollment-keys.ts'
import { httpErrors } from './http.ts'
import { lifecycleErrors } from './lifecycle.ts'
import { messagingErrors } from './messaging.ts'
import { organizationAccessErrors } from './organization-access.ts'
import { organizationMergeErrors } from './organization-merge.ts'
import { organizationsErrors } from './organizations.ts'
import { partnersErrors } from './partners.ts'
import { peopleErrors } from './people.ts'
import { psaErrors } from './psa.ts'
import { sitesErrors } from './sites.ts'
import { ssoErrors } from './sso.ts'
import { systemErrors } from './system.ts'
import { unusualChangesErrors } from './unusual-changes.ts'

/**
 * Every refusal the server can utter. The key is the wire `code`, unless the row names another one that two refusals
 * share; `error` is the text clients of the public API know. A service throws the key, one place turns it into an
 * answer, the console chooses its words by the code.
 */
export const errorTable = {
  ...accessErrors,
  ...agentsErrors,
  ...apiKeysErrors,
  ...auditLogErrors,
  ...authenticationErrors,
  ...backupEngineErrors,
  ...backupJobsErrors,
  ...backupKeysErrors,
  ...backupMaintenanceErrors,
  ...backupDownloadsErrors,
  ...backupPreviewErrors,
  ...backupRestoresErrors,
  ...backupSnapshotProtectionErrors,
  ...unusualChangesErrors,
  ...backupVerificationErrors,
  ...backupSnapshotsErrors,
  ...backupProfilesErrors,
  ...backupStorageErrors,
  ...backupStoreErrors,
  ...backupVaultsErrors,
  ...commandsErrors,
  ...configurationPoliciesErrors,
  ...componentsErrors,
  ...contactsErrors,
  ...deviceGroupsErrors,
  ...devicesErrors,
  ...enrollmentKeysErrors,
  ...httpErrors,
  ...lifecycleErrors,
  ...messagingErrors,
  ...organizationAccessErrors,
  ...organizationMergeErrors,
  ...organizationsErrors,
  ...partnersErrors,
  ...peopleErrors,
  ...psaErrors,
  ...sitesErrors,
  ...ssoErrors,
  ...systemErrors,
} as const

export type ErrorCode = keyof typeof errorTable

export const wireCodeOf = (code: ErrorCode): ErrorCode => {
  const row = errorTable[code]
  return 'code' in row ? row.code : code
}

/** The body of every refusal. */
export interface ErrorBody {
  error: string
  message?: string
  code: ErrorCode
  details?: { formErrors: string[]; fieldErrors: Record<string, string[]> } | Record<string, unknown>
  retryAfter?: number
  requestId?: string
  [extra: string]: unknown
}
