import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/helpers/fake-clock.ts'
import { hour, minute, second } from '../../platform/clock.ts'
import { HourlyCalls } from './hourly-calls.ts'

test('the last of a hundred thousand calls is counted, the next one waits for the first to be over', () => {
  const clock = new FakeClock()
  const calls = new HourlyCalls(clock)
  const limit = 100_000
  for (let n = 0; n < limit; n++) {
    expect(calls.take('a', limit)).toMatchObject({ remaining: limit - n - 1, retryAfterMs: 0 })
    if (n % 50 === 0) clock.advance(second)
  }
  // Two thousand seconds went by.
  expect(calls.take('a', limit)).toMatchObject({ remaining: 0, retryAfterMs: hour - 2000 * second })
  clock.advance(hour - 2000 * second)
  expect(calls.take('a', limit)).toMatchObject({ retryAfterMs: 0 })
})

test('a call beyond the limit does not count', () => {
  const clock = new FakeClock()
  const calls = new HourlyCalls(clock)
  calls.take('a', 1)
  clock.advance(hour - 1)
  expect(calls.take('a', 1).retryAfterMs).toBe(1)
  clock.advance(1)
  expect(calls.take('a', 1)).toMatchObject({ remaining: 0, retryAfterMs: 0 })
})

test('after a limit is lowered enough calls have to be over', () => {
  const clock = new FakeClock()
  const calls = new HourlyCalls(clock)
  for (let n = 0; n < 4; n++) {
    calls.take('a', 10)
    clock.advance(minute)
  }
  expect(calls.allowance('a', 2)).toMatchObject({ limit: 2, remaining: 0, retryAfterMs: hour - 2 * minute })
  expect(calls.allowance('a', 5)).toMatchObject({ remaining: 1, retryAfterMs: 0 })
})

test('setting the clock of the machine neither locks out nor lets in', () => {
  const clock = new FakeClock()
  const calls = new HourlyCalls(clock)
  calls.take('a', 1)
  clock.jump(2 * hour)
  expect(calls.take('a', 1).retryAfterMs).toBe(hour)
  clock.jump(-10 * hour)
  clock.advance(hour)
  expect(calls.take('a', 1).retryAfterMs).toBe(0)
})
