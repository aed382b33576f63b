import { expect, test } from 'vitest'
import type { RoleRow } from '../../../shared/api/roles.ts'
import { besides, branchOf, matching, nameTrouble, ownersIn } from './filter-roles.ts'

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

test('roles are found by their words, what they inherit from, and whose they are', () => {
  expect(ids(matching(roles, { search: 'HELPDESK' }))).toEqual(['Helpdesk', 'Lead'])
  expect(ids(matching(roles, { search: 'answer first' }))).toEqual(['Helpdesk'])
  expect(ids(matching(roles, { of: 'built-in' }))).toEqual(['Partner Admin', 'Org Viewer'])
  expect(ids(matching(roles, { of: 'company' }))).toEqual(['Helpdesk', 'Lead', 'Head'])
  expect(ids(matching(roles, { of: 'c', search: 'contoso' }))).toEqual(['Foreman'])
  expect(ownersIn(roles)).toEqual([
    { value: 'c', label: 'Contoso' },
    { value: 'f', label: 'Fabrikam' },
  ])
})

test('a role stands beside those of its owner and of the appliance, and above its branch', () => {
  expect(ids(besides(roles, { scope: 'organization', orgId: 'c' }))).toEqual(['Org Viewer', 'Foreman'])
  expect(ids(besides(roles, { scope: 'partner', orgId: null }))).toEqual(['Partner Admin', 'Helpdesk', 'Lead', 'Head'])
  expect([...branchOf(roles, 'Helpdesk')]).toEqual(['Helpdesk', 'Lead', 'Head'])
})

test('a name is taken by another role that the same people can have', () => {
  const company = { scope: 'partner', orgId: null } as const
  expect(nameTrouble(roles, company, ' partner ADMIN')).toBe('Another role is called that')
  expect(nameTrouble(roles, company, 'Foreman')).toBeNull()
  expect(nameTrouble(roles, { scope: 'organization', orgId: 'c' }, 'foreman')).not.toBeNull()
  expect(nameTrouble(roles, company, 'helpdesk', 'Helpdesk')).toBeNull()
  expect(nameTrouble(roles, company, ' ')).toBe('Enter a name')
})
