import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { organizationsOf, type Tenant } from '../../../db/tenant.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'

/**
 * Ends the sessions that work in the tenant. Joins the transaction that closes it. What its people do in other tenants
 * goes on: nobody signs strangers out by closing a tenant of their own.
 */
export function endSessionsOf(db: Database, clock: Clock, tenant: Tenant): void {
  const below = q.selectFrom('organization_users').select('id').where('org_id', 'in', organizationsOf(tenant))
  const own = q.selectFrom('partner_users').select('id').where('partner_id', '=', tenant.id)
  db.run(
    q
      .updateTable('sessions')
      .set({ revoked_at: isoNow(clock), revoked_reason: 'tenant-closed' })
      .where('membership_id', 'in', tenant.kind === 'partner' ? below.union(own) : below)
      .where('revoked_at', 'is', null),
  )
}
