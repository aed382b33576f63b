import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FakeClock } from '../../test/helpers/fake-clock.ts'
import { freshDatabase } from '../../test/helpers/test-app.ts'
import type { Database } from '../db/database.ts'
import { type Job, Jobs } from './jobs.ts'
import { silentLog } from './log.ts'

let db: Database
let clock: FakeClock
let jobs: Jobs
beforeEach(() => {
  db = freshDatabase()
  clock = new FakeClock()
  jobs = new Jobs(db, clock, silentLog())
})
afterEach(() => jobs.stop())

const job = (run: Job['run'], schedule = '0 0 0 1 1 *', name = 'test.tidy'): Job => ({
  name,
  description: 'Tidies up',
  schedule,
  run,
})

test('a job never runs twice at once: concurrent requests join the run under way', async () => {
  let running = 0
  let most = 0
  let runs = 0
  let release = () => {}
  jobs.add(
    job(async () => {
      runs++
      most = Math.max(most, ++running)
      await new Promise<void>((resolve) => {
        release = resolve
      })
      running--
    }),
  )
  const asked = [jobs.runNow('test.tidy'), jobs.runNow('test.tidy'), jobs.runNow('test.tidy')]
  expect(jobs.list()[0]?.isRunning).toBe(true)
  release()
  const views = await Promise.all(asked)
  expect([runs, most]).toEqual([1, 1])
  expect(views.map(({ isRunning, lastOutcome }) => [isRunning, lastOutcome])).toEqual(Array(3).fill([false, 'success']))
  const again = jobs.runNow('test.tidy')
  release()
  await again
  expect(runs).toBe(2)
})

test('a run is stored with its times, also for the next process', async () => {
  jobs.add(
    job(() => {
      clock.advance(1234)
    }),
  )
  const view = await jobs.runNow('test.tidy')
  expect(view).toMatchObject({
    lastStartedAt: '2026-03-01T09:00:00.000Z',
    lastFinishedAt: '2026-03-01T09:00:01.234Z',
    lastDurationMs: 1234,
    lastOutcome: 'success',
    lastError: null,
  })
  const restarted = new Jobs(db, clock, silentLog())
  restarted.add(job(() => {}))
  expect(restarted.list()[0]).toMatchObject({ lastDurationMs: 1234, lastOutcome: 'success' })
})

test('a clock that is set during a run does not make its duration negative', async () => {
  jobs.add(job(() => clock.jump(-3_600_000)))
  expect((await jobs.runNow('test.tidy')).lastDurationMs).toBe(0)
})

test('a failure is recorded with its error, and the next run may succeed', async () => {
  let fails = true
  jobs.add(
    job(async () => {
      if (fails) throw new Error('no room on the disk')
    }),
  )
  expect(await jobs.runNow('test.tidy')).toMatchObject({
    lastOutcome: 'failure',
    lastError: 'Error: no room on the disk',
    isRunning: false,
  })
  fails = false
  expect(await jobs.runNow('test.tidy')).toMatchObject({ lastOutcome: 'success', lastError: null })
})

test('a job runs by its schedule once started, and reports its next run', async () => {
  const run = vi.fn()
  jobs.add(job(run, '* * * * * *'))
  expect(jobs.list()[0]?.nextRunAt).toBeNull()
  await sleep(1100)
  expect(run).not.toHaveBeenCalled()
  const before = Date.now()
  jobs.start()
  expect(Date.parse(jobs.list()[0]?.nextRunAt ?? '')).toBeGreaterThanOrEqual(before)
  await expect.poll(() => run).toHaveBeenCalled()
})

test('stopping aborts the running job, waits for its end and starts no other', async () => {
  const seen: string[] = []
  jobs.add(
    job(async (signal) => {
      seen.push('start')
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      await sleep(20)
      seen.push('end')
    }, '* * * * * *'),
  )
  jobs.start()
  const asked = jobs.runNow('test.tidy')
  await jobs.stop()
  expect(seen).toEqual(['start', 'end'])
  await asked
  await sleep(1100)
  expect(seen).toEqual(['start', 'end'])
})

test('an unknown job is refused with job_not_found, and jobs are listed by name', async () => {
  await expect(jobs.runNow('test.nothing')).rejects.toMatchObject({ code: 'job_not_found' })
  jobs.add(
    job(() => {}, '0 0 0 1 1 *', 'b.two'),
    job(() => {}, '0 0 0 1 1 *', 'a.one'),
  )
  expect(jobs.list().map(({ name }) => name)).toEqual(['a.one', 'b.two'])
})

test('a job marked runsAtStart runs when the appliance starts, and others wait for their schedule', async () => {
  const ran: string[] = []
  const noted = (name: string) => job(() => void ran.push(name), '0 0 0 1 1 *', name)
  jobs.add(noted('test.patient'), { ...noted('test.eager'), runsAtStart: true })
  jobs.start()
  await jobs.stop()
  expect(ran).toEqual(['test.eager'])
})
