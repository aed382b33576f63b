import { expect, test } from 'vitest'
import { daysUntil, possibleDeeds } from './protection-words.ts'

const now = Date.parse('2026-03-01T09:00:00.000Z')

test('a hold is put on or released, and a lock only set or extended', () => {
  expect(possibleDeeds({ legalHold: false })).toEqual(['hold', 'lock'])
  expect(possibleDeeds({ legalHold: true })).toEqual(['release-hold', 'lock'])
})

test('begun days count whole', () => {
  expect(daysUntil(null, now)).toBe(0)
  expect(daysUntil('2026-03-01T09:00:00.001Z', now)).toBe(1)
  expect(daysUntil('2026-03-31T09:00:00.000Z', now)).toBe(30)
  expect(daysUntil('2026-02-01T00:00:00.000Z', now)).toBe(0)
})
