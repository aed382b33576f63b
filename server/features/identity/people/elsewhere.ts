import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { placesOf } from '../memberships/places.ts'
import { holds, idsIn, isWithinOwnReach } from '../roles/powers.ts'
import { findGrants, type User } from '../store.ts'

/** Whoever looks after the whole appliance. */
export const isOperator = ({ scope, isPlatformAdmin }: UserActor): boolean => scope === 'system' || isPlatformAdmin

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

/** Whether an account opens nothing to its holder but what the caller may do anyway. */
export function opensNoMoreThan(db: Database, actor: UserActor, { id, is_platform_admin }: User): boolean {
  if (is_platform_admin && !isOperator(actor)) return false
  return !belongsElsewhere(db, actor, id) && confinedRoles(db, id).every((one) => isCovered(db, actor, one))
}

const isCovered = (db: Database, actor: UserActor, { role_id, site_ids, device_group_ids }: ConfinedRole): boolean =>
  holds(actor, findGrants(db, role_id)) &&
  isWithinOwnReach(actor, { siteIds: idsIn(site_ids), deviceGroupIds: idsIn(device_group_ids) })

type ConfinedRole = ReturnType<typeof confinedRoles>[number]

/** The role somebody has in each of their memberships, open or not, and what it is confined to. */
const confinedRoles = (db: Database, userId: string) =>
  db.all(
    q
      .selectFrom('organization_users')
      .select(['role_id', 'site_ids', 'device_group_ids'])
      .where('user_id', '=', userId)
      .unionAll(
        q
          .selectFrom('partner_users')
          .select(['role_id', sql<null>`null`.as('site_ids'), sql<null>`null`.as('device_group_ids')])
          .where('user_id', '=', userId),
      ),
  )
