import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import { placesOf } from '../../access/memberships/details.ts'
import { holds, idsIn, isWithinOwnReach } from '../../access/roles/powers.ts'
import { findGrants, type TenantMembership, type User } from '../../access/users/store.ts'
import { openInvitationsOf } from '../../access/invitations/store.ts'

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
export function opensNoMoreThan(
  db: Database,
  actor: UserActor,
  { id, is_platform_admin }: Pick<User, 'id' | 'is_platform_admin'>,
): boolean {
  if (is_platform_admin && !isOperator(actor)) return false
  return !belongsElsewhere(db, actor, id) && confinedRoles(db, id).every((one) => isCovered(db, actor, one))
}

/**
 * Before a membership is changed, removed or invited to anew: those who may do more there than the caller, or reach
 * further, are not theirs to look after, and platform admins are their own and other operators': without a membership
 * they would look after all companies.
 * @throws AppError `platform_admin_required`, `user_may_do_more`
 */
export function assertMayManage(
  db: Database,
  actor: UserActor,
  { id, is_platform_admin }: Pick<User, 'id' | 'is_platform_admin'>,
  membership: TenantMembership,
): void {
  if (is_platform_admin && !isOperator(actor) && id !== actor.userId) throw new AppError('platform_admin_required')
  const { role_id } = membership
  const confinement =
    membership.kind === 'organization'
      ? { site_ids: membership.site_ids, device_group_ids: membership.device_group_ids }
      : { site_ids: null, device_group_ids: null }
  if (!isOperator(actor) && !isCovered(db, actor, { role_id, ...confinement })) throw new AppError('user_may_do_more')
}

/** Whether others have invited the account, too: its link would open what they offer as well. */
export const isInvitedElsewhere = (db: Database, actor: UserActor, userId: string, now: string): boolean =>
  actor.scope !== 'system' &&
  openInvitationsOf(db, userId, now).some(({ partner_id, org_id }) =>
    actor.scope === 'organization' ? org_id !== actor.orgId : partner_id !== actor.partnerId,
  )

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
