import type { Generated } from 'kysely'
import { table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface OrganizationTable {
  id: string
  partner_id: string
  name: string
  slug: string
  type: Generated<'customer' | 'internal'>
  status: Generated<'active' | 'suspended' | 'trial' | 'churned' | 'offboarding' | 'merging' | 'archived' | 'purging'>
  max_devices: number | null
  settings: Generated<JsonText<Record<string, unknown>>>
  sso_config: JsonText<Record<string, unknown>> | null
  contract_start: string | null
  contract_end: string | null
  billing_contact: JsonText<Record<string, unknown>> | null
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

export const organizationsTables = {
  organizations: table<OrganizationTable>({
    writtenBy: ['organizations', 'audit-log', 'lifecycle', 'organization-merge', 'partners'],
    tenancy: { by: 'organization', org: 'id', partner: 'partner_id' },
    merge: { policy: 'loser-shell' },
    erasure: { goWith: 'nothing-left' },
  }),
}
