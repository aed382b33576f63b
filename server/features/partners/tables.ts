import type { Generated } from 'kysely'
import { table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface PartnerTable {
  id: string
  name: string
  slug: string
  type: Generated<'msp' | 'enterprise' | 'internal'>
  plan: Generated<'free' | 'starter' | 'community' | 'pro' | 'enterprise' | 'unlimited'>
  status: Generated<'pending' | 'active' | 'suspended' | 'churned' | 'offboarding'>
  max_organizations: number | null
  max_devices: number | null
  settings: Generated<JsonText<Record<string, unknown>>>
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

export const partnersTables = {
  partners: table<PartnerTable>({
    writtenBy: ['partners', 'lifecycle'],
    tenancy: { by: 'none', because: 'read by the id in the session only' },
    merge: { policy: 'none', because: 'of no organization' },
    erasure: { stay: 'the order they prefer is kept with the organizations' },
  }),
}
