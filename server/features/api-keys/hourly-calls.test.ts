import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/helpers/fake-clock.ts'
import { hour, minute, second } from '../../platform/clock.ts'
import { HourlyCalls } from './hourly-calls.ts'

test('after 100,000 calls the next one waits until the first is an hour old', () => {
  const clock = new FakeClock()
  const calls = new HourlyCalls(clock)
  const limit = 100_000
  for (let n = 0; n < limit; n++) {
    if (calls.take('a', limit) > 0) throw new Error(`call ${n} was refused`)
    if (n % 50 === 0) clock.advance(second)
  }
  expect(calls.rateStatus('a', limit)).toMatchObject({ limit, remaining: 0 })
  // Two thousand seconds went by.
  expect(calls.take('a', limit)).toBe(hour - 2000 * second)
  clock.advance(hour - 2000 * second)
  expect(calls.take('a', limit)).toBe(0)
})

test('a call beyond the limit does not count', () => {
  const clock = new FakeClock()
  const calls = new HourlyCalls(clock)
  calls.take('a', 1)
  clock.advance(hour - 1)
  expect(calls.take('a', 1)).toBe(1)
  clock.advance(1)
  expect(calls.take('a', 1)).toBe(0)
})

test('after the limit is lowered, a call waits until enough earlier calls are an hour old', () => {
  const clock = new FakeClock()
  const calls = new HourlyCalls(clock)
  for (let n = 0; n < 4; n++) {
    calls.take('a', 10)
    clock.advance(minute)
  }
  // Three of the four calls must be an hour old. The third was made two minutes ago.
  expect(calls.take('a', 2)).toBe(hour - 2 * minute)
  expect(calls.rateStatus('a', 2).remaining).toBe(0)
  expect(calls.rateStatus('a', 5).remaining).toBe(1)
})

test('changing the system clock neither extends nor shortens the wait', () => {
  const clock = new FakeClock()
  const calls = new HourlyCalls(clock)
  calls.take('a', 1)
  clock.jump(2 * hour)
  expect(calls.take('a', 1)).toBe(hour)
  clock.jump(-10 * hour)
  clock.advance(hour)
  expect(calls.take('a', 1)).toBe(0)
})
