import { expect, test } from 'vitest'
import { daysUntil, possibleDeeds } from './protection-words.ts'

const now = Date.parse('2026-03-01T09:00:00.000Z')
const free = { legalHold: false, immutableUntil: null, immutabilityEnforcement: null }

test('what can be done depends on what protects the snapshot now', () => {
  expect(possibleDeeds(free, now)).toEqual(['hold', 'lock'])
  expect(possibleDeeds({ ...free, legalHold: true }, now)).toEqual(['release-hold', 'lock'])
  const locked = {
    ...free,
    immutableUntil: '2026-03-02T09:00:00.000Z',
    immutabilityEnforcement: 'application',
  } as const
  expect(possibleDeeds(locked, now)).toEqual(['hold', 'lock', 'unlock'])
  expect(possibleDeeds({ ...locked, immutableUntil: '2026-03-01T08:59:59.999Z' }, now)).toEqual(['hold', 'lock'])
  expect(possibleDeeds({ ...locked, immutabilityEnforcement: 'provider' }, now)).toEqual(['hold', 'lock'])
})

test('begun days count whole', () => {
  expect(daysUntil(null, now)).toBe(0)
  expect(daysUntil('2026-03-01T09:00:00.001Z', now)).toBe(1)
  expect(daysUntil('2026-03-31T09:00:00.000Z', now)).toBe(30)
  expect(daysUntil('2026-02-01T00:00:00.000Z', now)).toBe(0)
})
