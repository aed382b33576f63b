import { expect, test } from 'vitest'
import { roleName, withRoleNames } from '../../renderer/lib/built-in-roles.ts'
import { builtInRoles } from '../../server/features/access/roles/built-in.ts'

const custom = { name: 'Helpdesk', isSystem: false, description: '' }

test('the console has a name of its own for each built-in role, and lists those for nothing yet last', () => {
  const names = builtInRoles.map(({ name }) => roleName(name))
  expect(new Set(names).size).toBe(builtInRoles.length)
  expect(names.filter((name) => /partner|org\b/i.test(name))).toEqual([])
  const listed = withRoleNames([...builtInRoles.map((role) => ({ ...role, isSystem: true })), custom])
  expect(listed[0]?.name).toBe('Administrator')
  const isUnused = listed.map(({ description }) => description.startsWith('Not used yet'))
  expect(isUnused.lastIndexOf(false)).toBe(isUnused.indexOf(true) - 1)
  expect(listed.at(isUnused.indexOf(true) - 1)?.name).toBe('Helpdesk')
})

test('a role of a company keeps its name, whatever it is', () => {
  expect(withRoleNames([{ ...custom, name: 'Partner Viewer' }])[0]?.name).toBe('Partner Viewer')
  expect(roleName('constructor')).toBe('constructor')
})
