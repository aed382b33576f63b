import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FakeClock } from '../../test/helpers/fake-clock.ts'
import { freshDatabase } from '../../test/helpers/test-app.ts'
import type { Database } from '../db/database.ts'
import { silentLog } from './log.ts'
import { Outbox } from './outbox.ts'

let db: Database
let clock: FakeClock
let delivered: number[]
const started: Outbox[] = []

beforeEach(() => {
  db = freshDatabase()
  clock = new FakeClock()
  delivered = []
})
afterEach(async () => {
  for (const outbox of started.splice(0)) await outbox.stop()
  db.close()
})

function outboxOf(deliver: (payload: { n: number }) => void | Promise<void> = ({ n }) => void delivered.push(n)) {
  const outbox = new Outbox(db, clock, silentLog())
  outbox.handle('bell', deliver)
  started.push(outbox)
  return outbox
}

const waiting = () => db.statement('SELECT kind, attempts, next_attempt_at, last_error FROM outbox').all()

test('what is added in a transaction is delivered once it is saved, in order, and forgotten', async () => {
  const outbox = outboxOf()
  outbox.start()
  db.transaction(() => {
    for (const n of [1, 2, 3]) outbox.add('bell', { n })
    expect(delivered).toEqual([])
  })
  expect(delivered).toEqual([])
  await expect.poll(() => delivered).toEqual([1, 2, 3])
  await expect.poll(() => waiting()).toEqual([])
})

test('what is added in a transaction that is undone is never delivered', async () => {
  const outbox = outboxOf()
  outbox.start()
  expect(() =>
    db.transaction(() => {
      outbox.add('bell', { n: 1 })
      throw new Error('undone')
    }),
  ).toThrow('undone')
  outbox.add('bell', { n: 2 })
  await expect.poll(() => delivered).toEqual([2])
  await sleep(20)
  expect(delivered).toEqual([2])
})

test('what could not be delivered is tried again after a growing pause', async () => {
  let fails = 2
  const outbox = outboxOf(({ n }) => {
    if (fails-- > 0) throw new Error('the bell is broken')
    delivered.push(n)
  })
  outbox.start()
  outbox.add('bell', { n: 1 })
  const due = (ms: number) => new Date(clock.now() + ms).toISOString()
  await expect.poll(() => waiting()).toMatchObject([{ attempts: 1, next_attempt_at: due(5000) }])
  clock.advance(4999)
  outbox.start()
  await sleep(20)
  expect(waiting()).toMatchObject([{ attempts: 1, last_error: 'Error: the bell is broken' }])
  clock.advance(1)
  outbox.start()
  await expect.poll(() => waiting()).toMatchObject([{ attempts: 2, next_attempt_at: due(10_000) }])
  clock.advance(10_000)
  outbox.start()
  await expect.poll(() => delivered).toEqual([1])
})

test('an effect that only writes is struck off with what it wrote, or neither is', async () => {
  let fails = 1
  const outbox = outboxOf()
  outbox.apply<{ n: number }>('note', ({ n }) => {
    expect(db.isInTransaction).toBe(true)
    db.statement('INSERT INTO settings (name, value) VALUES (?, ?)').run(`note ${n}`, '{}')
    if (fails-- > 0) throw new Error('out of ink')
  })
  const notes = () => db.statement('SELECT name FROM settings').pluck().all()
  outbox.start()
  outbox.add('note', { n: 1 })
  await expect.poll(() => waiting()).toMatchObject([{ kind: 'note', attempts: 1 }])
  expect(notes()).toEqual([])
  clock.advance(5000)
  outbox.start()
  await expect.poll(() => waiting()).toEqual([])
  expect(notes()).toEqual(['note 1'])
})

test('one that fails does not hold up the others', async () => {
  const outbox = outboxOf(({ n }) => {
    if (n === 1) throw new Error('not this one')
    delivered.push(n)
  })
  outbox.start()
  db.transaction(() => {
    for (let n = 1; n <= 120; n++) outbox.add('bell', { n })
  })
  await expect.poll(() => delivered).toHaveLength(119)
  await expect.poll(() => waiting()).toHaveLength(1)
})

test('what was saved before a crash is delivered by the next process', async () => {
  const crashed = new Outbox(db, clock, silentLog())
  crashed.add('bell', { n: 1 })
  const next = outboxOf()
  next.start()
  await expect.poll(() => delivered).toEqual([1])
})

test('a crash between delivery and its note delivers again: at least once', async () => {
  const crashing = new Outbox(db, clock, silentLog())
  let release = () => {}
  crashing.handle<{ n: number }>('bell', ({ n }) => {
    delivered.push(n)
    return new Promise<void>((resolve) => {
      release = resolve
    })
  })
  crashing.start()
  crashing.add('bell', { n: 1 })
  await expect.poll(() => delivered).toEqual([1])
  const next = outboxOf()
  next.start()
  await expect.poll(() => delivered).toEqual([1, 1])
  release()
  await crashing.stop()
})

test('stopping waits for the delivery under way and starts no other', async () => {
  const seen: string[] = []
  const letGo = Promise.withResolvers<void>()
  const outbox = outboxOf(async () => {
    seen.push('begun')
    await letGo.promise
    seen.push('done')
  })
  outbox.start()
  outbox.add('bell', { n: 1 })
  await expect.poll(() => seen).toEqual(['begun'])
  const stopped = outbox.stop().then(() => seen.push('stopped'))
  letGo.resolve()
  await stopped
  expect(seen).toEqual(['begun', 'done', 'stopped'])
  outbox.add('bell', { n: 2 })
  await sleep(20)
  expect(waiting()).toHaveLength(1)
})

test('a kind nobody handles stays for a version that does, and keeps nobody awake', async () => {
  const outbox = outboxOf()
  db.statement(
    "INSERT INTO outbox (kind, payload, next_attempt_at, created_at) VALUES ('mail', '{}', '2020-01-01', '2020-01-01')",
  ).run()
  const looked = vi.spyOn(db, 'all')
  outbox.start()
  outbox.add('bell', { n: 1 })
  await expect.poll(() => delivered).toEqual([1])
  await sleep(20)
  const looks = looked.mock.calls.length
  await sleep(350)
  expect(looked.mock.calls.length).toBe(looks)
  expect(waiting()).toMatchObject([{ kind: 'mail', attempts: 0 }])
})
