import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import {
  findGrants,
  holds,
  isOperator,
  isWithinOwnReach,
  membershipDetailsOf,
  openInvitationsOf,
  parseIdList,
  type TenantMembership,
  type User,
} from '../../access/index.ts'

/**
 * Whether an account has memberships outside of the caller's tenant. The administrator of one tenant must not be able to
 * take over an account that gives access to another.
 */
export function belongsToOtherTenants(db: Database, actor: UserActor, userId: string): boolean {
  if (actor.scope === 'system') return false
  return membershipDetailsOf(db, userId).some(({ partnerId, orgId }) =>
    actor.scope === 'organization' ? orgId !== actor.orgId : partnerId !== actor.partnerId,
  )
}

/** Whether an account gives access to nothing that the caller may not do as well. */
export function isWithinCallerPowers(
  db: Database,
  actor: UserActor,
  { id, is_platform_admin }: Pick<User, 'id' | 'is_platform_admin'>,
): boolean {
  if (is_platform_admin && !isOperator(actor)) return false
  return !belongsToOtherTenants(db, actor, id) && confinedRoles(db, id).every((one) => isCovered(db, actor, one))
}

/**
 * Call it before a membership is changed or removed, or its invitation sent again. Members who may do more there than the
 * caller, or reach further, cannot be managed by them. Platform admins can be managed by themselves and by operators only:
 * without a membership they would become operators of the appliance.
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

/** Whether the account is invited to other tenants, too: activating it by one link must not accept their invitations. */
export const isInvitedByOthers = (db: Database, actor: UserActor, userId: string, now: string): boolean =>
  actor.scope !== 'system' &&
  openInvitationsOf(db, userId, now).some(({ partner_id, org_id }) =>
    actor.scope === 'organization' ? org_id !== actor.orgId : partner_id !== actor.partnerId,
  )

const isCovered = (db: Database, actor: UserActor, { role_id, site_ids, device_group_ids }: ConfinedRole): boolean =>
  holds(actor, findGrants(db, role_id)) &&
  isWithinOwnReach(actor, { siteIds: parseIdList(site_ids), deviceGroupIds: parseIdList(device_group_ids) })

type ConfinedRole = ReturnType<typeof confinedRoles>[number]

/** Role and confinement of all memberships of a user, whether or not their tenants are open. */
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
