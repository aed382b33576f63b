import { expect, test } from 'vitest'
import { reasonOf, stateOf, withoutSecret } from './key-words.ts'

const key = { status: 'active' as const, problem: null, createdByName: 'Ada', orgName: 'Berlin' }

test('an active key that is refused says why', () => {
  expect([stateOf(key).word, reasonOf(key)]).toEqual(['Active', null])
  const refused = { ...key, problem: 'creator_inactive' as const }
  expect([stateOf(refused).word, reasonOf(refused)]).toEqual([
    'Refused',
    'The account of Ada, who made it, is disabled.',
  ])
  expect(stateOf({ status: 'revoked', problem: null }).word).toBe('Revoked')
})

test('of a key that somebody pastes into the search only its beginning is left', () => {
  expect(withoutSecret('svc_abcdEFGH01234567890123456789_-xy')).toBe('svc_abcdEFGH')
  expect(withoutSecret('backup')).toBe('backup')
  expect(withoutSecret(`nightly svc_${'x'.repeat(32)} backup`)).toBe('nightly svc_xxxxxxxx backup')
})
