import { expect, test } from 'vitest'
import { powersBelow } from '../../domain/roles/effective-permissions.ts'
import { verdictOn } from './permission-state.ts'

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
const judge = { powers: powersBelow([run], helpdesk), held: [read, run], isClosed: false }

test('what is held can be turned, what is inherited or not held says why it can not', () => {
  expect(verdictOn(judge, 'devices:execute')).toMatchObject({ isGiven: true, isLocked: false })
  expect(verdictOn(judge, 'devices:read')).toMatchObject({ isGiven: true, why: 'Inherited from Helpdesk.' })
  expect(verdictOn(judge, 'sites:read')).toMatchObject({
    isGiven: false,
    isLocked: true,
    why: expect.stringContaining('own role'),
  })
  expect(verdictOn({ ...judge, held: [{ resource: '*', action: '*' }] }, 'sites:read').isLocked).toBe(false)
  expect(verdictOn({ ...judge, held: [read] }, 'devices:execute')).toMatchObject({ isGiven: true, isLocked: true })
})

test('where nothing can be turned, only inheritance is told at each', () => {
  const closed = { ...judge, isClosed: true }
  expect(verdictOn(closed, 'devices:execute')).toEqual({ isGiven: true, isLocked: true, source: { kind: 'own' } })
  expect(verdictOn(closed, 'devices:read')).toMatchObject({ isLocked: true, why: 'Inherited from Helpdesk.' })
})
