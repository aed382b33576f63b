import type { RoleRow } from '../../../shared/api/roles.ts'
import { nameKey } from '../../../shared/names.ts'

export interface RoleFilters {
  search?: string | undefined
  /** `built-in`, the `company`, or an organization. */
  of?: string | undefined
}

const ownerOf = ({ isSystem, orgId }: RoleRow): string => (isSystem ? 'built-in' : (orgId ?? 'company'))

/** Those whose words hold every word of the search, and whose owner is meant. */
export function filterRoles<Row extends RoleRow>(roles: readonly Row[], { search = '', of }: RoleFilters): Row[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return roles.filter((role) => {
    const { name, description, orgName, parentRoleName } = role
    const text = [name, description, orgName, parentRoleName].join(' ').toLowerCase()
    return (!of || ownerOf(role) === of) && words.every((word) => text.includes(word))
  })
}

/** The organizations that have roles of their own, by name. */
export function roleOwnerOptions(roles: readonly RoleRow[]): { value: string; label: string }[] {
  const names = new Map(roles.flatMap(({ orgId, orgName }) => (orgId ? [[orgId, orgName ?? '']] : [])))
  return [...names]
    .map(([value, label]) => ({ value, label }))
    .toSorted((one, other) => one.label.localeCompare(other.label))
}

/** Whom a role is for, and whose it is. */
export type RoleOwner = Pick<RoleRow, 'scope' | 'orgId'>

/** What a role of this owner may inherit from, or be a copy of: its other roles, and those of the appliance. */
export const rolesOfSameOwner = <Row extends RoleRow>(roles: readonly Row[], { scope, orgId }: RoleOwner): Row[] =>
  roles.filter((role) => role.scope === scope && (role.isSystem || role.orgId === orgId))

/** The ids of a role and of all that inherit from it, however far below. */
export function roleAndDescendants(roles: readonly RoleRow[], id: string): Set<string> {
  const ids = new Set([id])
  // A set grows while it is walked.
  for (const above of ids) for (const { id: below, parentRoleId } of roles) if (parentRoleId === above) ids.add(below)
  return ids
}

/** What is wrong with a name for a role of this owner; `ownId` is the one that is to be called so. */
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
  return isTaken ? 'Another role is called that' : null
}
