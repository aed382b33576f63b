import type { TableName } from '../../db/database.ts'

/** What becomes of the rows of a table when an organization is erased. A table without a rule here does not compile. */
type Rule =
  /** Rows with a `device_id`: deleted before their device. `areLarge`: one may hold megabytes. */
  | { goWith: 'device'; areLarge?: true }
  /** Rows with an `org_id`, table by table in the order in which they stand here. `parent`: rows refer to each other. `isLog`: some stay. */
  | { goWith: 'organization'; parent?: string; isLog?: true }
  /** Deleted by the foreign key to a row that is, never many at once. */
  | { goWith: 'reference'; to: TableName }
  /** Sessions of somebody who belongs nowhere else. */
  | { goWith: 'membership' }
  /** The organization itself and what holds the rest of its log, last of all. */
  | { goWith: 'nothing-left' }
  | { stay: string }

export const erasureRules: Record<TableName, Rule> = {
  device_command_outputs: { goWith: 'device', areLarge: true },
  device_commands: { goWith: 'device', areLarge: true },
  device_reports: { goWith: 'device', areLarge: true },
  device_software: { goWith: 'device' },
  device_metrics: { goWith: 'device' },
  device_hardware: { goWith: 'device' },
  device_recovery_keys: { goWith: 'device' },
  device_group_members: { goWith: 'device' },
  device_group_log: { goWith: 'device' },
  device_group_due: { goWith: 'device' },

  devices: { goWith: 'organization' },
  device_groups: { goWith: 'organization', parent: 'parent_id' },
  contact_external_links: { goWith: 'organization' },
  contacts: { goWith: 'organization' },
  api_keys: { goWith: 'organization' },
  psa_connections: { goWith: 'organization' },
  sso_providers: { goWith: 'organization' },
  sso_verified_domains: { goWith: 'organization' },
  enrollment_keys: { goWith: 'organization' },
  sites: { goWith: 'organization' },
  organization_users: { goWith: 'organization' },
  invitations: { goWith: 'organization' },
  roles: { goWith: 'organization', parent: 'parent_role_id' },
  // After everything that may still write into it.
  audit_logs: { goWith: 'organization', isLog: true },
  audit_chains: { goWith: 'nothing-left' },
  organizations: { goWith: 'nothing-left' },

  sessions: { goWith: 'membership' },
  refresh_tokens: { goWith: 'reference', to: 'sessions' },
  role_permissions: { goWith: 'reference', to: 'roles' },
  user_sso_identities: { goWith: 'reference', to: 'sso_providers' },
  sso_sessions: { goWith: 'reference', to: 'sso_providers' },
  sso_exchange_grants: { goWith: 'reference', to: 'sso_providers' },

  partner_users: { stay: 'the last step takes the organization out of their lists' },
  partners: { stay: 'the order they prefer is kept with the organizations' },
  partner_login_branding: { stay: 'of the partner' },
  users: { stay: 'an identity belongs to no tenant' },
  user_avatars: { stay: 'of an identity' },
  user_passkeys: { stay: 'of an identity' },
  one_time_secrets: { stay: 'of an identity, and short-lived' },
  permissions: { stay: 'the catalogue is the same for everybody' },
  org_merge_events: { stay: 'history of the appliance, made to outlive both organizations' },
  org_merge_undo: { stay: 'gone before a merge hands its shell over to be erased' },
  sso_seen_codes: { stay: 'of nobody, and short-lived' },
  tasks: { stay: 'tells how the erasure goes, and that it is done; mail is to people of the partner' },
  job_runs: { stay: 'about the appliance' },
  rate_limits: { stay: 'about callers, and short-lived' },
  settings: { stay: 'about the appliance' },
}

export const tablesThatGoWith = (owner: 'device' | 'organization'): TableName[] =>
  (Object.keys(erasureRules) as TableName[]).filter((table) => {
    const rule = erasureRules[table]
    return 'goWith' in rule && rule.goWith === owner
  })
