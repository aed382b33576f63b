import { sql } from 'kysely'
import type { AssignableRole } from '../../../../shared/api/people.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import { assertAssignable } from '../roles/powers.ts'
import { findRole, type Role } from '../store.ts'
import type { Tenant } from './tenants.ts'

/** The role that somebody in this tenant is to have, which the caller may give: else 400, or 403. */
export function roleToAssign(db: Database, actor: UserActor, tenant: Tenant, id: string): Role {
  const role = findRole(db, id)
  if (!role || !fits(role, tenant)) throw new AppError('role_not_of_scope')
  assertAssignable(db, actor, role)
  return role
}

/** Built-in ones first, then by name; a company's own Partner Admin stands for the one that nobody owns. */
export function assignableRoles(db: Database, actor: UserActor, tenant: Tenant): AssignableRole[] {
  const roles = db
    .all(
      q
        .selectFrom('roles')
        .selectAll()
        .where('scope', '=', tenant.kind)
        .orderBy('is_system', 'desc')
        .orderBy(sql`name collate nocase`)
        .orderBy('id'),
    )
    .filter((role) => fits(role, tenant))
  const own = new Set(roles.filter((role) => role.is_system && !isNobodys(role)).map(({ name }) => name))
  return roles
    .filter((role) => !isNobodys(role) || !own.has(role.name))
    .map((role) => ({
      id: role.id,
      name: role.name,
      description: role.description,
      scope: tenant.kind,
      isSystem: role.is_system === 1,
      isAssignable: mayAssign(db, actor, role),
    }))
}

const isNobodys = ({ partner_id, org_id }: Role) => partner_id === null && org_id === null

/** That a role is built in says nothing: every company that registered has a Partner Admin of its own. */
const fits = (role: Role, tenant: Tenant): boolean =>
  role.scope === tenant.kind &&
  (isNobodys(role) || (tenant.kind === 'partner' ? role.partner_id === tenant.partnerId : role.org_id === tenant.orgId))

function mayAssign(db: Database, actor: UserActor, role: Role): boolean {
  try {
    assertAssignable(db, actor, role)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
