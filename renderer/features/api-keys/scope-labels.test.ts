import { expect, test } from 'vitest'
import { apiKeyScopes, supportedScopes } from '../../../shared/api/api-keys.ts'
import { allEndpoints } from '../../../shared/api/index.ts'
import { grantAllows } from '../../../shared/permissions.ts'
import {
  idleScopes,
  scopeSummary,
  scopeSummaryInSentence,
  scopeUnavailableReason,
  usableScopes,
} from './scope-labels.ts'

const usable = usableScopes.flatMap(({ scopes }) => [...scopes])

test('every supported scope is listed, and as usable only if an endpoint accepts it', () => {
  expect([...usable, ...idleScopes].toSorted()).toEqual(supportedScopes.toSorted())
  const toKeys = allEndpoints.flatMap(({ access }) =>
    access.who === 'user' && access.byKey && access.permission ? [access.permission] : [],
  )
  const opensSomething = supportedScopes.filter((scope) =>
    apiKeyScopes[scope].some((grant) => toKeys.some((permission) => grantAllows(grant, permission))),
  )
  expect(usable.toSorted()).toEqual(opensSomething.toSorted())
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
})
