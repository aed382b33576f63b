import { expect, test } from 'vitest'
import type { RoleRow } from '../../../shared/api/roles.ts'
import { filterRoles, roleAndDescendants, roleNameError, roleOwnerOptions, rolesOfSameOwner } from './filter-roles.ts'

const row = (id: string, more: Partial<RoleRow> = {}): RoleRow =>
  ({
    id,
    name: id,
    scope: 'partner',
    isSystem: false,
    orgId: null,
    orgName: null,
    parentRoleId: null,
    ...more,
  }) as RoleRow

const contoso = { scope: 'organization', orgId: 'c', orgName: 'Contoso' } as const
const roles = [
  row('Partner Admin', { isSystem: true }),
  row('Org Viewer', { isSystem: true, scope: 'organization' }),
  row('Helpdesk', { description: 'First to answer' }),
  row('Lead', { parentRoleId: 'Helpdesk', parentRoleName: 'Helpdesk' }),
  row('Head', { parentRoleId: 'Lead', parentRoleName: 'Lead' }),
  row('Foreman', contoso),
  row('Owner', { ...contoso, orgId: 'f', orgName: 'Fabrikam' }),
]
const ids = (found: readonly RoleRow[]) => found.map(({ id }) => id)

test('roles are found by name, description, parent role and owner', () => {
  expect(ids(filterRoles(roles, { search: 'HELPDESK' }))).toEqual(['Helpdesk', 'Lead'])
  expect(ids(filterRoles(roles, { search: 'answer first' }))).toEqual(['Helpdesk'])
  expect(ids(filterRoles(roles, { of: 'built-in' }))).toEqual(['Partner Admin', 'Org Viewer'])
  expect(ids(filterRoles(roles, { of: 'company' }))).toEqual(['Helpdesk', 'Lead', 'Head'])
  expect(ids(filterRoles(roles, { of: 'c', search: 'contoso' }))).toEqual(['Foreman'])
  expect(roleOwnerOptions(roles)).toEqual([
    { value: 'c', label: 'Contoso' },
    { value: 'f', label: 'Fabrikam' },
  ])
})

test('roles of one owner include the built-in ones, and a branch all roles below it', () => {
  expect(ids(rolesOfSameOwner(roles, { scope: 'organization', orgId: 'c' }))).toEqual(['Org Viewer', 'Foreman'])
  expect(ids(rolesOfSameOwner(roles, { scope: 'partner', orgId: null }))).toEqual([
    'Partner Admin',
    'Helpdesk',
    'Lead',
    'Head',
  ])
  expect([...roleAndDescendants(roles, 'Helpdesk')]).toEqual(['Helpdesk', 'Lead', 'Head'])
})

test('a name is taken if a role that the same people can have has it', () => {
  const partner = { scope: 'partner', orgId: null } as const
  expect(roleNameError(roles, partner, ' partner ADMIN')).toBe('Another role has this name')
  expect(roleNameError(roles, partner, 'Foreman')).toBeNull()
  expect(roleNameError(roles, { scope: 'organization', orgId: 'c' }, 'foreman')).not.toBeNull()
  expect(roleNameError(roles, partner, 'helpdesk', 'Helpdesk')).toBeNull()
  expect(roleNameError(roles, partner, ' ')).toBe('Enter a name')
})
