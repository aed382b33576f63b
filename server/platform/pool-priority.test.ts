import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { expect, test } from 'vitest'
import { lowerPoolPriority } from './pool-priority.ts'

test.runIf(process.platform === 'linux')('the libuv pool gets a lower priority than the main thread', async () => {
  const before = getPriority()
  await lowerPoolPriority()
  const pool = readdirSync('/proc/self/task').filter(
    (thread) => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim() === 'libuv-worker',
  )
  expect(pool.length).toBeGreaterThan(0)
  expect(new Set(pool.map((thread) => getPriority(Number(thread))))).toEqual(new Set([10]))
  expect(getPriority()).toBe(before)
})
