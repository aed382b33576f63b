import type { z } from 'zod'
import { isInUse } from '../../../../shared/api/in-use.ts'
import type { AssignableRole, tenantChoice } from '../../../../shared/api/people.ts'
import { allPermissions, type Grant, grantAllows } from '../../../../shared/permissions.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import { assertAssignable, assignableBy, findGrants, findRole, type Role, rolesGranting } from '../../access/index.ts'
import { isBuiltIn, listRoles } from '../roles/tenant-roles.ts'
import { type Tenant, tenantOf } from '../tenants/tenant-of-call.ts'

/**
 * The role that a member of this tenant is to have.
 * @throws AppError `role_not_of_scope` for a role of another tenant; 403 for one that grants what the caller does not hold
 */
export function roleToAssign(db: Database, actor: UserActor, tenant: Tenant, id: string): Role {
  const role = findRole(db, id)
  if (!role || !isRoleOfTenant(role, tenant)) throw new AppError('role_not_of_scope')
  assertAssignable(db, actor, role)
  return role
}

/** The roles that members of a tenant can have, each with whether the caller may give it. */
export function assignableRoles(
  db: Database,
  actor: UserActor,
  choice: z.output<typeof tenantChoice>,
): AssignableRole[] {
  const { kind } = tenantOf(db, actor, choice, 'read')
  const isAssignable = assignableBy(db, actor)
  const used = rolesGranting(db, permitsWhatIsUsed)
  return listRoles(db, actor, choice)
    .filter(({ scope }) => scope === kind)
    .map(({ id, name, description, isSystem }) => ({
      id,
      name,
      description,
      scope: kind,
      isSystem,
      isAssignable: isAssignable({ id, is_system: isSystem ? 1 : 0 }),
      // A role without permissions is one that is being made.
      isUsed: used.has(id) || findGrants(db, id).length === 0,
    }))
}

const usedPermissions = allPermissions.filter(isInUse)
const permitsWhatIsUsed = (grant: Grant): boolean => usedPermissions.some((one) => grantAllows(grant, one))

/** `is_system` alone is not enough: each partner that registered itself has a `Partner Admin` of its own. */
const isRoleOfTenant = (role: Role, tenant: Tenant): boolean =>
  role.scope === tenant.kind &&
  (isBuiltIn(role) || (tenant.kind === 'partner' ? role.partner_id === tenant.partnerId : role.org_id === tenant.orgId))
