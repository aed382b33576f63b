import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { surfaceOf, type TenantSuspension, tenantState } from '../devices/index.ts'

/** What the devices of an organization have to look like; follows from the status of the tenant and nothing else. */
export interface DeviceTarget {
  /** Why agent tokens are suspended; null when they work. */
  suspension: TenantSuspension | null
  /** Why every agent is asked to remove itself; empty when none is. */
  removalReasons: string[]
}

const drain = 'tenant_offboarding'
export const drainOfOrganization = (id: string): string => `${drain}:org:${id}`
export const drainOfPartner = (id: string): string => `${drain}:partner:${id}`

/** Undefined once the organization is gone. */
export function deviceTargetOf(db: Database, orgId: string): DeviceTarget | undefined {
  const tenant = db.first(
    q
      .selectFrom('organizations')
      .innerJoin('partners', 'partners.id', 'organizations.partner_id')
      .select(['organizations.id', 'organizations.partner_id', ...tenantState])
      .where('organizations.id', '=', orgId),
  )
  if (!tenant) return undefined
  if (tenant.org_status === 'archived' || tenant.org_status === 'purging')
    return { suspension: 'org_archived', removalReasons: [] }
  // A pending partner is kept out by its status; tokens need no suspension.
  const surface = surfaceOf(tenant.partner_status === 'pending' ? { ...tenant, partner_status: 'active' } : tenant)
  if (surface === 'closed') return { suspension: 'tenant_suspended', removalReasons: [] }
  const reasons = [
    ...(tenant.org_status === 'offboarding' ? [drainOfOrganization(tenant.id)] : []),
    ...(tenant.partner_status === 'offboarding' ? [drainOfPartner(tenant.partner_id)] : []),
  ]
  return { suspension: null, removalReasons: reasons }
}
