import { beforeEach, expect, test } from 'vitest'
import { FakeClock } from '../../test/helpers/fake-clock.ts'
import { freshDatabase } from '../../test/helpers/test-app.ts'
import type { Database } from '../db/database.ts'
import { AppError } from './errors.ts'
import { RateLimits } from './rate-limit.ts'

const inMemory = { max: 3, windowSeconds: 60 }
const durable = { ...inMemory, isDurable: true as const }
const overrides = { global: inMemory, login_ip: durable }
const hour = 3_600_000

let db: Database
let clock: FakeClock
let limits: RateLimits
beforeEach(() => {
  db = freshDatabase()
  clock = new FakeClock()
  limits = new RateLimits(db, clock, overrides)
})

const refusal = (work: () => unknown): AppError => {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error
  }
  throw new Error('it was not refused')
}

test.each(['global', 'login_ip'] as const)('%s: the window slides, so that room comes back use by use', (name) => {
  for (let use = 0; use < 3; use++) {
    limits.consume(name, 'a')
    clock.advance(10_000)
  }
  expect(refusal(() => limits.consume(name, 'a'))).toMatchObject({ code: 'rate_limited', extra: { retryAfter: 30 } })
  clock.advance(29_999)
  expect(refusal(() => limits.consume(name, 'a')).extra.retryAfter).toBe(1)
  clock.advance(1)
  limits.consume(name, 'a')
  expect(limits.retryAfterMs(name, 'a')).toBe(10_000)
  clock.advance(10_000)
  limits.consume(name, 'a')
})

test.each(['global', 'login_ip'] as const)(
  '%s: a use that is given back leaves room for one, and never for more than the limit',
  (name) => {
    for (let use = 0; use < 3; use++) limits.consume(name, 'a')
    limits.giveBack(name, 'a')
    limits.consume(name, 'a')
    expect(limits.retryAfterMs(name, 'a')).toBeGreaterThan(0)
    for (let back = 0; back < 5; back++) limits.giveBack(name, 'a')
    for (let use = 0; use < 3; use++) limits.consume(name, 'a')
    expect(limits.retryAfterMs(name, 'a')).toBeGreaterThan(0)
  },
)

test.each(['global', 'login_ip'] as const)('%s: refused uses are not counted, other keys are not affected', (name) => {
  for (let use = 0; use < 3; use++) limits.consume(name, 'a')
  for (let use = 0; use < 10; use++) refusal(() => limits.consume(name, 'a'))
  limits.consume(name, 'b')
  limits.consume(name === 'global' ? 'login_ip' : 'global', 'a')
  clock.advance(60_000)
  limits.consume(name, 'a')
})

test('count() goes on counting when the window is full, so that hammering callers stay refused', () => {
  for (let use = 0; use < 5; use++) {
    limits.count('login_ip', 'a')
    clock.advance(20_000)
  }
  expect(limits.retryAfterMs('login_ip', 'a')).toBe(0)
  limits.count('login_ip', 'a')
  expect(limits.retryAfterMs('login_ip', 'a')).toBeGreaterThan(0)
})

test('a durable limit survives a restart, one in memory does not', () => {
  for (let use = 0; use < 3; use++) {
    limits.consume('login_ip', 'a')
    limits.consume('global', 'a')
  }
  const restarted = new RateLimits(db, clock, overrides)
  expect(refusal(() => restarted.consume('login_ip', 'a')).code).toBe('rate_limited')
  restarted.consume('global', 'a')
})

test('setting the clock back neither refuses for longer than a window nor lets a caller in', () => {
  for (let use = 0; use < 3; use++) limits.consume('login_ip', 'a')
  clock.jump(-24 * hour)
  expect(refusal(() => limits.consume('login_ip', 'a')).extra.retryAfter).toBeLessThanOrEqual(60)
  clock.advance(60_000)
  expect(limits.retryAfterMs('login_ip', 'a')).toBeLessThanOrEqual(60_000)
})

test('setting the clock, either way, does not affect a limit in memory', () => {
  for (let use = 0; use < 3; use++) limits.consume('global', 'a')
  clock.jump(24 * hour)
  expect(refusal(() => limits.consume('global', 'a')).extra.retryAfter).toBe(60)
  clock.jump(-48 * hour)
  expect(refusal(() => limits.consume('global', 'a')).extra.retryAfter).toBe(60)
  clock.advance(60_000)
  limits.consume('global', 'a')
})

test('a limit of 0 is off and writes nothing', () => {
  const off = new RateLimits(db, clock, { login_ip: { ...durable, max: 0 } })
  for (let use = 0; use < 50; use++) off.consume('login_ip', 'a')
  expect(db.statement('SELECT count(*) FROM rate_limits').pluck().get()).toBe(0)
})

test('a cleared limit starts anew, and pruning deletes only what has expired', () => {
  for (const name of ['login_ip', 'global'] as const) {
    for (let use = 0; use < 3; use++) limits.consume(name, 'a')
    limits.clear(name, 'a')
    limits.consume(name, 'a')
  }
  limits.prune()
  expect(limits.count('login_ip', 'a')).toBe(2)
  expect(limits.count('global', 'a')).toBe(2)
  clock.advance(60_001)
  limits.prune()
  expect(db.statement('SELECT count(*) FROM rate_limits').pluck().get()).toBe(0)
  expect(limits.count('global', 'a')).toBe(1)
})

test('a fixed window ends as a whole, counted from its first use', () => {
  const fixed = new RateLimits(db, clock, { login_ip: { ...durable, isFixed: true } })
  for (let use = 0; use < 3; use++) {
    fixed.consume('login_ip', 'a')
    clock.advance(10_000)
  }
  expect(refusal(() => fixed.consume('login_ip', 'a')).extra.retryAfter).toBe(30)
  clock.advance(30_000)
  expect(fixed.count('login_ip', 'a')).toBe(1)
})

test('the caller may choose the error code of the refusal', () => {
  for (let use = 0; use < 3; use++) limits.consume('global', 'a')
  expect(refusal(() => limits.consume('global', 'a', 'enrollment_rate_limited')).code).toBe('enrollment_rate_limited')
})

test('made-up keys evict each other from memory, and not a key in use', () => {
  for (let n = 0; n < 350_000; n++) {
    limits.count('global', `made up ${n}`)
    if (n % 100_000 === 0) limits.count('global', 'in use')
  }
  expect(limits.count('global', 'made up 0')).toBe(1)
  expect(limits.count('global', 'in use')).toBeGreaterThan(1)
})

test('a caller whose attempts cannot be counted is refused with 503', () => {
  db.statement('ALTER TABLE rate_limits RENAME TO broken').run()
  for (const work of [
    () => limits.consume('login_ip', 'a'),
    () => limits.retryAfterMs('login_ip', 'a'),
    () => limits.count('login_ip', 'a'),
    () => limits.clear('login_ip', 'a'),
  ])
    expect(refusal(work)).toMatchObject({ code: 'unavailable', status: 503 })
  limits.consume('global', 'a')
})
