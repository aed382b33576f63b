import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from '../../../test/helpers/eventually.ts'
import { gate, taskKit } from '../../../test/helpers/task-kit.ts'
import type { Tasks } from './tasks.ts'

type Of = { of: string }

/** A kind whose tasks run until they are released; counts how many run at once. */
function held(tasks: Tasks, name: string, concurrency: number, keyOf?: (of: string) => string) {
  let running = 0
  let most = 0
  const open: { of: string; go: () => void }[] = []
  const begun: string[] = []
  const queue = tasks.register<Of>({
    name,
    description: name,
    concurrency,
    keepMs: 0,
    ...(keyOf && { keyOf: ({ input }) => keyOf(input.of) }),
    run: async ({ input: { of } }) => {
      most = Math.max(most, ++running)
      const held = gate()
      begun.push(of)
      open.push({ of, go: held.resolve })
      await held.promise
      running--
    },
  })
  return {
    add: (...all: string[]) => {
      for (const of of all) queue.add({ input: { of } })
    },
    begun,
    most: () => most,
    go: () => open.shift()?.go(),
  }
}

test('a kind runs as many tasks at once as it says, the oldest first', async () => {
  const { engine, rows } = taskKit()
  const tasks = engine()
  const backups = held(tasks, 'backup.run', 3)
  tasks.start()
  backups.add(...Array.from({ length: 10 }, (_, n) => `${n}`))
  for (let done = 0; done < 10; done++) {
    await eventually(() => expect(backups.begun).toHaveLength(Math.min(10, done + 3)))
    backups.go()
  }
  await eventually(() => expect(rows()).toEqual([]))
  expect(backups.most()).toBe(3)
  expect(backups.begun).toEqual(Array.from({ length: 10 }, (_, n) => `${n}`))
})

test('a kind that is full, or has a thousand tasks waiting, holds up no other kind', async () => {
  const { db, engine } = taskKit()
  const tasks = engine()
  const merges = held(tasks, 'organization.merge', 1)
  const backups = held(tasks, 'backup.run', 2)
  const written: number[] = []
  const notes = tasks.register<{ n: number }>({
    name: 'note.write',
    description: 'Writes a note',
    keepMs: 0,
    write: ({ n }) => void written.push(n),
  })
  db.transaction(() => {
    merges.add(...Array.from({ length: 1000 }, () => 'm'))
    for (let n = 0; n < 1000; n++) notes.add({ input: { n } })
    backups.add('a', 'b')
  })
  tasks.start()
  await eventually(() => expect(backups.begun).toEqual(['a', 'b']))
  expect(merges.begun).toEqual(['m'])
  await eventually(() => expect(written).toHaveLength(1000))
  expect(merges.begun).toEqual(['m'])
  for (const kind of [merges, backups, backups]) kind.go()
})

test('ten tasks that are added concurrently with the same key all run, one after the other', async () => {
  const { engine, rows } = taskKit()
  const tasks = engine()
  const merges = held(tasks, 'organization.merge', 20, (of) => of)
  tasks.start()
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      await sleep(Math.random() * 5)
      merges.add('acme')
    }),
  )
  merges.add('oslo')
  for (let done = 0; done < 11; done++) {
    // The task with the other key runs beside the first one.
    await eventually(() => expect(merges.begun).toHaveLength(Math.min(11, done + 2 - (done > 1 ? 1 : 0))))
    merges.go()
  }
  await eventually(() => expect(rows()).toEqual([]))
  expect(merges.most()).toBe(2)
  expect(merges.begun.filter((of) => of === 'acme')).toHaveLength(10)
})

test('tasks with the same key exclude each other across kinds and across two engines on one database', async () => {
  const { engine } = taskKit()
  const [one, other] = [engine(), engine()]
  const merges = held(one, 'organization.merge', 5, (of) => of)
  const erasures = held(other, 'organization.erase', 5, (of) => of)
  one.start()
  other.start()
  merges.add('acme')
  await eventually(() => expect(merges.begun).toEqual(['acme']))
  erasures.add('acme', 'oslo')
  await eventually(() => expect(erasures.begun).toEqual(['oslo']))
  await sleep(20)
  expect(erasures.begun).toEqual(['oslo'])
  merges.go()
  await sleep(20)
  other.wake()
  await eventually(() => expect(erasures.begun).toEqual(['oslo', 'acme']))
  for (const _ of [1, 2]) erasures.go()
})

test('the event loop is free between tasks that each take a while to begin', async () => {
  const { db, engine } = taskKit()
  const tasks = engine()
  let since = 0
  let longest = 0
  let done = 0
  const busy = tasks.register<object>({
    name: 'busy.be',
    description: 'Keeps the thread busy',
    concurrency: 100,
    keepMs: 0,
    run: () => {
      const until = performance.now() + 3
      while (performance.now() < until);
      longest = Math.max(longest, ++since)
      done++
    },
  })
  db.transaction(() => {
    for (let n = 0; n < 100; n++) busy.add({ input: {} })
  })
  const beat = setInterval(() => {
    since = 0
  }, 0)
  tasks.start()
  await eventually(() => expect(done).toBe(100))
  clearInterval(beat)
  expect(longest).toBeLessThan(6)
})
