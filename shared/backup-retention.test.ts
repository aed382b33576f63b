import { expect, test } from 'vitest'
import { daysKept, generationsOf } from './backup-retention.ts'

const generations = (at: string, weeklyDay?: number) => {
  const { weekly, monthly, yearly } = generationsOf(Date.parse(at), weeklyDay === undefined ? {} : { weeklyDay })
  return { weekly, monthly, yearly }
}

test.each([
  // 2026-11-22 is a Sunday.
  ['2026-11-21T23:59:59.999Z', undefined, { weekly: false, monthly: false, yearly: false }],
  ['2026-11-22T00:00:00.000Z', undefined, { weekly: true, monthly: false, yearly: false }],
  ['2026-11-22T12:00:00.000Z', 1, { weekly: false, monthly: false, yearly: false }],
  ['2026-11-23T12:00:00.000Z', 1, { weekly: true, monthly: false, yearly: false }],
  ['2026-11-30T12:00:00.000Z', undefined, { weekly: false, monthly: true, yearly: false }],
  ['2028-02-28T12:00:00.000Z', undefined, { weekly: false, monthly: false, yearly: false }],
  ['2028-02-29T12:00:00.000Z', undefined, { weekly: false, monthly: true, yearly: false }],
  ['2026-12-31T23:00:00.000Z', undefined, { weekly: false, monthly: true, yearly: true }],
])('a snapshot of %s, weekly on %s', (at, weeklyDay, expected) => {
  expect(generations(at, weeklyDay)).toEqual(expected)
})

const plain = generationsOf(Date.parse('2026-11-24T12:00:00.000Z'), {})
const lastOfYear = generationsOf(Date.parse('2026-12-31T12:00:00.000Z'), {})

test('a snapshot is kept as long as any of its generations', () => {
  const retention = { keepDaily: 7, keepWeekly: 4, keepMonthly: 12, keepYearly: 2 }
  expect(daysKept(plain, retention)).toBe(7)
  expect(daysKept({ ...plain, weekly: true }, retention)).toBe(28)
  expect(daysKept({ ...plain, weekly: true, monthly: true }, retention)).toBe(360)
  expect(daysKept(lastOfYear, retention)).toBe(730)
  expect(daysKept(lastOfYear, { ...retention, keepYearly: 0 })).toBe(360)
  expect(daysKept(plain, { keepDaily: 400, retentionDays: 1 })).toBe(400)
})

test('without generations the days count, and without these it is kept for ever', () => {
  expect(daysKept(plain, { retentionDays: 30 })).toBe(30)
  expect(daysKept(plain, { keepDaily: 0, retentionDays: 30 })).toBe(30)
  expect(daysKept(plain, {})).toBeNull()
})

test('one of no generation that is kept does not stay for ever', () => {
  expect(daysKept(plain, { keepMonthly: 12 })).toBe(1)
  expect(daysKept(plain, { keepMonthly: 12, retentionDays: 14 })).toBe(14)
})
