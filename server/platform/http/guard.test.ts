import { expect, test } from 'vitest'
import { type Access, userAccess } from '../../../shared/endpoint.ts'
import type { UserActor } from '../actor.ts'
import { requireAccess } from './guard.ts'

const actor = (wanted: Partial<UserActor> = {}): UserActor =>
  ({
    kind: 'user',
    scope: 'partner',
    grants: [{ resource: 'devices', action: 'read' }],
    permissions: new Set(['devices:read']),
    mfa: false,
    holdsFactor: false,
    isPlatformAdmin: false,
    ...wanted,
  }) as UserActor

function answer(who: UserActor, access: Access, isTwoFactorEnabled = true): string {
  try {
    requireAccess(who, access as Extract<Access, { who: 'user' }>, { isTwoFactorEnabled })
    return 'enter'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test.each<[marker: 'strict' | 'session', mfa: boolean, holdsFactor: boolean, answer: string]>([
  ['strict', false, false, 'MFA_REQUIRED'],
  ['strict', false, true, 'MFA_REQUIRED'],
  ['strict', true, true, 'enter'],
  ['session', false, false, 'enter'],
  ['session', false, true, 'MFA_REQUIRED'],
  ['session', true, true, 'enter'],
])('MFA marker %s, factor shown %s, factor held %s: %s', (mfa, passed, holdsFactor, expected) => {
  const access = userAccess('devices:read', { mfa })
  expect(answer(actor({ mfa: passed, holdsFactor }), access)).toBe(expected)
  expect(answer(actor({ mfa: passed, holdsFactor }), access, false)).toBe('enter')
})

test('scope is checked before permission, and permission before the second factor', () => {
  const access = userAccess('devices:write', { scopes: ['system'], mfa: 'strict' })
  expect(answer(actor(), access)).toBe('insufficient_permissions')
  expect(answer(actor({ scope: 'system' }), access)).toBe('permission_denied')
  expect(answer(actor({ scope: 'system', grants: [], permissions: new Set() }), access)).toBe('no_permissions')
  expect(answer(actor({ scope: 'system', permissions: new Set(['devices:write']) }), access)).toBe('MFA_REQUIRED')
})

test('an endpoint for platform admins lets in platform admins and operators only', () => {
  const access = userAccess(undefined, { platformAdmin: true })
  expect(answer(actor(), access)).toBe('platform_admin_required')
  expect(answer(actor({ isPlatformAdmin: true }), access)).toBe('enter')
  expect(answer(actor({ scope: 'system' }), access)).toBe('enter')
})

test('an API key enters only endpoints open to keys, and satisfies no MFA marker', () => {
  const key = actor({ apiKey: { id: 'k', name: 'Key' }, mfa: true })
  expect(answer(key, userAccess('devices:read'))).toBe('api_key_not_accepted')
  expect(answer(key, userAccess('devices:read', { byKey: true }))).toBe('enter')
  expect(answer(key, userAccess('devices:write', { byKey: true }))).toBe('permission_denied')
  for (const mfa of ['session', 'strict'] as const)
    for (const isTwoFactorEnabled of [true, false])
      expect(answer(key, userAccess('devices:read', { mfa }), isTwoFactorEnabled)).toBe('MFA_REQUIRED')
})
