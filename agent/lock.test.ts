import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { holdLock } from './lock.ts'
import { makeFolder } from './testing/scene.ts'

const isWindows = process.platform === 'win32'
const source = JSON.stringify(join(import.meta.dirname, 'lock.ts'))

async function hold(stateDir: string) {
  const lock = await holdLock(stateDir)
  onTestFinished(() => void lock.close())
  return lock
}

/** Runs in a process of its own, which holds the lock when `then` begins. */
const inProcess = (stateDir: string, then: string) =>
  promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    `import { holdLock } from ${source}
     await holdLock(${JSON.stringify(stateDir)})
     ${then}`,
  ])

const kill = `process.kill(process.pid, 'SIGKILL')`

test('of many attempts at once exactly one gets the lock, also where a killed agent left its socket', async () => {
  const stateDir = await makeFolder()
  await expect(inProcess(stateDir, kill)).rejects.toMatchObject({ signal: 'SIGKILL' })
  const started = await Promise.allSettled([1, 2, 3, 4, 5].map(() => hold(stateDir)))
  expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const refused = started.filter((one) => one.status === 'rejected')
  for (const { reason } of refused) expect(reason.message).toBe(`An agent is already running with ${stateDir}.`)
})

test('of several processes that start at once exactly one gets the lock', async () => {
  const stateDir = await makeFolder()
  const seen = { held: 0, refused: 0 }
  for (let times = 0; times < 4; times += 1) {
    const running = inProcess(stateDir, `console.log('held'); setInterval(() => {}, 1000)`)
    onTestFinished(() => void running.child.kill('SIGKILL'))
    running.child.stdout?.once('data', () => seen.held++)
    running.catch(() => seen.refused++)
  }
  await expect.poll(() => seen).toEqual({ held: 1, refused: 3 })
})

test('an agent whose name comes first is refused at once when another already has the lock', async () => {
  const stateDir = await makeFolder()
  await hold(stateDir)
  // The clock stands still: the time that two agents have to agree never ends.
  vi.useFakeTimers({ now: 0, toFake: ['Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  await expect(holdLock(stateDir)).rejects.toThrow('already running')
})

test.skipIf(isWindows)('an agent that hangs keeps the lock', async () => {
  const stateDir = await makeFolder()
  const hanging = inProcess(stateDir, `console.log('held'); process.kill(process.pid, 'SIGSTOP')`)
  onTestFinished(() => void hanging.child.kill('SIGKILL'))
  hanging.catch(() => {})
  await once(hanging.child.stdout as Readable, 'data')
  await expect(holdLock(stateDir)).rejects.toThrow('already running')
})

test('the lock is free again after a clean exit and after a kill, and leaves one file', async () => {
  const stateDir = await makeFolder()
  const first = await hold(stateDir)
  await expect(holdLock(stateDir)).rejects.toThrow('already running')
  await new Promise((resolve) => first.close(resolve))
  for (let times = 0; times < 2; times += 1) await inProcess(stateDir, kill).catch(() => {})
  await hold(stateDir)
  await expect(holdLock(stateDir)).rejects.toThrow('already running')
  if (!isWindows) expect(readdirSync(stateDir)).toHaveLength(1)
})
