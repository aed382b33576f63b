import type * as devices from './devices.ts'
import type * as machinery from './machinery.ts'
import type * as people from './people.ts'
import type * as sso from './sso.ts'
import type * as tenancy from './tenancy.ts'

/** Every table by its name in the file. */
export interface Tables {
  partners: tenancy.PartnerTable
  organizations: tenancy.OrganizationTable
  sites: tenancy.SiteTable
  contacts: tenancy.ContactTable
  contact_external_links: tenancy.ContactExternalLinkTable
  device_groups: tenancy.DeviceGroupTable
  device_group_members: tenancy.DeviceGroupMemberTable
  device_group_log: tenancy.DeviceGroupLogTable
  device_group_due: tenancy.DeviceGroupDueTable
  partner_login_branding: tenancy.PartnerLoginBrandingTable
  psa_connections: tenancy.PsaConnectionTable
  org_merge_events: tenancy.OrgMergeEventTable
  org_merge_undo: tenancy.OrgMergeUndoTable
  users: people.UserTable
  user_avatars: people.UserAvatarTable
  user_passkeys: people.UserPasskeyTable
  roles: people.RoleTable
  permissions: people.PermissionTable
  role_permissions: people.RolePermissionTable
  partner_users: people.PartnerUserTable
  organization_users: people.OrganizationUserTable
  invitations: people.InvitationTable
  sessions: people.SessionTable
  refresh_tokens: people.RefreshTokenTable
  one_time_secrets: people.OneTimeSecretTable
  api_keys: people.ApiKeyTable
  sso_providers: sso.SsoProviderTable
  user_sso_identities: sso.UserSsoIdentityTable
  sso_sessions: sso.SsoSessionTable
  sso_seen_codes: sso.SsoSeenCodeTable
  sso_exchange_grants: sso.SsoExchangeGrantTable
  sso_verified_domains: sso.SsoVerifiedDomainTable
  enrollment_keys: devices.EnrollmentKeyTable
  devices: devices.DeviceTable
  device_hardware: devices.DeviceHardwareTable
  device_software: devices.DeviceSoftwareTable
  device_reports: devices.DeviceReportTable
  device_recovery_keys: devices.DeviceRecoveryKeyTable
  device_metrics: devices.DeviceMetricTable
  device_commands: devices.DeviceCommandTable
  device_command_outputs: devices.DeviceCommandOutputTable
  audit_logs: machinery.AuditLogTable
  audit_chains: machinery.AuditChainTable
  tasks: machinery.TaskTable
  job_runs: machinery.JobRunTable
  rate_limits: machinery.RateLimitTable
  settings: machinery.SettingTable
}
