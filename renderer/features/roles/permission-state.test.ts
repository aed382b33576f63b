import { expect, test } from 'vitest'
import { permissionsWithParent } from '../../domain/roles/effective-permissions.ts'
import { permissionState } from './permission-state.ts'

const [read, run] = [
  { resource: 'devices', action: 'read' },
  { resource: 'devices', action: 'execute' },
]
const helpdesk = {
  roleId: 'h',
  roleName: 'Helpdesk',
  inheritanceChain: [],
  permissions: [{ ...read, inherited: false, sourceRoleId: 'h', sourceRoleName: 'Helpdesk' }],
}
const judge = { powers: permissionsWithParent([run], helpdesk), held: [read, run], isClosed: false }

test('an own permission can be changed, and one that is inherited or not held is locked with the reason', () => {
  expect(permissionState(judge, 'devices:execute')).toMatchObject({ isGiven: true, isLocked: false })
  expect(permissionState(judge, 'devices:read')).toMatchObject({ isGiven: true, why: 'Inherited from Helpdesk.' })
  expect(permissionState(judge, 'sites:read')).toMatchObject({
    isGiven: false,
    isLocked: true,
    why: expect.stringContaining('Your role doesn’t'),
  })
  expect(permissionState({ ...judge, held: [{ resource: '*', action: '*' }] }, 'sites:read').isLocked).toBe(false)
  expect(permissionState({ ...judge, held: [read] }, 'devices:execute')).toMatchObject({
    isGiven: true,
    isLocked: true,
  })
})

test('where nothing can be changed, inheritance is the only reason given', () => {
  const closed = { ...judge, isClosed: true }
  expect(permissionState(closed, 'devices:execute')).toEqual({ isGiven: true, isLocked: true, source: { kind: 'own' } })
  expect(permissionState(closed, 'devices:read')).toMatchObject({ isLocked: true, why: 'Inherited from Helpdesk.' })
})
