import { expect, test } from 'vitest'
import type { RoleDetail } from '../../../shared/api/roles.ts'
import { bodyOf, countChanges, emptyDraft, permissionsOf, withFields, withPermission } from './role-draft.ts'

const role = {
  name: 'Helpdesk',
  description: null,
  parentRoleId: null,
  forceMfa: false,
  permissions: [{ resource: 'devices', action: 'read' }],
} as unknown as RoleDetail

test('only changed values are counted and sent', () => {
  expect(bodyOf(role, emptyDraft)).toEqual({})
  const draft = withFields(withPermission(emptyDraft, 'sites:read', true), {
    name: ' Helpdesk ',
    description: ' ',
    forceMfa: true,
  })
  expect(countChanges(role, draft)).toBe(2)
  expect(bodyOf(role, draft)).toEqual({
    forceMfa: true,
    permissions: [
      { resource: 'devices', action: 'read' },
      { resource: 'sites', action: 'read' },
    ],
  })
})

test('a permission that is changed back is no change', () => {
  const draft = withPermission(withPermission(emptyDraft, 'devices:read', false), 'devices:read', true)
  expect(countChanges(role, draft)).toBe(0)
})

test('a draft survives changes that another user makes meanwhile', () => {
  const draft = withPermission(emptyDraft, 'devices:read', false)
  expect(permissionsOf(role, draft)).toEqual([])
  const now = { ...role, permissions: [...role.permissions, { resource: 'scripts', action: 'read' }] }
  expect(permissionsOf(now, draft)).toEqual([{ resource: 'scripts', action: 'read' }])
  expect(countChanges({ ...role, permissions: [] }, draft)).toBe(0)
})

test('a role is detached from its parent by null', () => {
  const child = { ...role, parentRoleId: 'p' }
  expect(bodyOf(child, withFields(emptyDraft, { parentRoleId: null }))).toEqual({ parentRoleId: null })
})
