import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { restartPauseMs, type ServerState, type Supervisor, superviseServer } from '../../main/server-process.ts'
import { forkServers, isAlive, type Manner } from './fork-server.ts'

let supervisor: Supervisor | undefined
afterEach(() => supervisor?.stop())

/** Supervises fake servers. Pauses are recorded and take no time, unless `keepsPausing`. */
function supervise(
  manners: [Manner, ...Manner[]],
  { graceMs = 5_000, keepsPausing = false, now = (): number => 0 } = {},
) {
  const states: ServerState[] = []
  const pauses: number[] = []
  const { start, children } = forkServers(...manners)
  const pause = (ms: number, signal: AbortSignal) => {
    pauses.push(ms)
    return keepsPausing ? once(signal, 'abort').then(() => {}) : Promise.resolve()
  }
  supervisor = superviseServer({ start, graceMs, pause, now, onState: (state) => states.push(state) })
  const phases = () => states.map(({ phase }) => phase)
  const reaches = (phase: ServerState['phase'], times = 1) =>
    expect.poll(() => phases().filter((each) => each === phase)).toHaveLength(times)
  return { supervisor, states, pauses, children, phases, reaches }
}

test('a server that reports ready is ready, with the addresses it reported', async () => {
  const { states, reaches } = supervise(['well'])
  await reaches('ready')
  expect(states).toEqual([
    { phase: 'starting', failures: 0 },
    {
      phase: 'ready',
      ready: {
        type: 'ready',
        loopbackOrigin: 'https://localhost:8443',
        addresses: ['https://192.168.1.20:8443'],
        trustAnchors: null,
        browserOrigin: 'https://box.local:8443',
      },
    },
  ])
})

test('a server may report ready again when its addresses changed', async () => {
  const { states, reaches } = supervise(['moves'])
  await reaches('ready', 2)
  expect(states.at(-1)).toMatchObject({ ready: { loopbackOrigin: 'https://localhost:9443' } })
})

test('a crashed server is started again after growing pauses, and its last error is kept', async () => {
  const { states, pauses, phases, reaches } = supervise(['crashes', 'crashes', 'crashes-after-ready', 'well'])
  await reaches('ready', 2)
  expect(pauses).toEqual([500, 1_000, 2_000])
  expect(phases()).toEqual([
    ...['starting', 'restarting', 'starting', 'restarting'],
    ...['starting', 'ready', 'restarting', 'starting', 'ready'],
  ])
  expect(states[1]).toEqual({
    phase: 'restarting',
    failures: 1,
    lastError: 'The server ended with code 3: Error: the disk is full',
  })
  expect(states[7]).toEqual({ phase: 'starting', failures: 3, lastError: 'The server ended with code 4.' })
})

test('pauses double from half a second and stay at thirty', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 8, 2_000].map(restartPauseMs)).toEqual([
    ...[500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000],
  ])
})

test('the failures of a server are forgotten once it ran for a minute', async () => {
  let minutes = 0
  const { pauses, reaches } = supervise(['crashes', 'crashes', 'crashes', 'well'], {
    // Read at the start and the end of each run: the third run lasts a minute.
    now: () => [0, 0, 0, 0, 0, 60_000][minutes++] ?? 60_000,
  })
  await reaches('ready')
  expect(pauses).toEqual([500, 1_000, 500])
})

test('a server that cannot even be started counts as failed', async () => {
  const states: ServerState[] = []
  supervisor = superviseServer({
    start: () => {
      throw new Error('no such file')
    },
    pause: (_ms, signal) => once(signal, 'abort').then(() => {}),
    onState: (state) => states.push(state),
  })
  await expect
    .poll(() => states.at(-1))
    .toEqual({
      phase: 'restarting',
      failures: 1,
      lastError: 'The server could not be started: no such file',
    })
})

test('stop asks the server to end and waits until it has', async () => {
  const { supervisor, children, phases, reaches } = supervise(['well'])
  await reaches('ready')
  await supervisor.stop()
  expect(children[0]?.exitCode).toBe(0)
  expect(children).toHaveLength(1)
  expect(phases()).toEqual(['starting', 'ready', 'stopped'])
})

test.each(['deaf', 'hangs'] as const)('a server that is %s is killed after the grace period', async (manner) => {
  const { supervisor, children } = supervise([manner], { graceMs: 300 })
  await expect.poll(() => children[0]?.connected).toBe(true)
  const startedAt = performance.now()
  await supervisor.stop()
  expect(performance.now() - startedAt).toBeGreaterThan(290)
  expect(children[0]?.signalCode).toBe('SIGKILL')
})

test('stopping while a restart is pending starts no other server', async () => {
  const { supervisor, children, phases, reaches } = supervise(['crashes'], { keepsPausing: true })
  await reaches('restarting')
  await supervisor.stop()
  expect(children).toHaveLength(1)
  expect(phases()).toEqual(['starting', 'restarting', 'stopped'])
})

test('restart replaces a running server and is no failure', async () => {
  const { supervisor, children, states, pauses, reaches } = supervise(['well'])
  await reaches('ready')
  supervisor.restart()
  await reaches('ready', 2)
  expect(pauses).toEqual([])
  expect(states[2]).toEqual({ phase: 'starting', failures: 0 })
  expect(children.map(({ pid }) => isAlive(pid))).toEqual([false, true])
})

test('restart does not wait for the pause after a crash', async () => {
  const { supervisor, reaches } = supervise(['crashes', 'well'], { keepsPausing: true })
  await reaches('restarting')
  supervisor.restart()
  await reaches('ready')
})

test('a request to a server that is not ready, or ends without an answer, is rejected', async () => {
  const { supervisor, reaches } = supervise(['deaf'], { graceMs: 100 })
  await expect(supervisor.examineTrust()).rejects.toThrow('not running')
  await reaches('ready')
  const answer = supervisor.examineTrust()
  supervisor.restart()
  await expect(answer).rejects.toThrow('not running')
})

test('when the parent is killed, its server ends by itself', async () => {
  const parent = spawn(process.execPath, [join(import.meta.dirname, 'supervising-parent.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = await once(parent.stdout, 'data')
  const serverPid = Number(String(output))
  expect(isAlive(serverPid)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => isAlive(serverPid)).toBe(false)
})
