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
  created_at: string
  updated_at: string
  deleted_at: string | null
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
  created_at: string
  updated_at: string
  deleted_at: string | null
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
