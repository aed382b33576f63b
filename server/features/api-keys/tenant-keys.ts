import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { organizationsOf, type Tenant } from '../../db/tenant.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'

/** Revokes all active keys of a tenant, permanently. Joins the transaction that closes the tenant. */
export function revokeKeysOf(db: Database, clock: Clock, tenant: Tenant): void {
  db.run(
    q
      .updateTable('api_keys')
      .set({ status: 'revoked', updated_at: isoNow(clock) })
      .where('status', '=', 'active')
      .where('org_id', 'in', organizationsOf(tenant)),
  )
}
