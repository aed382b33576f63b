import * as foundation from './001-foundation.ts'
import * as signIn from './002-sign-in.ts'
import * as tenants from './003-tenants.ts'
import * as membershipLog from './004-membership-log.ts'
import * as people from './005-people.ts'
import * as sso from './006-sso.ts'
import * as invitations from './007-invitations.ts'
import * as mfaReset from './008-mfa-reset.ts'
import * as boundedWork from './009-bounded-work.ts'
import * as updatedAt from './010-updated-at.ts'
import * as emailProofs from './011-email-proofs.ts'
import * as tasks from './012-tasks.ts'
import * as attention from './013-attention.ts'
import * as deviceSearch from './014-device-search.ts'
import * as devicePresence from './015-device-presence.ts'
import * as backupStorage from './016-backup-storage.ts'
import * as configurationPolicies from './017-configuration-policies.ts'
import * as backupEngine from './018-backup-engine.ts'
import * as backupJobs from './019-backup-jobs.ts'
import * as restores from './020-restores.ts'
import * as backupMaintenance from './021-backup-maintenance.ts'
import * as backupQuotas from './022-backup-quotas.ts'
import * as backupReports from './023-backup-reports.ts'
import * as backupJobLists from './024-backup-job-lists.ts'
import * as backupKeys from './025-backup-keys.ts'
import * as unusualChanges from './026-unusual-changes.ts'
import * as backupVerifications from './027-backup-verifications.ts'
import * as backupVaults from './028-backup-vaults.ts'
import * as backupUsage from './029-backup-usage.ts'
import * as recoverySheetReminders from './030-recovery-sheet-reminders.ts'
import * as backupSla from './031-backup-sla.ts'
import * as backupReadiness from './032-backup-readiness.ts'
import * as objectLock from './033-object-lock.ts'
import * as secondCopies from './034-second-copies.ts'
import * as copyPlaces from './035-copy-places.ts'
import * as legalHoldPolicies from './036-legal-hold-policies.ts'
import * as forgottenRepositories from './037-forgotten-repositories.ts'
import * as begunCopies from './038-begun-copies.ts'

export interface Migration {
  name: string
  sql: string
}

/** In order, by hand: bundlers cannot read folders. A released migration is never edited. */
export const migrations: readonly Migration[] = [
  foundation,
  signIn,
  tenants,
  membershipLog,
  people,
  sso,
  invitations,
  mfaReset,
  boundedWork,
  updatedAt,
  emailProofs,
  tasks,
  attention,
  deviceSearch,
  devicePresence,
  backupStorage,
  configurationPolicies,
  backupEngine,
  backupJobs,
  restores,
  backupMaintenance,
  backupQuotas,
  backupReports,
  backupJobLists,
  backupKeys,
  unusualChanges,
  backupVerifications,
  backupVaults,
  backupUsage,
  recoverySheetReminders,
  backupSla,
  backupReadiness,
  objectLock,
  secondCopies,
  copyPlaces,
  legalHoldPolicies,
  forgottenRepositories,
  begunCopies,
]
