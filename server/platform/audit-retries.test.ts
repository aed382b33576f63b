import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FakeClock } from '../../test/helpers/fake-clock.ts'
import { testSeal } from '../../test/helpers/seal.ts'
import { freshDatabase } from '../../test/helpers/test-app.ts'
import type { Database } from '../db/database.ts'
import { systemActor } from './actor.ts'
import { type Audit, createAudit } from './audit.ts'
import { auditRetries } from './audit-retries.ts'
import { createLog } from './log.ts'

let db: Database
let audit: Audit
let clock: FakeClock
let lines: string[]
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  db = freshDatabase()
  clock = new FakeClock()
  lines = []
  const log = createLog('error', { write: (line) => void lines.push(line) })
  audit = createAudit(db, clock, testSeal, auditRetries(db, log))
  db.statement('CREATE TABLE things (name TEXT)').run()
  db.statement(
    "CREATE TRIGGER broken BEFORE INSERT ON audit_logs BEGIN SELECT RAISE(ABORT, 'the log is broken'); END",
  ).run()
})
afterEach(() => {
  vi.useRealTimers()
  db.close()
})

const mend = () => db.statement('DROP TRIGGER broken').run()
const things = () => db.statement('SELECT name FROM things').pluck().all()
const written = () => db.statement('SELECT action, timestamp FROM audit_logs').all()
const change = () =>
  db.transaction(() => {
    db.statement("INSERT INTO things VALUES ('made')").run()
    audit(systemActor('test'), { action: 'site.create', resourceType: 'thing' })
  })

test('a change commits although its audit event cannot be written, and the event follows with its own time', async () => {
  const timestamp = new Date(clock.now()).toISOString()
  change()
  expect([things(), written()]).toEqual([['made'], []])
  await vi.advanceTimersByTimeAsync(5_000)
  clock.advance(15_000)
  mend()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(written()).toEqual([{ action: 'site.create', timestamp }])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(written()).toHaveLength(1)
})

test('an audit event that cannot be written after three retries is logged as lost', async () => {
  change()
  await vi.advanceTimersByTimeAsync(35_000)
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    ...Array(4).fill('An audit event could not be written'),
    'An audit event is lost',
  ])
  mend()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(written()).toEqual([])
})

test('a rolled-back change writes no audit event, not even by a later retry', async () => {
  const undone = () =>
    db.transaction(() => {
      change()
      throw new Error('undone')
    })
  expect(undone).toThrow('undone')
  mend()
  await vi.advanceTimersByTimeAsync(60_000)
  expect([things(), written()]).toEqual([[], []])
})

test('without retries, a change whose audit event cannot be written is rolled back', () => {
  audit = createAudit(db, clock, testSeal)
  expect(change).toThrow('the log is broken')
  expect(things()).toEqual([])
})
