import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { AppError } from '../../../platform/errors.ts'
import { findGrants, isEverything } from '../../access/index.ts'

/** User ids of active members who may do everything in a partner and all its organizations; two of them at most. */
export function fullAdminsOf(db: Database, partnerId: string): string[] {
  const memberships = q.selectFrom('partner_users').where('partner_id', '=', partnerId).where('org_access', '=', 'all')
  const roleIds = db.all(memberships.select('role_id').distinct()).map(({ role_id }) => role_id)
  const fullRoleIds = roleIds.filter((id) => findGrants(db, id).some(isEverything))
  const admins = memberships
    .innerJoin('users', 'users.id', 'partner_users.user_id')
    .select('user_id')
    .where('role_id', 'in', fullRoleIds)
    .where('users.status', '=', 'active')
    .limit(2)
  return db.all(admins).map(({ user_id }) => user_id)
}

/**
 * Call it before the change: a partner without a full administrator could be managed by nobody.
 * @throws AppError `last_admin` (409)
 */
export function assertNotLastAdmin(db: Database, member: { partner_id: string; user_id: string }): void {
  const admins = fullAdminsOf(db, member.partner_id)
  if (admins.length === 1 && admins[0] === member.user_id) throw new AppError('last_admin')
}
