import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { placesOf } from '../memberships/places.ts'

/**
 * Whether an account belongs to others than those the caller looks after. Who administers one tenant must not get hold
 * of an account that opens another.
 */
export function belongsElsewhere(db: Database, actor: UserActor, userId: string): boolean {
  if (actor.scope === 'system') return false
  return placesOf(db, userId).some(({ partnerId, orgId }) =>
    actor.scope === 'organization' ? orgId !== actor.orgId : partnerId !== actor.partnerId,
  )
}
