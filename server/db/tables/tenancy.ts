import type { Generated } from 'kysely'

/** JSON columns hold text; the store that owns the table parses them. Flags are 0 or 1, instants ISO 8601 UTC. */
export type Flag = 0 | 1

export interface PartnerTable {
  id: string
  name: string
  slug: string
  type: Generated<'msp' | 'enterprise' | 'internal'>
  plan: Generated<'free' | 'starter' | 'community' | 'pro' | 'enterprise' | 'unlimited'>
  status: Generated<'pending' | 'active' | 'suspended' | 'churned' | 'offboarding'>
  max_organizations: number | null
  max_devices: number | null
  settings: Generated<string>
  service_management_mode: Generated<'native' | 'external' | 'off'>
  service_management_psa_connection_id: string | null
  sso_config: string | null
  billing_email: string | null
  timezone: Generated<string>
  currency_code: Generated<string>
  offboarding_started_at: string | null
  /** The devices do not follow the status yet; holds what a removal is cancelled with that nobody wants any more. */
  unsettled: string | null
  inbound_local_part: string | null
  email_signature: string | null
  created_at: string
  updated_at: string
  deleted_at: string | null
}

export interface PartnerLoginBrandingTable {
  partner_id: string
  logo_url: string | null
  accent_color: string | null
  headline: string | null
  created_at: string
  updated_at: string
}

export interface PsaConnectionTable {
  id: string
  org_id: string | null
  partner_id: string | null
  provider: 'connectwise' | 'autotask' | 'servicenow' | 'freshservice' | 'zendesk' | 'jira'
  name: string
  status: Generated<'active' | 'paused' | 'error'>
  credentials: string | null
  settings: Generated<string>
  last_tested_at: string | null
  last_synced_at: string | null
  created_at: string
  updated_at: string
}

export interface OrganizationTable {
  id: string
  partner_id: string
  name: string
  slug: string
  type: Generated<'customer' | 'internal'>
  status: Generated<'active' | 'suspended' | 'trial' | 'churned' | 'offboarding' | 'merging' | 'archived' | 'purging'>
  max_devices: number | null
  settings: Generated<string>
  sso_config: string | null
  contract_start: string | null
  contract_end: string | null
  billing_contact: string | null
  currency_code: Generated<string>
  display_order: Generated<number>
  device_count: Generated<number>
  offboarding_started_at: string | null
  offboarding_target: Generated<'churn' | 'archive'>
  archived_at: string | null
  purge_at: string | null
  archive_prior_status: 'active' | 'trial' | 'suspended' | null
  merge_prior_status: 'active' | 'trial' | 'suspended' | null
  purge_warn_14_sent_at: string | null
  purge_warn_1_sent_at: string | null
  purge_recovery_attempts: Generated<number>
  billing_contact_id: string | null
  /** As of a partner. */
  unsettled: string | null
  /** Row number in the search index; a trigger sets it. */
  seq: Generated<number>
  created_at: string
  updated_at: string
  deleted_at: string | null
  /** How long audit events are kept; null: as long as those of an organization that says nothing. */
  audit_retention_days: number | null
}

export interface SiteTable {
  id: string
  org_id: string
  name: string
  address: string | null
  timezone: Generated<string>
  contact: string | null
  settings: string | null
  device_count: Generated<number>
  created_at: string
  updated_at: string
}

export interface ContactTable {
  id: string
  org_id: string
  site_id: string | null
  name: string | null
  name_key: string | null
  email: string | null
  phone: string | null
  mobile: string | null
  title: string | null
  roles: Generated<string>
  is_primary: Generated<Flag>
  notes: string | null
  created_by: string | null
  created_at: string
  updated_at: string
}

export interface ContactExternalLinkTable {
  id: string
  org_id: string
  contact_id: string
  system: string
  external_id: string
  created_at: string
}

export interface DeviceGroupTable {
  id: string
  org_id: string
  site_id: string | null
  parent_id: string | null
  name: string
  type: Generated<'static' | 'dynamic'>
  rules: string | null
  filter_conditions: string | null
  filter_fields_used: Generated<string>
  created_at: string
  updated_at: string
}

export interface DeviceGroupMemberTable {
  group_id: string
  device_id: string
  is_pinned: Generated<Flag>
  added_by: 'manual' | 'dynamic_rule' | 'policy'
  added_at: string
}

/** How the members of a group came and went, the oldest first by `id`. */
export interface DeviceGroupLogTable {
  id: Generated<number>
  group_id: string
  device_id: string
  action: 'added' | 'removed' | 'pinned' | 'unpinned'
  reason: 'manual' | 'filter_match' | 'filter_unmatch' | 'pinned' | 'unpinned'
  /** Null where a rule did it, or where the device left because it moved. */
  changed_by: string | null
  created_at: string
}

/** Devices whose memberships in dynamic groups are to be found anew; triggers fill it. */
export interface DeviceGroupDueTable {
  device_id: string
  /** How often it changed again before it was looked at. */
  changes: Generated<number>
}

export interface OrgMergeEventTable {
  id: string
  partner_id: string
  loser_org_id: string
  loser_org_name: string
  survivor_org_id: string
  actor_user_id: string | null
  summary: string
  created_at: string
}

/** What a merge has touched, as it was before. */
export interface OrgMergeUndoTable {
  seq: Generated<number>
  job_id: string
  table_name: string
  row_id: string
  before: string
  is_deleted: Generated<Flag>
}
