import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { organizationsOf, type Tenant } from '../../db/tenant.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'

/** No device enrolls with a key of the tenant any more, for good. Joins the transaction that closes it. */
export function expireKeysOf(db: Database, clock: Clock, tenant: Tenant): void {
  db.run(expiring(isoNow(clock)).where('org_id', 'in', organizationsOf(tenant)))
}

/**
 * The same for the keys of a site, before it is deleted: a key without a site would let devices into another one.
 * Returns how many had not expired.
 */
export function expireKeysOfSite(db: Database, clock: Clock, siteId: string): number {
  return db.run(expiring(isoNow(clock)).where('site_id', '=', siteId))
}

const expiring = (now: string) =>
  q
    .updateTable('enrollment_keys')
    .set({ expires_at: now, updated_at: now })
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
