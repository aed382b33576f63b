import { expect, onTestFinished, test } from 'vitest'
import { createHeart } from './heartbeat.ts'
import { createLog } from './log.ts'
import { createServerClient } from './server-client.ts'
import { agentId, authToken, type FakeServer } from './testing/fake-server.ts'
import { eventually, makeServer } from './testing/scene.ts'
import { systemTrust } from './trust.ts'

/** A heartbeat with a short interval against a real server. */
function startHeart(server: FakeServer, intervalMs = 50) {
  const stop = new AbortController()
  const seen = { commands: [] as string[], beats: 0, lines: [] as string[] }
  const log = createLog({ write: (line) => void seen.lines.push(line) })
  const heart = createHeart({
    agentId,
    intervalMs,
    log,
    client: createServerClient({ serverUrl: server.url, trust: systemTrust(), authToken, log, signal: stop.signal }),
    vitalSigns: { read: async () => ({ status: 'ok', agentVersion: '1' }) },
    onCommand: ({ id }) => void seen.commands.push(id),
    onTrust: async () => {},
    onBeat() {
      seen.beats += 1
    },
  })
  const done = heart.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await done
  })
  return { heart, seen }
}

const beatsAt = (server: FakeServer) => {
  const times: number[] = []
  server.answer = () => void times.push(performance.now())
  return times
}

test('takes the valid commands out of a malformed answer', async () => {
  const server = await makeServer()
  const good = { id: 'good', type: 'refresh_inventory', payload: {} }
  server.answer = () => ({ status: 200, body: { commands: [null, { id: 7 }, good, 'x'], trust: 'no object' } })
  const { seen } = startHeart(server, 10_000)
  await eventually(() => expect(seen.commands).toEqual(['good']))
})

test.each([
  ['commands that are no list', { status: 200, body: { commands: { 0: 'x' } } }],
  ['no JSON', { status: 200, body: '<html>' }],
  ['no object', { status: 200, body: '[]' }],
  ['nothing', { status: 204 }],
  ['a refusal', { status: 403, body: { error: 'Device has been decommissioned' } }],
])('an answer with %s does not stop the heartbeat', async (_, answer) => {
  const server = await makeServer()
  server.answer = () => answer
  startHeart(server)
  await eventually(() => expect(server.to('/heartbeat').length).toBeGreaterThan(4))
})

test('after three 401 answers in a row it backs off, and returns to its interval once accepted', async () => {
  const server = await makeServer()
  const times: number[] = []
  const complaints: number[] = []
  let isAccepted = false
  server.answer = () => {
    times.push(performance.now())
    complaints.push(seen.lines.filter((line) => line.includes("does not accept this device's token")).length)
    return isAccepted ? undefined : { status: 401 }
  }
  const { seen } = startHeart(server)
  const gap = (index: number) => (times[index] ?? 0) - (times[index - 1] ?? 0)
  await eventually(() => expect(times.length).toBe(5))
  expect(complaints).toEqual([0, 0, 0, 1, 2])
  expect(gap(3)).toBeGreaterThan(650)
  expect(gap(4)).toBeGreaterThan(1300)
  expect(seen.lines.at(-1)).toContain("does not accept this device's token")
  isAccepted = true
  await eventually(() => expect(seen.beats).toBeGreaterThan(3))
})

test('a socket that connects proves the token, so the next heartbeat comes at once, however long the pause is', async () => {
  const server = await makeServer()
  let count = 0
  server.answer = () => {
    count += 1
    return { status: 401 }
  }
  const { heart, seen } = startHeart(server)
  // Left alone, the pauses before the fourteenth beat add up to a quarter of an hour.
  while (count < 14) {
    heart.quicken()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  server.answer = () => undefined
  await eventually(() => {
    heart.quicken()
    expect(seen.beats).toBeGreaterThan(0)
  })
})

test('waits as long as Retry-After says', async () => {
  const server = await makeServer()
  const times: number[] = []
  server.answer = () => {
    times.push(performance.now())
    return { status: 429, headers: { 'retry-after': '2' } }
  }
  startHeart(server)
  await eventually(() => expect(times.length).toBe(2))
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1900)
})

test('sends a heartbeat at once when quickened', async () => {
  const server = await makeServer()
  const times = beatsAt(server)
  const { heart, seen } = startHeart(server, 20_000)
  await eventually(() => expect(seen.beats).toBe(1))
  heart.quicken()
  await eventually(() => expect(times).toHaveLength(2))
})
