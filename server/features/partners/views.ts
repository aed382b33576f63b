import type { Partner } from '../../../shared/api/partners.ts'
import type { Database } from '../../db/database.ts'
import { fromJson } from '../../lib/json.ts'
import { organizationOrders } from './organization-order.ts'
import { answeredSettings } from './security.ts'
import { serviceManagementOf } from './service-management.ts'
import type { PartnerRow } from './store.ts'

type IsShown = (orgId: string) => boolean
const all: IsShown = () => true

export function partnerViews(db: Database, rows: readonly PartnerRow[], isShown = all): Partner[] {
  const orders = organizationOrders(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => viewOf(row, (orders.get(row.id) ?? []).filter(isShown)))
}

export const partnerView = (db: Database, row: PartnerRow, isShown = all): Partner =>
  viewOf(row, (organizationOrders(db, [row.id]).get(row.id) ?? []).filter(isShown))

const viewOf = (row: PartnerRow, organizationOrder: string[]): Partner => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  type: row.type,
  plan: row.plan,
  status: row.status,
  maxOrganizations: row.max_organizations,
  maxDevices: row.max_devices,
  settings: {
    ...answeredSettings(fromJson(row.settings)),
    ...(organizationOrder.length > 0 && { organizationOrder }),
  },
  billingEmail: row.billing_email,
  ...serviceManagementOf(row),
  timezone: row.timezone,
  inboundLocalPart: row.inbound_local_part,
  emailSignature: row.email_signature,
  currencyCode: row.currency_code,
  offboardingStartedAt: row.offboarding_started_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
