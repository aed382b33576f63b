import { expect, test } from 'vitest'
import { evenTicks, isOneDay } from './metric-ticks.ts'

const ranges = [
  ['1h', 3_600_000],
  ['6h', 21_600_000],
  ['24h', 86_400_000],
  ['7d', 604_800_000],
] as const

test.each(ranges)('the ticks over %s are round, evenly spaced and away from both ends', (range, ms) => {
  for (let minute = 0; minute < 1440; minute += 7) {
    const end = new Date(2026, 10, 23, 0, minute, 13).getTime()
    const [first = 0, second = 0, third = 0] = evenTicks(range, end, ms)
    expect(third - second).toBe(second - first)
    expect(new Date(second).getMinutes() % 10).toBe(0)
    if (range === '7d') expect(new Date(second).getHours()).toBe(0)
    expect(first).toBeGreaterThanOrEqual(end - ms * 0.96)
    expect(third).toBeLessThanOrEqual(end - ms * 0.04)
  }
})

test('ticks before and after midnight are not of one day', () => {
  const at = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime()
  expect(isOneDay([at(23, 0), at(23, 23)])).toBe(true)
  expect(isOneDay([at(22, 23), at(23, 0)])).toBe(false)
})
