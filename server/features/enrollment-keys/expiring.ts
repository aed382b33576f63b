import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { ExpiryWindow } from '../../platform/expiry.ts'

/** Keys for several devices that are in use and expire in the window, the soonest first. */
export function expiringEnrollmentKeys(db: Database, actor: UserActor, { from, until, orgId, limit }: ExpiryWindow) {
  const keys = q
    .selectFrom('enrollment_keys')
    .innerJoin('organizations', 'organizations.id', 'enrollment_keys.org_id')
    .select([
      'enrollment_keys.id',
      'enrollment_keys.name',
      'enrollment_keys.expires_at',
      'organizations.name as org_name',
    ])
    .where(withinReach(actor, 'enrollment_keys'))
    .where('enrollment_keys.expires_at', '>', from)
    .where('enrollment_keys.expires_at', '<=', until)
    .where('enrollment_keys.usage_count', '>', 0)
    .where((where) =>
      where.or([
        where('enrollment_keys.max_usage', 'is', null),
        where('enrollment_keys.max_usage', '>', where.ref('enrollment_keys.usage_count')),
      ]),
    )
    .orderBy('enrollment_keys.expires_at')
    .limit(limit)
  return db.all(orgId ? keys.where('enrollment_keys.org_id', '=', orgId) : keys)
}
