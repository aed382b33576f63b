import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from '../../../test/helpers/eventually.ts'
import { gate, taskKit, untilAborted } from '../../../test/helpers/task-kit.ts'
import { day, hour, minute, second } from '../clock.ts'
import { retryPauseMs } from './backoff.ts'
import type { TaskContext } from './kind.ts'
import { leaseMs } from './store.ts'
import { TaskFailure } from './task.ts'
import type { Tasks } from './tasks.ts'

const keepMs = 7 * day
const few = { name: 'file.fetch', description: 'Fetches a file', concurrency: 5, keepMs }

interface Fetching {
  attempts?: number
  attemptMs?: number
  stopMs?: number
}
const fetching = (tasks: Tasks, run: (context: TaskContext<unknown>) => unknown, options: Fetching = {}) =>
  tasks.register<object, unknown, unknown>({ ...few, ...options, run: (_, context) => run(context) })

test('retry pauses double from five seconds to an hour, shortened by up to a tenth', () => {
  const steps = [1, 2, 3, 10, 11, 1000].map((failures) => {
    const pauses = Array.from({ length: 200 }, () => retryPauseMs(failures) / second)
    const most = [5, 10, 20, 2560, 3600, 3600][[1, 2, 3, 10, 11, 1000].indexOf(failures)] ?? 0
    expect(Math.max(...pauses)).toBeLessThanOrEqual(most)
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(most * 0.9)
    return new Set(pauses).size
  })
  // The pauses vary, so that tasks that failed together are not retried together.
  expect(Math.min(...steps)).toBeGreaterThan(50)
})

test('a failed task is retried after growing pauses until it is given up with its error', async () => {
  const { clock, engine, rows } = taskKit()
  const tasks = engine()
  const fetches = fetching(
    tasks,
    () => {
      throw new TaskFailure('The server is away')
    },
    { attempts: 3 },
  )
  tasks.start()
  fetches.add({ input: {} })
  for (const [attempts, most] of [
    [1, 5000],
    [2, 10_000],
  ] as const) {
    await eventually(() => expect(rows()).toMatchObject([{ state: 'waiting', attempts }]))
    const { error, dueInMs } = rows()[0] ?? {}
    expect(error).toBe('The server is away')
    expect(dueInMs).toBeGreaterThanOrEqual(most * 0.9)
    expect(dueInMs).toBeLessThanOrEqual(most)
    clock.advance((dueInMs ?? 0) - 1)
    tasks.wake()
    await sleep(20)
    expect(rows()).toMatchObject([{ attempts }])
    clock.advance(1)
    tasks.wake()
  }
  await eventually(() => expect(rows()).toMatchObject([{ state: 'failed', attempts: 3, dueInMs: null }]))
  clock.advance(day)
  tasks.wake()
  await sleep(20)
  expect(rows()).toMatchObject([{ state: 'failed', attempts: 3, error: 'The server is away' }])
})

test('a final failure is not retried by itself, and a retry by hand has all attempts again', async () => {
  const { engine, rows } = taskKit()
  const tasks = engine()
  let isGone = true
  const fetches = fetching(tasks, () => {
    if (isGone) throw new TaskFailure('There is no such file', { isFinal: true })
  })
  tasks.start()
  const id = fetches.add({ input: {} }) ?? ''
  await eventually(() => expect(rows()).toMatchObject([{ state: 'failed', attempts: 1 }]))
  isGone = false
  tasks.retry(id)
  await eventually(() => expect(rows()).toMatchObject([{ state: 'completed', attempts: 1, error: null }]))
  tasks.retry(id)
  expect(rows()).toMatchObject([{ state: 'completed' }])
})

test('a failure and its onFailed hook are saved together, or neither is', async () => {
  const { db, clock, engine, rows } = taskKit()
  const tasks = engine()
  const told: string[] = []
  let isFull = true
  const fetches = tasks.register<object>({
    ...few,
    attempts: 1,
    run: () => {
      throw new TaskFailure('no')
    },
    onFailed: ({ state, error }, reason) => {
      expect(db.isInTransaction).toBe(true)
      if (isFull) throw new Error('disk full')
      told.push(`${state} ${error} ${reason}`)
    },
  })
  tasks.start()
  fetches.add({ input: {} })
  await eventually(() => expect(rows()).toMatchObject([{ state: 'active', attempts: 1 }]))
  await sleep(20)
  expect(rows()).toMatchObject([{ state: 'active', error: null }])
  isFull = false
  clock.advance(leaseMs)
  tasks.wake()
  await eventually(() => expect(rows()).toMatchObject([{ state: 'waiting' }]))
  clock.advance(5 * second)
  tasks.wake()
  await eventually(() => expect(told).toEqual(['failed no no']))
})

test('an unexpected error is stored as internal_error only, as its message may quote a secret', async () => {
  const { engine, rows, logLines } = taskKit()
  const tasks = engine()
  const fetches = fetching(tasks, () => {
    throw new Error('GET /file?token=open-sesame: 500')
  })
  tasks.start()
  fetches.add({ input: {} })
  await eventually(() => expect(rows()).toMatchObject([{ attempts: 1, error: 'internal_error' }]))
  expect(JSON.stringify(rows())).not.toContain('open-sesame')
  expect(logLines.join()).toContain('A task failed')
})

test('a waiting task is cancelled at once, and a running one when its attempt has ended', async () => {
  const { engine, rows } = taskKit()
  const tasks = engine()
  const aborted = gate()
  const ended = gate()
  const fetches = fetching(tasks, async ({ signal }) => {
    await untilAborted(signal).catch(() => aborted.resolve())
    await ended.promise
    signal.throwIfAborted()
  })
  const [runs = '', waits = ''] = [fetches.add({ input: {} }), fetches.add({ input: {}, delayMs: hour })].map(String)
  tasks.cancel(waits)
  expect(tasks.find(waits)).toMatchObject({ state: 'cancelled', attempts: 0, dueAt: null })
  tasks.start()
  await eventually(() => expect(tasks.find(runs)?.state).toBe('active'))
  tasks.cancel(runs)
  await aborted.promise
  expect(tasks.find(runs)?.state).toBe('active')
  ended.resolve()
  await eventually(() => expect(tasks.find(runs)).toMatchObject({ state: 'cancelled', error: null }))
  tasks.cancel(runs)
  await sleep(20)
  expect(rows().map(({ state }) => state)).toEqual(['cancelled', 'cancelled'])
})

test('a cancelled task that still finishes is completed, and a rolled-back cancellation aborts nothing', async () => {
  const { db, engine } = taskKit()
  const tasks = engine()
  const done = gate()
  let isAborted = false
  const fetches = fetching(tasks, async ({ signal }) => {
    signal.addEventListener('abort', () => {
      isAborted = true
    })
    await done.promise
  })
  tasks.start()
  const id = fetches.add({ input: {} }) ?? ''
  await eventually(() => expect(tasks.find(id)?.state).toBe('active'))
  expect(() =>
    db.transaction(() => {
      tasks.cancel(id)
      throw new Error('undone')
    }),
  ).toThrow('undone')
  expect(isAborted).toBe(false)
  tasks.cancel(id)
  expect(isAborted).toBe(true)
  done.resolve()
  await eventually(() => expect(tasks.find(id)?.state).toBe('completed'))
})

test('the end of a task that was removed while it ran does not end a task added since', async () => {
  const { engine, rows } = taskKit()
  const tasks = engine()
  const gates = [gate(), gate()]
  let runs = 0
  const fetches = fetching(tasks, () => gates[runs++]?.promise)
  tasks.start()
  const first = fetches.add({ input: {} }) ?? ''
  await eventually(() => expect(runs).toBe(1))
  tasks.remove(first)
  expect(rows()).toEqual([])
  fetches.add({ input: {} })
  await eventually(() => expect(runs).toBe(2))
  gates[0]?.resolve()
  await sleep(20)
  expect(rows()).toMatchObject([{ state: 'active', attempts: 1 }])
  gates[1]?.resolve()
  await eventually(() => expect(rows()).toMatchObject([{ state: 'completed', attempts: 1 }]))
})

test('a cancellation survives a crash', async () => {
  const { engine } = taskKit()
  const crashed = engine()
  const over = gate()
  const fetches = fetching(crashed, () => over.promise)
  crashed.start()
  const id = fetches.add({ input: {} }) ?? ''
  await eventually(() => expect(crashed.find(id)?.state).toBe('active'))
  crashed.cancel(id)
  const next = engine()
  fetching(next, () => 'done')
  next.start()
  expect(next.find(id)).toMatchObject({ state: 'cancelled', attempts: 1 })
  over.resolve()
})

test('a task that is not done by its deadline expires, whether it waits or runs', async () => {
  const { clock, engine, rows } = taskKit()
  const tasks = engine()
  const fetches = fetching(tasks, ({ signal }) => untilAborted(signal))
  tasks.start()
  fetches.add({ input: {}, deadlineMs: minute })
  await eventually(() => expect(rows()).toMatchObject([{ state: 'active' }]))
  fetches.add({ input: {}, deadlineMs: minute, delayMs: hour })
  clock.advance(minute - 1)
  tasks.wake()
  await sleep(20)
  expect(rows()).toMatchObject([{ state: 'active' }, { state: 'waiting' }])
  clock.advance(1)
  tasks.wake()
  await eventually(() => expect(rows().map(({ state }) => state)).toEqual(['expired', 'expired']))
})

test('an attempt that takes too long fails', async () => {
  const { engine, rows } = taskKit()
  const tasks = engine()
  const fetches = fetching(tasks, ({ signal }) => untilAborted(signal), { attemptMs: 5 })
  tasks.start()
  fetches.add({ input: {} })
  await eventually(() => expect(rows()).toMatchObject([{ state: 'waiting', error: 'It took too long' }]))
})

test('stopping puts a running task back, and the next start continues from its progress', async () => {
  const { engine, rows } = taskKit()
  const tasks = engine()
  const seen: unknown[] = []
  const fetches = tasks.register<object, { at: number }>({
    ...few,
    run: async ({ progress, attempts }, context) => {
      seen.push([progress, attempts])
      context.progress({ at: attempts })
      if (attempts === 1) await untilAborted(context.signal)
    },
  })
  tasks.start()
  fetches.add({ input: {} })
  await eventually(() => expect(seen).toHaveLength(1))
  await tasks.stop()
  expect(rows()).toMatchObject([{ state: 'waiting', attempts: 1, error: null, dueInMs: 0 }])
  tasks.wake()
  await sleep(20)
  expect(seen).toHaveLength(1)
  tasks.start()
  await eventually(() => expect(rows()).toMatchObject([{ state: 'completed', attempts: 2 }]))
  expect(seen).toEqual([
    [null, 1],
    [{ at: 1 }, 2],
  ])
})

test('stopping waits for a task that is given time to finish, and saves its end', async () => {
  const { engine, rows } = taskKit()
  const tasks = engine()
  const done = gate()
  const fetches = fetching(tasks, () => done.promise, { stopMs: minute })
  tasks.start()
  fetches.add({ input: {} })
  await eventually(() => expect(rows()).toMatchObject([{ state: 'active' }]))
  const stopped = tasks.stop()
  done.resolve()
  await stopped
  expect(rows()).toMatchObject([{ state: 'completed' }])
})

test('a task whose process crashed before its end was saved is done again by the next process', async () => {
  const { engine, rows } = taskKit()
  const crashing = engine()
  const release = gate()
  let runs = 0
  const fetches = crashing.register<object>({
    ...few,
    // Keeps the "crashed" process from starting the task again.
    isReady: () => runs === 0,
    run: () => {
      runs++
      return release.promise
    },
  })
  crashing.start()
  fetches.add({ input: {} })
  await eventually(() => expect(runs).toBe(1))
  const next = engine()
  fetching(next, () => {
    runs++
    return 'done'
  })
  next.start()
  await eventually(() => expect(rows()).toMatchObject([{ state: 'completed', attempts: 2 }]))
  expect(runs).toBe(2)
  // The late result of the crashed process changes nothing.
  release.resolve()
  await crashing.stop()
  expect(rows()).toMatchObject([{ state: 'completed', attempts: 2 }])
})

test('a task whose end cannot be saved is done again once its lease is over, not before', async () => {
  const { db, clock, engine, rows } = taskKit()
  const tasks = engine()
  let runs = 0
  const fetches = fetching(tasks, () => ++runs)
  db.statement(
    `CREATE TRIGGER full BEFORE UPDATE ON tasks WHEN new.state = 'completed'
     BEGIN SELECT raise(ROLLBACK, 'disk full'); END`,
  ).run()
  tasks.start()
  fetches.add({ input: {} })
  await eventually(() => expect(runs).toBe(1))
  clock.advance(leaseMs - 1)
  tasks.wake()
  await sleep(20)
  expect(rows()).toMatchObject([{ state: 'active', attempts: 1 }])
  db.statement('DROP TRIGGER full').run()
  clock.advance(1)
  tasks.wake()
  await eventually(() => expect(rows()).toMatchObject([{ state: 'waiting', attempts: 1 }]))
  clock.advance(5 * second)
  tasks.wake()
  await eventually(() => expect(rows()).toMatchObject([{ state: 'completed', attempts: 2 }]))
  expect(runs).toBe(2)
})

test('the lease of a running task is renewed, however long it takes', async () => {
  const { clock, engine, rows } = taskKit()
  const tasks = engine()
  const done = gate()
  let runs = 0
  const fetches = fetching(tasks, () => {
    runs++
    return done.promise
  })
  tasks.start()
  fetches.add({ input: {} })
  await eventually(() => expect(runs).toBe(1))
  for (let n = 0; n < 5; n++) {
    clock.advance(leaseMs)
    tasks.wake()
    await sleep(5)
  }
  const other = engine()
  fetching(other, () => ++runs)
  // Not started, as a start would take over every active task.
  other.wake()
  expect(rows()).toMatchObject([{ state: 'active', attempts: 1 }])
  done.resolve()
  await eventually(() => expect(rows()).toMatchObject([{ state: 'completed', attempts: 1 }]))
  expect(runs).toBe(1)
})

test('a task that crashes the process each time is given up in the end', async () => {
  const { db, engine, rows } = taskKit()
  const tasks = engine()
  const told: string[] = []
  const fetches = tasks.register<object>({
    ...few,
    attempts: 1,
    run: () => {},
    onFailed: (_, why) => void told.push(why),
  })
  fetches.add({ input: {} })
  db.statement(
    `UPDATE tasks SET state = 'active', attempts = 34, due_at = NULL, lease_until = '2020-01-01T00:00:00.000Z'`,
  ).run()
  tasks.start()
  expect(rows()).toMatchObject([{ state: 'failed', attempts: 34 }])
  expect(told).toEqual(['The appliance stopped in the middle of it again and again'])
})
