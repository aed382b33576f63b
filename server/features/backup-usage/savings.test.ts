import { expect, test } from 'vitest'
import { day } from '../../platform/clock.ts'
import { goingUnder, type KeptSnapshot, lessThan, savedBytes } from './savings.ts'

const now = Date.parse('2026-03-31T12:00:00Z')
const snapshot = (daysAgo: number, more: Partial<KeptSnapshot> = {}): KeptSnapshot => ({
  ...{ series: 'store file', takenAt: now - daysAgo * day, size: 1000, addedBytes: 100, isProtected: false },
  ...more,
})
const month = Array.from({ length: 30 }, (_, n) => snapshot(29 - n))

test('less is half of each number, a year of everything, and nothing where nothing can go', () => {
  expect(lessThan({ keepDaily: 30, keepMonthly: 3, keepYearly: 0 })).toEqual({ keepDaily: 15, keepMonthly: 2 })
  expect(lessThan({ preset: 'standard' })).toEqual({ keepDaily: 4, keepWeekly: 2, keepMonthly: 2 })
  expect(lessThan({})).toEqual({ keepDaily: 30, keepWeekly: 12, keepMonthly: 12 })
  expect(lessThan({ keepDaily: 1 })).toBeNull()
})

test('what is too old for it goes; the newest and what is protected stay', () => {
  expect(goingUnder({}, { keepDaily: 15 }, month, now).size).toBe(15)
  expect(goingUnder({}, { maxVersions: 3 }, month, now).size).toBe(27)
  const held = month.map((one) => ({ ...one, isProtected: true }))
  expect(goingUnder({}, { keepDaily: 1 }, held, now).size).toBe(0)
  const alone = [snapshot(100), snapshot(400, { series: 'store database' })]
  expect(goingUnder({}, { keepDaily: 1 }, alone, now).size).toBe(0)
})

test('it frees the share of what is stored beyond the newest snapshot', () => {
  const stored = { storedBytes: 1000 + 29 * 100, compression: 1 }
  expect(savedBytes(month, goingUnder({}, { keepDaily: 15 }, month, now), stored)).toBe(1500)
  expect(savedBytes(month, new Set(), stored)).toBe(0)
  expect(savedBytes(month, new Set(month.slice(0, -1)), { storedBytes: 900, compression: 1 }), 'nothing beyond').toBe(0)
  const compressed = { storedBytes: 500 + 29 * 50, compression: 2 }
  expect(savedBytes(month, new Set(month.slice(0, -1)), compressed)).toBe(29 * 50)
})

test('where nobody knows what a backup added, each counts the same', () => {
  const unknown = month.map((one) => ({ ...one, addedBytes: null }))
  expect(savedBytes(unknown, new Set(unknown.slice(0, 10)), { storedBytes: 3900, compression: 1 })).toBe(1000)
})
