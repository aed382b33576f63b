import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { ExpiryWindow } from '../../platform/expiry.ts'

/** Active keys that expire in the window, the soonest first. */
export function expiringApiKeys(db: Database, actor: UserActor, { from, until, orgId, limit }: ExpiryWindow) {
  const keys = q
    .selectFrom('api_keys')
    .innerJoin('organizations', 'organizations.id', 'api_keys.org_id')
    .select(['api_keys.id', 'api_keys.name', 'api_keys.expires_at', 'organizations.name as org_name'])
    .where(withinReach(actor, 'api_keys'))
    .where('api_keys.status', '=', 'active')
    .where('api_keys.expires_at', '>', from)
    .where('api_keys.expires_at', '<=', until)
    .orderBy('api_keys.expires_at')
    .limit(limit)
  return db.all(orgId ? keys.where('api_keys.org_id', '=', orgId) : keys)
}
