import type { Selectable } from 'kysely'
import type { Partner } from '../../../shared/api/partners.ts'
import type { PartnerTable } from '../../db/tables/tenancy.ts'
import { answeredSettings } from './security.ts'
import type { Json } from './settings.ts'

export type PartnerRow = Selectable<PartnerTable>

export const partnerView = (row: PartnerRow): Partner => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  type: row.type,
  plan: row.plan,
  status: row.status,
  maxOrganizations: row.max_organizations,
  maxDevices: row.max_devices,
  settings: answeredSettings(JSON.parse(row.settings) as Json),
  billingEmail: row.billing_email,
  serviceManagementMode: row.service_management_mode,
  serviceManagementPsaConnectionId: row.service_management_psa_connection_id,
  timezone: row.timezone,
  currencyCode: row.currency_code,
  offboardingStartedAt: row.offboarding_started_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
