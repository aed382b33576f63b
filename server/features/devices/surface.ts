import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'

/** What the agents of an organization may do. */
export type AgentSurface = 'full' | 'report-only' | 'drain' | 'held' | 'closed'

export const tenantState = [
  'organizations.status as org_status',
  'organizations.deleted_at as org_deleted_at',
  'partners.status as partner_status',
  'partners.deleted_at as partner_deleted_at',
] as const

interface TenantState {
  org_status: string
  org_deleted_at: string | null
  partner_status: string
  partner_deleted_at: string | null
}

export function surfaceOf(tenant: TenantState): AgentSurface {
  if (tenant.org_deleted_at !== null || tenant.partner_deleted_at !== null) return 'closed'
  if (!['active', 'offboarding'].includes(tenant.partner_status)) return 'closed'
  if (['churned', 'archived', 'purging'].includes(tenant.org_status)) return 'closed'
  if (tenant.partner_status === 'offboarding' || tenant.org_status === 'offboarding') return 'drain'
  // A merge moves rows now, and what came in might be lost: the agent retries.
  if (tenant.org_status === 'merging') return 'held'
  return tenant.org_status === 'active' || tenant.org_status === 'trial' ? 'full' : 'report-only'
}

/** Whether a device may be given work: it is in service, and so is its organization. */
export function mayWork(db: Database, deviceId: string): boolean {
  const device = db.first(q.selectFrom('devices').select(['org_id', 'status']).where('id', '=', deviceId))
  if (!device || device.status === 'decommissioned' || device.status === 'quarantined') return false
  return surfaceOfOrganization(db, device.org_id) === 'full'
}

export function surfaceOfOrganization(db: Database, orgId: string): AgentSurface {
  const tenant = db.first(
    q
      .selectFrom('organizations')
      .innerJoin('partners', 'partners.id', 'organizations.partner_id')
      .select(tenantState)
      .where('organizations.id', '=', orgId),
  )
  return tenant ? surfaceOf(tenant) : 'closed'
}
