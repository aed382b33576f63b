import { expect, test } from 'vitest'
import { createBackoff } from './backoff.ts'

const inTheMiddle = () => 0.5

test('pauses double up to the cap and start over after a reset', () => {
  const backoff = createBackoff({ firstMs: 1000, capMs: 60_000, random: inTheMiddle })
  const pauses = Array.from({ length: 8 }, () => backoff.next())
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
  backoff.reset()
  expect(backoff.next()).toBe(1000)
})

test('a caller may cap a pause lower without losing count', () => {
  const backoff = createBackoff({ firstMs: 1000, capMs: 60_000, random: inTheMiddle })
  const pauses = Array.from({ length: 5 }, () => backoff.next(5000))
  expect(pauses).toEqual([1000, 2000, 4000, 5000, 5000])
  expect(backoff.next()).toBe(32_000)
})

test('pauses vary by 30 % either way', () => {
  expect(createBackoff({ firstMs: 1000, capMs: 1000, random: () => 0 }).next()).toBe(700)
  expect(createBackoff({ firstMs: 1000, capMs: 1000, random: () => 1 }).next()).toBe(1300)
})
