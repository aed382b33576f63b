import type { effectivePermissions, RoleDetail } from '../../../shared/api/roles.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { allPermissions, type Grant, grantAllows, type Permission } from '../../../shared/permissions.ts'

export type EffectivePermissions = ReplyOf<typeof effectivePermissions>

interface Named {
  id: string
  name: string
}

/** What a role permits, and through which of the roles it inherits from. */
export interface RolePermissions {
  own: readonly Grant[]
  /** The roles it inherits from, nearest first. */
  above: readonly Named[]
  inherited: readonly (Grant & { sourceRoleId: string })[]
}

export const rolePermissions = ({ inheritanceChain, permissions }: EffectivePermissions): RolePermissions => ({
  own: permissions.filter(({ inherited }) => !inherited),
  above: inheritanceChain,
  inherited: permissions.filter(({ inherited }) => inherited),
})

/** The permissions of a role if it inherited from `parent`. */
export const permissionsWithParent = (
  own: RoleDetail['permissions'],
  parent: EffectivePermissions | null,
): RolePermissions => ({
  own,
  above: parent ? [{ id: parent.roleId, name: parent.roleName }, ...parent.inheritanceChain] : [],
  inherited: parent?.permissions ?? [],
})

export type PermissionSource = { kind: 'own' } | { kind: 'inherited'; from: Named; through: readonly Named[] }

/**
 * Where a permission comes from; null if the role does not have it. Inherited comes first, because it cannot be
 * removed from this role.
 */
export function permissionSource(
  { own, above, inherited }: RolePermissions,
  permission: Permission,
): PermissionSource | null {
  const grant = inherited.find((one) => grantAllows(one, permission))
  const distance = above.findIndex(({ id }) => id === grant?.sourceRoleId)
  const from = above[distance]
  if (from) return { kind: 'inherited', from, through: above.slice(0, distance).toReversed() }
  return own.some((one) => grantAllows(one, permission)) ? { kind: 'own' } : null
}

/** Such as `from Helpdesk, through Technician`. */
export const inheritanceText = ({ from, through }: Extract<PermissionSource, { kind: 'inherited' }>): string =>
  [`from ${from.name}`, ...through.map(({ name }) => `through ${name}`)].join(', ')

export const grantsEverything = (grants: readonly Grant[]): boolean =>
  grants.some(({ resource, action }) => resource === '*' && action === '*')

export const everythingNotInheritable =
  'This role includes every permission, so other roles can’t inherit from it. Copy the role instead.'

export const grantedPermissions = (powers: RolePermissions): Permission[] =>
  allPermissions.filter((permission) => permissionSource(powers, permission) !== null)

export interface PermissionDifference {
  more: Permission[]
  less: Permission[]
}

export function permissionDifference(before: RolePermissions, after: RolePermissions): PermissionDifference {
  const [had, has] = [grantedPermissions(before), grantedPermissions(after)]
  return {
    more: has.filter((permission) => !had.includes(permission)),
    less: had.filter((permission) => !has.includes(permission)),
  }
}
