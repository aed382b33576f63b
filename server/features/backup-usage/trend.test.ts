import { expect, test } from 'vitest'
import { daysUntil, trendOf } from './trend.ts'

/** The same for the same seed. */
function noise(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648 - 0.5
  }
}
const series = (length: number, of: (day: number) => number) =>
  Array.from({ length }, (_, day) => ({ day: 20_000 + day, bytes: of(day) }))

test('fewer than two weeks, and too many gaps, say nothing', () => {
  expect(trendOf([])).toBeNull()
  expect(trendOf(series(14, (day) => day))).toBeNull()
  expect(trendOf(series(40, (day) => day).filter(({ day }) => day % 5 === 0))).toBeNull()
  expect(trendOf(series(15, (day) => day))).not.toBeNull()
})

test('steady growth is found exactly, and around noise within the certainty that it says', () => {
  expect(trendOf(series(56, (day) => 1000 + 30 * day))).toEqual({ bytesPerDay: 30, least: 30, most: 30 })
  for (let seed = 1; seed <= 20; seed++) {
    const random = noise(seed)
    const trend = trendOf(series(56, (day) => 30 * day + 200 * random()))
    expect(trend?.least).toBeLessThan(30)
    expect(trend?.most).toBeGreaterThan(30)
  }
})

test('something large that came or went once, and days that are missing, do not move it', () => {
  const jump = trendOf(series(56, (day) => 30 * day + (day >= 50 ? 100_000 : 0)))
  expect(jump?.bytesPerDay).toBe(30)
  const outlier = trendOf(series(56, (day) => (day === 20 ? 1_000_000 : 30 * day)).filter(({ day }) => day % 7 !== 3))
  expect(outlier?.bytesPerDay).toBe(30)
})

test('what shrinks is never full, and neither is what takes more than three years', () => {
  expect(daysUntil(1000, -5)).toBeNull()
  expect(daysUntil(1000, 0)).toBeNull()
  expect(daysUntil(1_000_000, 1)).toBeNull()
  expect(daysUntil(1000, 10)).toBe(100)
  expect(daysUntil(0, -5)).toBe(0)
})
