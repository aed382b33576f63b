import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { eventually } from '../../../test/helpers/eventually.ts'
import { gate, taskKit } from '../../../test/helpers/task-kit.ts'
import { day, minute } from '../clock.ts'
import type { Tasks } from './tasks.ts'

type N = { n: number }
const keepMs = 7 * day

/** A kind of task that records its inputs. */
const bell = (tasks: Tasks, rung: number[], run: (n: number) => void | Promise<void> = () => {}) =>
  tasks.register<N>({
    name: 'bell.ring',
    description: 'Rings a bell',
    concurrency: 5,
    keepMs: 0,
    run: async ({ input }) => {
      await run(input.n)
      rung.push(input.n)
    },
  })

test('tasks added in a transaction run after its commit, in order, and are deleted when nothing is to be kept', async () => {
  const { db, engine, rows } = taskKit()
  const tasks = engine()
  const rung: number[] = []
  const bells = bell(tasks, rung)
  tasks.start()
  db.transaction(() => {
    for (const n of [1, 2, 3]) bells.add({ input: { n } })
    expect(rung).toEqual([])
  })
  expect(rung).toEqual([])
  await eventually(() => expect(rung).toEqual([1, 2, 3]))
  await eventually(() => expect(rows()).toEqual([]))
})

test('a rolled-back transaction adds no task', async () => {
  const { db, engine, rows } = taskKit()
  const tasks = engine()
  const rung: number[] = []
  const bells = bell(tasks, rung)
  tasks.start()
  expect(() =>
    db.transaction(() => {
      bells.add({ input: { n: 1 } })
      throw new Error('undone')
    }),
  ).toThrow('undone')
  expect(rows()).toEqual([])
  bells.add({ input: { n: 2 } })
  await eventually(() => expect(rung).toEqual([2]))
  await sleep(20)
  expect(rung).toEqual([2])
})

test('a completed task is pruned after the time its kind says, and a failed one is kept', async () => {
  const { clock, engine, rows } = taskKit()
  const tasks = engine()
  const sums = tasks.register<N, never, { sum: number }>({
    name: 'sum.make',
    description: 'Adds up',
    concurrency: 5,
    keepMs,
    attempts: 1,
    run: ({ input }) => {
      if (input.n < 0) throw new Error('less than nothing')
      return { sum: input.n + 1 }
    },
  })
  tasks.start()
  const id = sums.add({ input: { n: 1 }, orgId: 'o', partnerId: 'p', requestedBy: 'u' }) ?? ''
  sums.add({ input: { n: -1 } })
  await eventually(() => expect(rows().map(({ state }) => state)).toEqual(['completed', 'failed']))
  const owner = { orgId: 'o', partnerId: 'p', requestedBy: 'u' }
  expect(sums.find(id)).toMatchObject({ ...owner, result: { sum: 2 }, attempts: 1, error: null, dueAt: null })
  clock.advance(keepMs)
  await tasks.prune(new AbortController().signal)
  expect(rows()).toHaveLength(2)
  clock.advance(1)
  await tasks.prune(new AbortController().signal)
  expect(rows()).toMatchObject([{ state: 'failed' }])
})

test('a task that only writes commits its writes together with its end, or neither', async () => {
  const { db, clock, engine, rows } = taskKit()
  const tasks = engine()
  let fails = 1
  const notes = tasks.register<N>({
    name: 'note.write',
    description: 'Writes a note',
    keepMs: 0,
    write: ({ n }) => {
      expect(db.isInTransaction).toBe(true)
      db.statement('INSERT INTO settings (name, value) VALUES (?, ?)').run(`note ${n}`, '{}')
      if (n === 1 && fails-- > 0) throw new Error('out of ink')
    },
  })
  const written = () => db.statement('SELECT name FROM settings ORDER BY name').pluck().all()
  tasks.start()
  db.transaction(() => {
    for (const n of [1, 2, 3]) notes.add({ input: { n } })
  })
  await eventually(() => expect(written()).toEqual(['note 2', 'note 3']))
  expect(rows()).toMatchObject([{ state: 'waiting', attempts: 1, error: 'internal_error' }])
  clock.advance(5000)
  tasks.wake()
  await eventually(() => expect(rows()).toEqual([]))
  expect(written()).toEqual(['note 1', 'note 2', 'note 3'])
})

test('an instant effect is done at least once and never marked as active', async () => {
  const { db, clock, engine, rows } = taskKit()
  const tasks = engine()
  const sent: number[] = []
  let fails = 1
  const pushes = tasks.register<N>({
    name: 'frame.push',
    description: 'Pushes a frame',
    keepMs: 0,
    effect: ({ n }) => {
      expect(db.isInTransaction).toBe(false)
      expect(rows().map(({ state }) => state)).not.toContain('active')
      if (n === 1 && fails-- > 0) throw new Error('not now')
      sent.push(n)
    },
  })
  tasks.start()
  db.transaction(() => {
    for (const n of [1, 2, 3]) pushes.add({ input: { n } })
  })
  await eventually(() => expect(rows()).toMatchObject([{ state: 'waiting', attempts: 1, error: 'internal_error' }]))
  expect(sent).toEqual([2, 3])
  clock.advance(5000)
  db.statement(`CREATE TRIGGER full BEFORE DELETE ON tasks BEGIN SELECT raise(ROLLBACK, 'disk full'); END`).run()
  tasks.wake()
  await eventually(() => expect(sent).toEqual([2, 3, 1]))
  db.statement('DROP TRIGGER full').run()
  tasks.wake()
  await eventually(() => expect(rows()).toEqual([]))
  expect(sent).toEqual([2, 3, 1, 1])
})

test('a failing task does not hold up the others', async () => {
  const { db, engine, rows } = taskKit()
  const tasks = engine()
  const rung: number[] = []
  const bells = bell(tasks, rung, (n) => {
    if (n === 1) throw new Error('not this one')
  })
  tasks.start()
  db.transaction(() => {
    for (let n = 1; n <= 120; n++) bells.add({ input: { n } })
  })
  await eventually(() => expect(rung).toHaveLength(119))
  await eventually(() => expect(rows()).toHaveLength(1))
})

test('a task with a given id exists only once until it is over, and then a new one takes its place', async () => {
  const { engine, rows } = taskKit()
  const tasks = engine()
  const done = gate()
  const bells = tasks.register<N>({
    name: 'bell.ring',
    description: 'Rings a bell',
    concurrency: 5,
    keepMs,
    run: () => done.promise,
  })
  expect(bells.add({ id: 'bell-1', input: { n: 1 } })).toBe('bell-1')
  expect(bells.add({ id: 'bell-1', input: { n: 2 } })).toBeNull()
  tasks.start()
  await eventually(() => expect(bells.find('bell-1')?.state).toBe('active'))
  expect(bells.add({ id: 'bell-1', input: { n: 3 } })).toBeNull()
  done.resolve()
  await eventually(() => expect(bells.find('bell-1')?.state).toBe('completed'))
  expect(bells.add({ id: 'bell-1', input: { n: 4 } })).toBe('bell-1')
  await eventually(() => expect(bells.find('bell-1')).toMatchObject({ state: 'completed', input: { n: 4 } }))
  expect(rows()).toHaveLength(1)
})

test('a task may be started later', async () => {
  const { clock, engine } = taskKit()
  const tasks = engine()
  const rung: number[] = []
  const bells = bell(tasks, rung)
  tasks.start()
  bells.add({ input: { n: 1 }, delayMs: minute })
  clock.advance(minute - 1)
  tasks.wake()
  await sleep(20)
  expect(rung).toEqual([])
  clock.advance(1)
  tasks.wake()
  await eventually(() => expect(rung).toEqual([1]))
})

test('tasks of a kind that is not ready wait without an attempt', async () => {
  const { engine, rows } = taskKit()
  const tasks = engine()
  const rung: number[] = []
  let isReady = false
  const bells = tasks.register<N>({
    name: 'bell.ring',
    description: 'Rings a bell',
    concurrency: 5,
    keepMs: 0,
    isReady: () => isReady,
    run: ({ input }) => void rung.push(input.n),
  })
  tasks.start()
  bells.add({ input: { n: 1 } })
  await sleep(20)
  expect(rows()).toMatchObject([{ state: 'waiting', attempts: 0 }])
  isReady = true
  bells.hurry()
  await eventually(() => expect(rung).toEqual([1]))
})

test('an obsolete task is cancelled and not run', async () => {
  const { engine, rows } = taskKit()
  const tasks = engine()
  const rung: number[] = []
  let isReady = false
  const bells = tasks.register<N>({
    name: 'bell.ring',
    description: 'Rings a bell',
    concurrency: 5,
    keepMs,
    isReady: () => isReady,
    isObsolete: ({ n }) => n < 3,
    run: ({ input }) => void rung.push(input.n),
  })
  tasks.start()
  bells.add({ input: { n: 1 } })
  await tasks.prune(new AbortController().signal)
  expect(rows()).toMatchObject([{ state: 'cancelled', attempts: 0 }])
  isReady = true
  for (const n of [2, 3]) bells.add({ input: { n } })
  await eventually(() => expect(rows().map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'completed']))
  expect(rung).toEqual([3])
})

test('a task of an unregistered kind stays for a later version and does not keep the engine awake', async () => {
  const { db, engine, rows } = taskKit()
  const tasks = engine()
  const rung: number[] = []
  const bells = bell(tasks, rung)
  const old = '2020-01-01T00:00:00.000Z'
  const row = db.statement(
    `INSERT INTO tasks (id, kind, input, state, due_at, lease_until, deadline_at, created_at)
     VALUES (@id, 'later', '{}', @state, @due, @lease, @deadline, @old)`,
  )
  row.run({ id: 'a', state: 'waiting', due: old, lease: null, deadline: old, old })
  row.run({ id: 'b', state: 'active', due: null, lease: old, deadline: null, old })
  const looked = vi.spyOn(db, 'all')
  tasks.start()
  bells.add({ input: { n: 1 } })
  await eventually(() => expect(rung).toEqual([1]))
  await sleep(20)
  const looks = looked.mock.calls.length
  await sleep(350)
  expect(looked.mock.calls.length).toBe(looks)
  expect(rows().map(({ state }) => state)).toEqual(['waiting', 'active'])
})

test('a watcher of a task gets every change of state and progress, and its removal, until it unsubscribes', async () => {
  const { engine } = taskKit()
  const tasks = engine()
  const bells = tasks.register<N, { percent: number }>({
    name: 'bell.ring',
    description: 'Rings a bell',
    concurrency: 5,
    keepMs,
    run: (_, { progress }) => {
      for (const percent of [0, 50]) progress({ percent })
    },
  })
  const id = bells.add({ input: { n: 1 } }) ?? ''
  const seen: unknown[] = []
  const stop = tasks.watch(id, (task) => seen.push([task?.state, task?.progress]))
  const states: unknown[] = []
  tasks.watch(id, (task) => states.push(task?.state))
  tasks.start()
  const half = { percent: 50 }
  await eventually(() =>
    expect(seen).toEqual([
      ['active', null],
      ['active', { percent: 0 }],
      ['active', half],
      ['completed', half],
    ]),
  )
  stop()
  tasks.remove(id)
  expect(states).toEqual(['active', 'active', 'active', 'completed', undefined])
  expect(seen).toHaveLength(4)
  expect(tasks.find(id)).toBeUndefined()
})
