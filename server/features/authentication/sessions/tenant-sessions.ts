import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { organizationsOf, type Tenant } from '../../../db/tenant.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'

/** Why the sessions ended of people whose company or organization was closed: while it is, they are told so. */
export const tenantClosed = 'tenant-closed'
/** Of an organization that goes over into another one, in which they sign in anew. */
const tenantMerging = 'tenant-merging'

/**
 * Ends the sessions of those who work in the tenant and nowhere else. People who also belong to another one that is
 * open are refused here and go on there. Joins the transaction that closes the tenant, after it has its new status.
 */
export function endSessionsOf(
  db: Database,
  clock: Clock,
  tenant: Tenant,
  reason: typeof tenantClosed | typeof tenantMerging = tenantClosed,
): void {
  db.run(
    q
      .updateTable('sessions')
      .set({ revoked_at: isoNow(clock), revoked_reason: reason })
      .where('revoked_at', 'is', null)
      .where('user_id', 'in', membershipsIn(tenant, 'user_id'))
      .where(({ or, eb }) =>
        // Sessions from before several memberships were possible name none.
        or([eb('membership_id', 'in', membershipsIn(tenant, 'id')), eb('membership_id', 'is', null)]),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('partner_users')
              .innerJoin('partners', 'partners.id', 'partner_users.partner_id')
              .select('partner_users.id')
              .whereRef('partner_users.user_id', '=', 'sessions.user_id')
              .where('partners.deleted_at', 'is', null)
              .where('partners.status', 'in', ['active', 'pending']),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('organization_users')
              .innerJoin('organizations', 'organizations.id', 'organization_users.org_id')
              .innerJoin('partners', 'partners.id', 'organizations.partner_id')
              .select('organization_users.id')
              .whereRef('organization_users.user_id', '=', 'sessions.user_id')
              .where('organizations.deleted_at', 'is', null)
              .where('organizations.status', 'in', ['active', 'trial'])
              .where('partners.status', '=', 'active'),
          ),
        ),
      ),
  )
}

function membershipsIn(tenant: Tenant, column: 'id' | 'user_id') {
  const below = q.selectFrom('organization_users').select(column).where('org_id', 'in', organizationsOf(tenant))
  return tenant.kind === 'organization'
    ? below
    : below.union(q.selectFrom('partner_users').select(column).where('partner_id', '=', tenant.id))
}
