import { expect, onTestFinished, test } from 'vitest'
import { setFormats } from '../../lib/format.ts'
import { detailOf, stateOf, withoutSecret } from './key-labels.ts'

const key = { status: 'active' as const, problem: null, expiresAt: null, createdByName: 'Ada', orgName: 'Berlin' }

test('an active key that is refused says why', () => {
  expect([stateOf(key).word, detailOf(key)]).toEqual(['Active', 'Never expires'])
  const refused = { ...key, problem: 'creator_inactive' as const }
  expect([stateOf(refused).word, detailOf(refused)]).toEqual([
    'Refused',
    'The account of Ada, who made it, is disabled. Make another key in its place.',
  ])
  expect(stateOf({ ...key, status: 'revoked' }).word).toBe('Revoked')
})

test('a key says until when it is good, and when it ended', () => {
  setFormats({ dateFormat: 'YYYY-MM-DD' })
  onTestFinished(() => setFormats({}))
  const ending = { ...key, expiresAt: '2026-12-24T12:00:00.000Z' }
  expect(detailOf(ending)).toBe('Until 2026-12-24')
  const daysBefore = (days: number) => Date.parse(ending.expiresAt) - days * 24 * 60 * 60 * 1000
  expect(stateOf(ending, daysBefore(30))).toEqual({ word: 'Active', tone: 'good' })
  expect(stateOf(ending, daysBefore(13))).toEqual({ word: 'Expires soon', tone: 'warn' })
  expect(detailOf({ ...ending, status: 'expired' })).toBe('On 2026-12-24')
  expect(detailOf({ ...ending, status: 'revoked' })).toBeNull()
})

test('of a key that somebody pastes into the search only its beginning is left', () => {
  expect(withoutSecret('svc_abcdEFGH01234567890123456789_-xy')).toBe('svc_abcdEFGH')
  expect(withoutSecret('backup')).toBe('backup')
  expect(withoutSecret(`nightly svc_${'x'.repeat(32)} backup`)).toBe('nightly svc_xxxxxxxx backup')
  expect(withoutSecret(`svc_${'x'.repeat(32)} svc_${'y'.repeat(32)}`)).toBe('svc_xxxxxxxx svc_yyyyyyyy')
})
