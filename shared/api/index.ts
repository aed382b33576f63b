import * as agentCommands from '../device/commands.ts'
import * as agentComponents from '../device/components.ts'
import * as enrollment from '../device/enroll.ts'
import * as heartbeat from '../device/heartbeat.ts'
import * as uploads from '../device/uploads.ts'
import type { Endpoint } from '../endpoint.ts'
import * as apiKeys from './api-keys.ts'
import * as applianceBackup from './appliance-backup.ts'
import * as auditLog from './audit-log.ts'
import * as auth from './auth.ts'
import * as avatars from './avatars.ts'
import * as backupConfigs from './backup-configs.ts'
import * as backupDownloads from './backup-downloads.ts'
import * as backupFileListings from './backup-file-listings.ts'
import * as backupJobs from './backup-jobs.ts'
import * as backupKeys from './backup-keys.ts'
import * as backupMaintenance from './backup-maintenance.ts'
import * as backupPreview from './backup-preview.ts'
import * as backupProfiles from './backup-profiles.ts'
import * as backupQuotas from './backup-quotas.ts'
import * as backupReadiness from './backup-readiness.ts'
import * as backupReports from './backup-reports.ts'
import * as backupRestores from './backup-restores.ts'
import * as backupSla from './backup-sla.ts'
import * as backupSnapshotProtection from './backup-snapshot-protection.ts'
import * as backupSnapshots from './backup-snapshots.ts'
import * as backupUsage from './backup-usage.ts'
import * as backupVaults from './backup-vaults.ts'
import * as backupVerification from './backup-verification.ts'
import * as commands from './commands.ts'
import * as components from './components.ts'
import * as configurationPolicies from './configuration-policies.ts'
import * as contactImport from './contact-import.ts'
import * as contacts from './contacts.ts'
import * as deviceGroups from './device-groups.ts'
import * as deviceGroupsLegacy from './device-groups-legacy.ts'
import * as devicePresence from './device-presence.ts'
import * as devices from './devices.ts'
import * as enrollmentKeys from './enrollment-keys.ts'
import * as events from './events.ts'
import * as home from './home.ts'
import * as invitations from './invitations.ts'
import * as organizationLife from './lifecycle.ts'
import * as loginBranding from './login-branding.ts'
import * as memberships from './memberships.ts'
import * as messaging from './messaging.ts'
import * as mfa from './mfa.ts'
import * as organizationMerge from './organization-merge.ts'
import * as organizations from './organizations.ts'
import * as partners from './partners.ts'
import * as passkeys from './passkeys.ts'
import * as passwords from './passwords.ts'
import * as people from './people.ts'
import * as profile from './profile.ts'
import * as psaConnections from './psa.ts'
import * as registration from './registration.ts'
import * as roles from './roles.ts'
import * as search from './search.ts'
import * as sites from './sites.ts'
import * as ssoDomains from './sso-domains.ts'
import * as ssoLinks from './sso-links.ts'
import * as ssoProviders from './sso-providers.ts'
import * as ssoSignIn from './sso-sign-in.ts'
import * as ssoTrust from './sso-trust.ts'
import * as system from './system.ts'
import * as unusualChanges from './unusual-changes.ts'

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'access' in value && 'reply' in value && 'path' in value

/** Every endpoint there is; the server refuses to start when one of them has no route. */
export const allEndpoints: readonly Endpoint[] = [
  auth,
  avatars,
  passwords,
  mfa,
  passkeys,
  registration,
  profile,
  people,
  roles,
  invitations,
  memberships,
  partners,
  messaging,
  auditLog,
  system,
  applianceBackup,
  components,
  organizations,
  organizationMerge,
  organizationLife,
  sites,
  deviceGroups,
  deviceGroupsLegacy,
  backupConfigs,
  backupDownloads,
  backupFileListings,
  backupJobs,
  backupKeys,
  backupMaintenance,
  backupPreview,
  backupQuotas,
  backupReadiness,
  backupReports,
  backupUsage,
  backupRestores,
  backupSla,
  backupSnapshotProtection,
  unusualChanges,
  backupSnapshots,
  backupVaults,
  backupProfiles,
  configurationPolicies,
  psaConnections,
  loginBranding,
  ssoProviders,
  ssoDomains,
  ssoSignIn,
  ssoLinks,
  ssoTrust,
  contacts,
  contactImport,
  enrollmentKeys,
  apiKeys,
  devicePresence,
  devices,
  search,
  backupVerification,
  commands,
  events,
  home,
  enrollment,
  heartbeat,
  agentCommands,
  agentComponents,
  uploads,
].flatMap((contracts) => Object.values(contracts).filter(isEndpoint))
