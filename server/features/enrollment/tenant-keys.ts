import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { organizationsOf, type Tenant } from '../../db/tenant.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'

/** No device enrolls with a key of the tenant any more, for good. Joins the transaction that closes it. */
export function expireKeysOf(db: Database, clock: Clock, tenant: Tenant): void {
  const now = isoNow(clock)
  db.run(
    q
      .updateTable('enrollment_keys')
      .set({ expires_at: now })
      .where('org_id', 'in', organizationsOf(tenant))
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)])),
  )
}
