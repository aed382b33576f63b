import type { TableName } from '../../db/database.ts'
import { apiKeys, contacts, enrollmentKeys, memberships, ssoProviders } from './custom.ts'
import type { MergePolicy } from './policy.ts'

/**
 * Every table, in the order in which they move. One without a policy here does not compile, one with a policy that does
 * not fit it stops the start.
 */
export const mergePolicies: Record<TableName, MergePolicy> = {
  sites: { policy: 'repoint' },
  roles: { policy: 'repoint' },
  organization_users: memberships,
  invitations: { policy: 'dedupe', same: ['user_id'] },
  enrollment_keys: enrollmentKeys,
  api_keys: apiKeys,
  sso_providers: ssoProviders,
  sso_verified_domains: { policy: 'dedupe', same: ['domain'] },
  psa_connections: { policy: 'repoint' },
  device_groups: { policy: 'repoint' },
  contacts,
  contact_external_links: { policy: 'dedupe', same: ['system', 'external_id'] },
  // An agent may enroll anew at any moment, at a site of the survivor.
  devices: { policy: 'repoint', alsoKept: ['site_id'] },

  role_permissions: { policy: 'follows-parent', parent: 'roles' },
  device_group_members: { policy: 'follows-parent', parent: 'device_groups' },
  device_group_log: { policy: 'follows-parent', parent: 'device_groups' },
  device_group_due: { policy: 'follows-parent', parent: 'devices' },
  device_hardware: { policy: 'follows-parent', parent: 'devices' },
  device_software: { policy: 'follows-parent', parent: 'devices' },
  device_reports: { policy: 'follows-parent', parent: 'devices' },
  device_recovery_keys: { policy: 'follows-parent', parent: 'devices' },
  device_metrics: { policy: 'follows-parent', parent: 'devices' },
  device_commands: { policy: 'follows-parent', parent: 'devices' },
  device_command_outputs: { policy: 'follows-parent', parent: 'devices' },
  user_sso_identities: { policy: 'follows-parent', parent: 'sso_providers' },
  sso_sessions: { policy: 'follows-parent', parent: 'sso_providers' },
  sso_exchange_grants: { policy: 'follows-parent', parent: 'sso_providers' },

  audit_logs: { policy: 'leave-for-erasure' },
  audit_chains: { policy: 'leave-for-erasure' },
  organizations: { policy: 'loser-shell' },

  partners: { policy: 'none', because: 'of no organization' },
  partner_users: { policy: 'none', because: 'the last step puts the survivor into their lists' },
  partner_login_branding: { policy: 'none', because: 'of the partner' },
  org_merge_events: { policy: 'none', because: 'history, made to outlive both organizations' },
  org_merge_undo: { policy: 'none', because: 'belongs to the merge itself' },
  users: { policy: 'none', because: 'an identity belongs to no tenant' },
  user_avatars: { policy: 'none', because: 'of an identity' },
  user_passkeys: { policy: 'none', because: 'of an identity' },
  sessions: { policy: 'none', because: 'of an identity; those of members end with the fence' },
  refresh_tokens: { policy: 'none', because: 'of a session' },
  one_time_secrets: { policy: 'none', because: 'of an identity, and short-lived' },
  permissions: { policy: 'none', because: 'the catalogue is the same for everybody' },
  sso_seen_codes: { policy: 'none', because: 'of nobody, and short-lived' },
  tasks: { policy: 'none', because: 'tells what was done with the organization of that id' },
  job_runs: { policy: 'none', because: 'about the appliance' },
  rate_limits: { policy: 'none', because: 'about the appliance' },
  settings: { policy: 'none', because: 'about the appliance' },
}
