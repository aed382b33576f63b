import { expect, test } from 'vitest'
import { allPermissions } from '../../../shared/permissions.ts'
import {
  type EffectivePermissions,
  grantedPermissions,
  inheritanceText,
  permissionDifference,
  permissionSource,
  permissionsWithParent,
  rolePermissions,
} from './effective-permissions.ts'

const grant = (resource: string, action: string) => ({ resource, action })
const [read, run, sites] = [grant('devices', 'read'), grant('devices', 'execute'), grant('sites', 'read')]

/** Lead inherits from Technician, and Technician from Helpdesk. */
const helpdesk: EffectivePermissions = {
  roleId: 'h',
  roleName: 'Helpdesk',
  inheritanceChain: [],
  permissions: [{ ...read, inherited: false, sourceRoleId: 'h', sourceRoleName: 'Helpdesk' }],
}
const technician: EffectivePermissions = {
  roleId: 't',
  roleName: 'Technician',
  inheritanceChain: [{ id: 'h', name: 'Helpdesk' }],
  permissions: [
    { ...read, inherited: true, sourceRoleId: 'h', sourceRoleName: 'Helpdesk' },
    { ...run, inherited: false, sourceRoleId: 't', sourceRoleName: 'Technician' },
  ],
}

test('an inherited permission is traced to its role, through those between', () => {
  const lead = permissionsWithParent([sites], technician)
  const source = permissionSource(lead, 'devices:read')
  expect(source).toMatchObject({ kind: 'inherited', from: { id: 'h' }, through: [{ id: 't' }] })
  expect(source?.kind === 'inherited' && inheritanceText(source)).toBe('from Helpdesk, through Technician')
  expect(permissionSource(lead, 'devices:execute')).toMatchObject({ from: { id: 't' }, through: [] })
  expect(permissionSource(lead, 'sites:read')).toEqual({ kind: 'own' })
  expect(permissionSource(lead, 'sites:delete')).toBe(null)
})

test('a permission that a role both has and inherits counts as inherited', () => {
  expect(permissionSource(permissionsWithParent([read], helpdesk), 'devices:read')).toMatchObject({ kind: 'inherited' })
})

test('a wildcard counts as every permission there is', () => {
  expect(grantedPermissions(permissionsWithParent([grant('*', '*')], null))).toEqual(allPermissions)
})

test('another parent is shown as the permissions gained and lost', () => {
  const own = permissionsWithParent([sites], helpdesk)
  expect(permissionDifference(own, permissionsWithParent([sites], technician))).toEqual({
    more: ['devices:execute'],
    less: [],
  })
  expect(permissionDifference(own, permissionsWithParent([sites], null))).toEqual({ more: [], less: ['devices:read'] })
  expect(permissionDifference(own, own)).toEqual({ more: [], less: [] })
  expect(grantedPermissions(rolePermissions(technician))).toEqual(['devices:read', 'devices:execute'])
})
