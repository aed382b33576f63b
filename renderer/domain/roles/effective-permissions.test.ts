import { expect, test } from 'vitest'
import { allPermissions } from '../../../shared/permissions.ts'
import {
  type Effective,
  effectOf,
  inheritedWords,
  permissionsIn,
  powersBelow,
  powersOf,
  sourceOf,
} from './effective-permissions.ts'

const grant = (resource: string, action: string) => ({ resource, action })
const [read, run, sites] = [grant('devices', 'read'), grant('devices', 'execute'), grant('sites', 'read')]

/** Lead inherits from Technician, and Technician from Helpdesk. */
const helpdesk: Effective = {
  roleId: 'h',
  roleName: 'Helpdesk',
  inheritanceChain: [],
  permissions: [{ ...read, inherited: false, sourceRoleId: 'h', sourceRoleName: 'Helpdesk' }],
}
const technician: Effective = {
  roleId: 't',
  roleName: 'Technician',
  inheritanceChain: [{ id: 'h', name: 'Helpdesk' }],
  permissions: [
    { ...read, inherited: true, sourceRoleId: 'h', sourceRoleName: 'Helpdesk' },
    { ...run, inherited: false, sourceRoleId: 't', sourceRoleName: 'Technician' },
  ],
}

test('an inherited permission is traced to its role, through those between', () => {
  const lead = powersBelow([sites], technician)
  const source = sourceOf(lead, 'devices:read')
  expect(source).toMatchObject({ kind: 'inherited', from: { id: 'h' }, through: [{ id: 't' }] })
  expect(source?.kind === 'inherited' && inheritedWords(source)).toBe('from Helpdesk, through Technician')
  expect(sourceOf(lead, 'devices:execute')).toMatchObject({ from: { id: 't' }, through: [] })
  expect(sourceOf(lead, 'sites:read')).toEqual({ kind: 'own' })
  expect(sourceOf(lead, 'sites:delete')).toBe(null)
})

test('what a role permits itself and inherits, too, counts as inherited', () => {
  expect(sourceOf(powersBelow([read], helpdesk), 'devices:read')).toMatchObject({ kind: 'inherited' })
})

test('a wildcard is every permission there is', () => {
  expect(permissionsIn(powersBelow([grant('*', '*')], null))).toEqual(allPermissions)
})

test('another parent is told by what comes and what goes', () => {
  const own = powersBelow([sites], helpdesk)
  expect(effectOf(own, powersBelow([sites], technician))).toEqual({ more: ['devices:execute'], less: [] })
  expect(effectOf(own, powersBelow([sites], null))).toEqual({ more: [], less: ['devices:read'] })
  expect(effectOf(own, own)).toEqual({ more: [], less: [] })
  expect(permissionsIn(powersOf(technician))).toEqual(['devices:read', 'devices:execute'])
})
