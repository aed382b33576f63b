import type { z } from 'zod'
import type { AssignableRole, tenantChoice } from '../../../../shared/api/people.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import { assertAssignable, assignableBy } from '../../access/roles/powers.ts'
import { isBuiltIn, listRoles } from '../roles/tenant-roles.ts'
import { findRole, type Role } from '../../access/users/store.ts'
import { type Tenant, tenantOf } from '../tenants/tenant-of-call.ts'

/** The role that somebody in this tenant is to have, which the caller may give: else 400, or 403. */
export function roleToAssign(db: Database, actor: UserActor, tenant: Tenant, id: string): Role {
  const role = findRole(db, id)
  if (!role || !fits(role, tenant)) throw new AppError('role_not_of_scope')
  assertAssignable(db, actor, role)
  return role
}

/** Those the members of one tenant can have, and which of them the caller may give. */
export function assignableRoles(
  db: Database,
  actor: UserActor,
  choice: z.output<typeof tenantChoice>,
): AssignableRole[] {
  const { kind } = tenantOf(db, actor, choice, 'read')
  const isAssignable = assignableBy(db, actor)
  return listRoles(db, actor, choice)
    .filter(({ scope }) => scope === kind)
    .map(({ id, name, description, isSystem }) => ({
      id,
      name,
      description,
      scope: kind,
      isSystem,
      isAssignable: isAssignable({ id, is_system: isSystem ? 1 : 0 }),
    }))
}

/** That a role is a system role says nothing: every company that registered has a Partner Admin of its own. */
const fits = (role: Role, tenant: Tenant): boolean =>
  role.scope === tenant.kind &&
  (isBuiltIn(role) || (tenant.kind === 'partner' ? role.partner_id === tenant.partnerId : role.org_id === tenant.orgId))
