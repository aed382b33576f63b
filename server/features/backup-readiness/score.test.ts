import { describe, expect, test } from 'vitest'
import { day } from '../../platform/clock.ts'
import { type Check, type History, readinessOf } from './score.ts'

const now = Date.parse('2026-03-01T00:00:00Z')
const check = (daysAgo: number, some: Partial<Check> = {}): Check => ({
  type: 'integrity',
  status: 'passed',
  completedAt: new Date(now - daysAgo * day).toISOString(),
  restoreTimeSeconds: null,
  ...some,
})
const restored = (daysAgo: number, seconds: number, some: Partial<Check> = {}) =>
  check(daysAgo, { type: 'test_restore', restoreTimeSeconds: seconds, ...some })
const of = (...recent: Check[]): History => ({
  recent,
  lastTestRestore: recent.find(({ type }) => type === 'test_restore') ?? null,
})
const scoreOf = (history: History) => readinessOf(history, now)?.score
const codesOf = (history: History) =>
  readinessOf(history, now)?.risks.map(({ code, severity }) => `${code} ${severity}`)

test('without a check nothing is known', () => {
  expect(readinessOf({ recent: [], lastTestRestore: null }, now)).toBeNull()
})

test('a fast test restore that passed a day ago is all there can be', () => {
  expect(readinessOf(of(restored(1, 180)), now)).toEqual({ score: 100, estimatedRtoMinutes: 3, risks: [] })
})

test('checks of data alone lack the restore: 55 for passing, 15 for today, less 20', () => {
  expect(scoreOf(of(check(1)))).toBe(50)
  expect(codesOf(of(check(1)))).toEqual(['restore_test_missing medium'])
})

test('a test restore weighs twice, a partial one earns half, and each failure costs 6 more', () => {
  expect(scoreOf(of(restored(1, 180), check(1, { status: 'failed' })))).toBe(Math.round(55 * (1 / 1.5) + 45) - 6)
  expect(scoreOf(of(restored(1, 180, { status: 'partial' })))).toBe(Math.round(55 * 0.5 + 45))
  expect(codesOf(of(restored(1, 180), check(1, { status: 'failed' })))).toEqual(['recent_verification_failure high'])
})

test('a slow restore counts less, and takes the minutes it took, rounded up', () => {
  expect(readinessOf(of(restored(1, 1980)), now)).toMatchObject({ score: 85, estimatedRtoMinutes: 33 })
  expect(readinessOf(of(restored(1, 10_000)), now)).toMatchObject({ score: 70, estimatedRtoMinutes: 167 })
  expect(codesOf(of(restored(1, 1201)))).toEqual(['rto_above_target medium'])
  expect(codesOf(of(restored(1, 2701)))).toEqual(['rto_above_target high'])
  expect(codesOf(of(restored(1, 1200)))).toEqual([])
})

test('how long a failed test restore took says nothing of how long one takes', () => {
  const failed = restored(1, 1, { status: 'failed' })
  expect(readinessOf(of(failed, restored(2, 1980)), now)?.estimatedRtoMinutes).toBe(33)
  expect(readinessOf(of(failed), now)?.estimatedRtoMinutes).toBeNull()
  expect(readinessOf({ recent: [check(0)], lastTestRestore: failed }, now)?.estimatedRtoMinutes).toBeNull()
})

describe('what was proven long ago counts less', () => {
  test.each([
    [7, 100, []],
    [8, 95, []],
    [15, 90, ['stale_verification medium']],
    [31, 67, ['stale_verification high', 'restore_test_missing medium']],
  ])('%i days', (days, score, codes) => {
    expect(scoreOf(of(restored(days, 180)))).toBe(score)
    expect(codesOf(of(restored(days, 180)))).toEqual(codes)
  })
})

test('a weekly test restore still counts when twelve newer checks of data came after it', () => {
  const recent = Array.from({ length: 12 }, () => check(0))
  expect(readinessOf({ recent, lastTestRestore: restored(6, 180) }, now)).toMatchObject({ score: 100, risks: [] })
  expect(scoreOf({ recent, lastTestRestore: restored(31, 180) })).toBe(50)
})

test('it is never below 0', () => {
  const recent = Array.from({ length: 12 }, () => check(40, { status: 'failed' }))
  expect(scoreOf(of(...recent))).toBe(0)
})
