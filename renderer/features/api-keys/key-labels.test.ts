import { expect, onTestFinished, test } from 'vitest'
import { setFormats } from '../../lib/format.ts'
import { keyStatusDetail, keyStatusText, maskedKey } from './key-labels.ts'

const key = { status: 'active' as const, problem: null, expiresAt: null, createdByName: 'Ada', orgName: 'Berlin' }

test('an active key that is refused shows the reason', () => {
  expect([keyStatusText(key).word, keyStatusDetail(key)]).toEqual(['Active', 'Never expires'])
  const refused = { ...key, problem: 'creator_inactive' as const }
  expect([keyStatusText(refused).word, keyStatusDetail(refused)]).toEqual([
    'Refused',
    'The account of Ada, who created it, is disabled. Create a new key to replace it.',
  ])
  expect(keyStatusText({ ...key, status: 'revoked' }).word).toBe('Revoked')
})

test('a key shows until when it is valid, and when it expired', () => {
  setFormats({ dateFormat: 'YYYY-MM-DD' })
  onTestFinished(() => setFormats({}))
  const ending = { ...key, expiresAt: '2026-12-24T12:00:00.000Z' }
  expect(keyStatusDetail(ending)).toBe('Until 2026-12-24')
  const daysBefore = (days: number) => Date.parse(ending.expiresAt) - days * 24 * 60 * 60 * 1000
  expect(keyStatusText(ending, daysBefore(30))).toEqual({ word: 'Active', tone: 'good' })
  expect(keyStatusText(ending, daysBefore(13))).toEqual({ word: 'Expires soon', tone: 'warn' })
  expect(keyStatusDetail({ ...ending, status: 'expired' })).toBe('On 2026-12-24')
  expect(keyStatusDetail({ ...ending, status: 'revoked' })).toBeNull()
})

test('a key that is pasted into the search is cut to its beginning', () => {
  expect(maskedKey('svc_abcdEFGH01234567890123456789_-xy')).toBe('svc_abcdEFGH')
  expect(maskedKey('backup')).toBe('backup')
  expect(maskedKey(`nightly svc_${'x'.repeat(32)} backup`)).toBe('nightly svc_xxxxxxxx backup')
  expect(maskedKey(`svc_${'x'.repeat(32)} svc_${'y'.repeat(32)}`)).toBe('svc_xxxxxxxx svc_yyyyyyyy')
})
