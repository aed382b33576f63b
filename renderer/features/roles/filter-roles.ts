import type { RoleRow } from '../../../shared/api/roles.ts'
import { nameKey } from '../../../shared/names.ts'
import { wordSearch } from '../../lib/word-search.ts'

export interface RoleFilters {
  search?: string | undefined
  /** `built-in`, `company`, or the id of an organization. */
  of?: string | undefined
}

const ownerOf = ({ isSystem, orgId }: RoleRow): string => (isSystem ? 'built-in' : (orgId ?? 'company'))

/** The roles that match every word of the search and the owner. */
export function filterRoles<Row extends RoleRow>(roles: readonly Row[], { search = '', of }: RoleFilters): Row[] {
  const fits = wordSearch(search)
  return roles.filter((role) => {
    const { name, description, orgName, parentRoleName } = role
    return (!of || ownerOf(role) === of) && fits([name, description, orgName, parentRoleName].join(' '))
  })
}

/** The organizations that own roles, by name. */
export function roleOwnerOptions(roles: readonly RoleRow[]): { value: string; label: string }[] {
  const names = new Map(roles.flatMap(({ orgId, orgName }) => (orgId ? [[orgId, orgName ?? '']] : [])))
  return [...names]
    .map(([value, label]) => ({ value, label }))
    .toSorted((one, other) => one.label.localeCompare(other.label))
}

/** The kind of tenant that a role is for, and the organization that owns it. */
export type RoleOwner = Pick<RoleRow, 'scope' | 'orgId'>

/** Roles that a role of this owner can inherit from or be copied from: those of the owner, and the built-in ones. */
export const rolesOfSameOwner = <Row extends RoleRow>(roles: readonly Row[], { scope, orgId }: RoleOwner): Row[] =>
  roles.filter((role) => role.scope === scope && (role.isSystem || role.orgId === orgId))

/** The ids of a role and all that inherit from it, directly or not. */
export function roleAndDescendants(roles: readonly RoleRow[], id: string): Set<string> {
  const ids = new Set([id])
  // The loop also visits the ids added while it runs.
  for (const above of ids) for (const { id: below, parentRoleId } of roles) if (parentRoleId === above) ids.add(below)
  return ids
}

/** Error in a name for a role of this owner; `ownId` is the role that is being named. */
export function roleNameError(
  roles: readonly RoleRow[],
  owner: RoleOwner,
  name: string,
  ownId?: string,
): string | null {
  if (!name.trim()) return 'Enter a name'
  const isTaken = rolesOfSameOwner(roles, owner).some(
    ({ id, name: other }) => id !== ownId && nameKey(other) === nameKey(name),
  )
  return isTaken ? 'Another role has this name' : null
}
