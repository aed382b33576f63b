import { expect, test } from 'vitest'
import { eventually } from '../../../test/helpers/eventually.ts'
import { taskKit } from '../../../test/helpers/task-kit.ts'
import { day } from '../clock.ts'

type Input = { do: 'count' | 'refuse' | 'crash' | 'spin' }

function kit() {
  const { engine, rows } = taskKit()
  const tasks = engine()
  const sums = tasks.register<Input, { percent: number }, number>({
    name: 'sum.compute',
    description: 'Computes a sum',
    concurrency: 2,
    keepMs: day,
    attempts: 2,
    worker: new URL('../../../test/helpers/task-worker.ts', import.meta.url),
  })
  tasks.start()
  const add = (what: Input['do']) => sums.add({ input: { do: what } }) ?? ''
  return { tasks, sums, add, rows }
}

test('a computing task runs in its own thread, reports its progress and leaves the event loop free', async () => {
  const { sums, add } = kit()
  let beats = 0
  const beat = setInterval(() => beats++, 1)
  const id = add('count')
  await eventually(() => expect(sums.find(id)).toMatchObject({ state: 'completed', progress: { percent: 100 } }))
  clearInterval(beat)
  expect(sums.find(id)?.result).toBe(4_999_999_950_000_000)
  expect(beats).toBeGreaterThan(10)
})

test('a task in a worker thread fails with its own message, or with internal_error', async () => {
  const { add, rows } = kit()
  add('refuse')
  add('crash')
  await eventually(() =>
    expect(rows()).toMatchObject([
      { state: 'failed', attempts: 1, error: 'There is nothing to add up' },
      { state: 'waiting', attempts: 1, error: 'internal_error' },
    ]),
  )
})

test('a worker thread that never ends is terminated when its task is cancelled', async () => {
  const { tasks, add } = kit()
  const id = add('spin')
  await eventually(() => expect(tasks.find(id)?.progress).toEqual({ percent: 1 }))
  tasks.cancel(id)
  await eventually(() => expect(tasks.find(id)?.state).toBe('cancelled'))
})
