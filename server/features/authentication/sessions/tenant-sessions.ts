import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { organizationsOf, type Tenant } from '../../../db/tenant.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'

/** Revocation reason for a tenant that was closed: while it is closed, its users are told so instead of signed out. */
export const tenantClosed = 'tenant-closed'
/** Revocation reason for an organization that is merged into another one, where its users sign in again. */
const tenantMerging = 'tenant-merging'

/**
 * Ends the sessions of users who work in this tenant and nowhere else. The sessions of users with a membership in another
 * open tenant go on there. Call it inside the transaction that closes the tenant, after the new status was written.
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
        // Sessions older than multiple memberships name no membership.
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
  const inOrganizations = q
    .selectFrom('organization_users')
    .select(column)
    .where('org_id', 'in', organizationsOf(tenant))
  return tenant.kind === 'organization'
    ? inOrganizations
    : inOrganizations.union(q.selectFrom('partner_users').select(column).where('partner_id', '=', tenant.id))
}
