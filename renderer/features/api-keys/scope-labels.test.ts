import { expect, test } from 'vitest'
import { supportedScopes } from '../../../shared/api/api-keys.ts'
import { grantableScopes, openedBy } from '../../../shared/api/in-use.ts'
import { grantableAreas, scopeSummary, scopeSummaryInSentence, scopeUnavailableReason } from './scope-labels.ts'

test('only scopes that open something are offered, each in one place', () => {
  expect(grantableAreas.flatMap(({ scopes }) => scopes).toSorted()).toEqual(grantableScopes.toSorted())
  expect(grantableAreas.map(({ name }) => name)).not.toContain('Alerts')
})

test('scopes that are said to give the same access do', () => {
  expect(openedBy('ai:read')).toEqual(openedBy('devices:read'))
  expect(openedBy('ai:write')).toEqual(openedBy('devices:write'))
})

test('a scope that cannot be given names the permission its creator lacks', () => {
  const held = { grants: [{ resource: 'devices', action: 'read' }], maySeePeople: true }
  expect(scopeUnavailableReason('devices:read', held)).toBeUndefined()
  expect(scopeUnavailableReason('devices:write', held)).toBe('Your role doesn’t allow this: Devices: add and change.')
  expect(scopeUnavailableReason('ai:read', held)).toContain('Alerts: view')
  expect(scopeUnavailableReason('ai:execute_admin', held)).toBe('Only a full administrator can grant this.')
  const everything = { grants: [{ resource: '*', action: '*' }], maySeePeople: true }
  expect(supportedScopes.filter((scope) => scopeUnavailableReason(scope, everything))).toEqual([])
  const ofSome = { ...everything, maySeePeople: false }
  expect(supportedScopes.filter((scope) => scopeUnavailableReason(scope, ofSome))).toEqual([
    'users:read',
    'ai:execute_admin',
  ])
  expect(scopeUnavailableReason('users:read', ofSome)).toContain('all organizations')
})

test('scopes are summarized for a cell and for a sentence', () => {
  expect(scopeSummary([])).toBe('Nothing')
  expect(scopeSummary(['devices:read', 'users:read', 'ai:read'])).toBe('View devices, view people, AI assistant: view')
  expect(scopeSummaryInSentence(['devices:read'])).toBe('view devices')
  expect(scopeSummary(['devices:read', 'reports:read'])).toBe('View devices; not used yet: view reports')
  expect(scopeSummary(['alerts:read', 'ai:execute'])).toBe(
    'Nothing; not used yet: view alerts, AI assistant: run commands and scripts',
  )
})
