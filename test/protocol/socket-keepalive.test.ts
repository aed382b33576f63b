import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readDevice } from '../../shared/api/devices.ts'
import { company, enrolledDevice } from '../helpers/factories.ts'
import { type Credentials, connect, fakeDevice, listening } from '../helpers/fake-device.ts'
import { auditOf, deviceRowOf, setDevice } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'

/** What becomes of a silent or closed socket. Timers stand still until moved; connections are real. */

const app = await testApp()
const { admin, key } = await company(app)
const origin = await listening(app)
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

let count = 0
const newDevice = async () => fakeDevice(app, await enrolledDevice(app, key.key, `alive-${++count}`))
const pass = (ms: number) => {
  app.clock.advance(ms)
  vi.advanceTimersByTime(ms)
}
const statusOf = ({ deviceId }: Credentials) => deviceRowOf(app, deviceId)?.status

/** Resolves when the server has noticed that the device hung up. */
async function hungUp({ deviceId }: Credentials): Promise<void> {
  for (;;) {
    const { body } = await app.call(readDevice, { params: { id: deviceId } }, { token: admin.token })
    if (!body.isConnected) return
  }
}

test('the server pings every thirty seconds, and no answer within forty closes with 4008', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  pass(29_999)
  pass(1)
  await socket.frame(({ type }) => type === 'ping')
  pass(39_999)
  await socket.ping()
  pass(1)
  expect(await socket.closed).toBe(4008)
})

test('an agent that answers stays connected', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  for (let n = 1; n <= 5; n++) {
    pass(30_000)
    await socket.frame(
      (frame) => frame.type === 'ping' && socket.frames.filter(({ type }) => type === 'ping').length === n,
    )
    socket.send({ type: 'pong', timestamp: Date.now() })
    await socket.settled()
  }
  await socket.close()
})

test('after a socket has closed, the device is offline one interval later and not before', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  await socket.close()
  await hungUp(device)
  pass(59_999)
  expect(statusOf(device)).toBe('online')
  pass(1)
  expect(statusOf(device)).toBe('offline')
  expect(auditOf(app, 'agent.heartbeat.state_change').at(-1)?.details).toEqual({
    from: 'online',
    to: 'offline',
    cause: 'socket closed',
  })
})

test('a reconnect or a heartbeat within the interval keeps it online', async () => {
  const [returning, beating] = [await newDevice(), await newDevice()]
  for (const device of [returning, beating]) {
    await (await connect(origin, device)).close()
    await hungUp(device)
  }
  pass(30_000)
  const again = await connect(origin, returning)
  await beating.beat()
  pass(60_000)
  expect([returning, beating].map(statusOf)).toEqual(['online', 'online'])
  await again.close()
})

test('a superseded socket does not turn its device offline', async () => {
  const device = await newDevice()
  const first = await connect(origin, device)
  const second = await connect(origin, device)
  expect(await first.closed).toBe(4002)
  pass(29_000)
  expect(statusOf(device)).toBe('online')
  await second.close()
})

test.each(['updating', 'maintenance', 'quarantined', 'decommissioned'] as const)(
  'a closed socket leaves the status %s as it is',
  async (status) => {
    const device = await newDevice()
    const socket = await connect(origin, device)
    setDevice(app, device.deviceId, { status })
    await socket.close()
    await hungUp(device)
    pass(120_000)
    expect(statusOf(device)).toBe(status)
  },
)
