import { expect, test } from 'vitest'
import { keyStatus } from './key-status.ts'

const now = Date.parse('2026-11-21T12:00:00.000Z')
const key = { expiresAt: '2026-12-01T00:00:00.000Z', maxUsage: 2, usageCount: 0 }

test('a key is usable until it expires or its uses are spent', () => {
  expect(keyStatus(key, now)).toBe('usable')
  expect(keyStatus({ ...key, usageCount: 2 }, now)).toBe('exhausted')
  expect(keyStatus({ ...key, expiresAt: new Date(now).toISOString() }, now)).toBe('expired')
  expect(keyStatus({ expiresAt: null, maxUsage: null, usageCount: 900 }, now)).toBe('usable')
})
