import { request } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { sha256 } from '../../server/platform/secrets.ts'
import {
  decommissionDevice,
  deleteDevicePermanently,
  denyDevice,
  readDevice,
  restoreDevice,
  rotateDeviceToken,
} from '../../shared/api/devices.ts'
import { archiveOrganization } from '../../shared/api/lifecycle.ts'
import { deleteOrganization, updateOrganization } from '../../shared/api/organizations.ts'
import { updatePartner } from '../../shared/api/partners.ts'
import { showFactor } from '../contract/stage.ts'
import { commander } from '../helpers/commands.ts'
import { bootstrapped, enrollBody, enrolledDevice, holdings, otherCompany, person } from '../helpers/factories.ts'
import { type AgentSocket, type Credentials, connect, fakeDevice, listening } from '../helpers/fake-device.ts'
import { setDevice } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'

/** A socket belongs to the device and the token that opened it, and ends with either. No job runs here by itself. */

const app = await testApp()
const admin = await bootstrapped(app)
const { token } = admin
const platform = await person(app, { email: 'root@homeport.test', scope: 'system' })
showFactor(app, platform.id)
const { key } = await holdings(app, token)
const origin = await listening(app)
const console = commander(app, token)
afterAll(() => app[Symbol.asyncDispose]())

let count = 0
const newDevice = async (enrollmentKey = key.key) =>
  fakeDevice(app, await enrolledDevice(app, enrollmentKey, `identity-${++count}`))

async function enrollAgain(device: Credentials): Promise<Credentials> {
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/agents/enroll',
    headers: { 'x-agent-reenrollment-token': device.authToken },
    payload: enrollBody(key.key, `identity-${count}`),
  })
  expect(response.json().deviceId).toBe(device.deviceId)
  return response.json()
}

const isConnected = async ({ deviceId }: Credentials) =>
  (await app.call(readDevice, { params: { id: deviceId } }, { token })).body.isConnected

const commandsIn = (socket: AgentSocket) => socket.frames.filter(({ id }) => id !== undefined)

test('enrolling again closes the old socket at once, and commands go to the new agent only', async () => {
  const device = await newDevice()
  const old = await connect(origin, device)
  const again = await enrollAgain(device)
  expect(await old.closed).toBe(4001)
  const { body: queued } = await console.queue(device.deviceId)
  const next = await connect(origin, again)
  expect(await next.frame(({ id }) => id === queued.id)).toBeTruthy()
  expect(commandsIn(old)).toEqual([])
  await next.close()
})

test('an old agent that never answers the close gets nothing more, and does not count as connected', async () => {
  const device = await newDevice()
  const old = await connect(origin, device)
  old.pause()
  const again = await enrollAgain(device)
  expect(await isConnected(device)).toBe(false)
  const { body: queued } = await console.queue(device.deviceId)
  const next = fakeDevice(app, again)
  expect((await next.beat()).body.commands).toMatchObject([{ id: queued.id }])
  old.send({ type: 'command_result', commandId: queued.id, status: 'failed', error: 'from the past' })
  old.resume()
  expect(await old.closed).toBe(4001)
  expect(commandsIn(old)).toEqual([])
  expect((await console.read(device.deviceId, queued.id)).status).toBe('sent')
})

test('the new agent stays connected when the old socket is closed', async () => {
  const device = await newDevice()
  const old = await connect(origin, device)
  old.pause()
  const next = await connect(origin, await enrollAgain(device))
  old.resume()
  await old.closed
  await app.app.jobs.runNow('connections.sweep')
  await next.settled()
  expect(await isConnected(device)).toBe(true)
  await next.close()
})

const endedTokens: [string, (device: Credentials) => unknown][] = [
  ['token was replaced', ({ deviceId }) => setDevice(app, deviceId, { agent_token_hash: sha256('another') })],
  ['agent id was replaced', ({ deviceId, agentId }) => setDevice(app, deviceId, { agent_id: `${agentId}0` })],
  ['token was suspended', ({ deviceId }) => setDevice(app, deviceId, { agent_token_suspended_at: 'now' })],
]
const frames: [string, Buffer | { type: string }][] = [
  ['a binary frame', Buffer.from([2, 0, 1])],
  ['an empty binary frame', Buffer.alloc(0)],
  ['a pong', { type: 'pong' }],
]
for (const [ending, end] of endedTokens) {
  test.each(frames)(`a socket whose ${ending} is closed by %s`, async (_, frame) => {
    const device = await newDevice()
    const socket = await connect(origin, device)
    end(device)
    socket.send(frame as Buffer)
    expect(await socket.closed).toBe(4001)
  })

  test(`a socket whose ${ending} is closed by the sweep`, async () => {
    const device = await newDevice()
    const socket = await connect(origin, device)
    end(device)
    await app.app.jobs.runNow('connections.sweep')
    expect(await socket.closed).toBe(4001)
  })
}

test('a command is not sent over a socket whose token has ended, and waits for the agent with the new one', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  const newToken = `brz_${'a'.repeat(64)}`
  setDevice(app, device.deviceId, { agent_token_hash: sha256(newToken) })
  const { body: queued } = await console.queue(device.deviceId)
  expect(await socket.closed).toBe(4001)
  expect(commandsIn(socket)).toEqual([])
  expect((await fakeDevice(app, device, newToken).beat()).body.commands).toMatchObject([{ id: queued.id }])
})

test('a socket that the previous token opened ends when that token expires', async () => {
  const device = await newDevice()
  const previous = { ...device, authToken: `brz_${'b'.repeat(64)}` }
  const expires = new Date(app.clock.now() + 5 * 60_000).toISOString()
  setDevice(app, device.deviceId, {
    previous_token_hash: sha256(previous.authToken),
    previous_token_expires_at: expires,
  })
  const socket = await connect(origin, previous)
  app.clock.advance(5 * 60_000)
  await app.app.jobs.runNow('connections.sweep')
  expect(await socket.closed).toBe(4001)
})

type Scene = Awaited<ReturnType<typeof holdings>> & { partnerId: string }
const endings: [string, number, (scene: Scene) => Promise<{ status: number }>][] = [
  [
    'the token is rotated',
    4001,
    ({ device }) => app.call(rotateDeviceToken, { params: { id: device.deviceId } }, { token: platform.token }),
  ],
  [
    'the device was decommissioned',
    4041,
    ({ device }) => app.call(decommissionDevice, { params: { id: device.deviceId } }, { token: platform.token }),
  ],
  [
    'the organization is suspended',
    4001,
    ({ org }) =>
      app.call(
        updateOrganization,
        { params: { id: org.id }, body: { status: 'suspended' } },
        { token: platform.token },
      ),
  ],
  [
    'the organization is deleted',
    4001,
    ({ org }) => app.call(deleteOrganization, { params: { id: org.id } }, { token: platform.token }),
  ],
  [
    'the partner is suspended',
    4001,
    ({ partnerId }) =>
      app.call(updatePartner, { params: { id: partnerId }, body: { status: 'suspended' } }, { token: platform.token }),
  ],
]
test.each(endings)('when %s, the socket is closed with %i at once, without the sweep', async (what, code, end) => {
  const scene = await otherCompany(app, what.replaceAll(' ', '-'))
  const socket = await connect(origin, scene.device)
  expect((await end(scene)).status).toBe(200)
  expect(await socket.closed).toBe(code)
})

test('when an organization drains, its sockets are closed with 4001 at once, without the sweep', async () => {
  const scene = await otherCompany(app, 'Draining')
  showFactor(app, scene.admin.id)
  const socket = await connect(origin, scene.device)
  const { status } = await app.call(
    archiveOrganization,
    { params: { id: scene.org.id }, body: {} },
    { token: scene.admin.token },
  )
  expect(status).toBe(202)
  expect(await socket.closed).toBe(4001)
})

test('a device that is denied or deleted while it holds a socket loses it', async () => {
  const [denied, deleted] = [await newDevice(), await newDevice()]
  const sockets = [await connect(origin, denied), await connect(origin, deleted)]
  setDevice(app, denied.deviceId, { status: 'quarantined' })
  setDevice(app, deleted.deviceId, { status: 'decommissioned' })
  await app.call(denyDevice, { params: { deviceId: denied.deviceId } }, { token })
  await app.call(deleteDevicePermanently, { params: { id: deleted.deviceId } }, { token })
  for (const socket of sockets) expect([4001, 4041]).toContain(await socket.closed)
})

test('a refused restore or deletion of a device closes no socket', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  const before = app.rowCounts()
  expect((await app.call(restoreDevice, { params: { id: device.deviceId } }, { token })).status).toBe(400)
  expect((await app.call(deleteDevicePermanently, { params: { id: device.deviceId } }, { token })).status).toBe(400)
  await app.app.jobs.runNow('connections.sweep')
  await socket.settled()
  expect(app.rowCounts()).toEqual(before)
  await socket.close()
})

test('a heartbeat whose token ends while its body arrives is 401 and gets no command', async () => {
  const device = await newDevice()
  await console.queue(device.deviceId)
  const sending = request(`${origin}/api/v1/agents/${device.agentId}/heartbeat`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${device.authToken}`,
      'content-type': 'application/json',
      expect: '100-continue',
    },
  })
  const answer = new Promise<number | undefined>((resolve) => {
    sending.on('response', (response) => resolve(response.resume().statusCode))
  })
  const admitted = new Promise((resolve) => sending.once('continue', resolve))
  sending.flushHeaders()
  await admitted
  await app.call(rotateDeviceToken, { params: { id: device.deviceId } }, { token })
  sending.end(JSON.stringify({ status: 'ok', agentVersion: '0.5.0' }))
  expect(await answer).toBe(401)
  const { body } = await console.list(device.deviceId)
  expect(body.data.map(({ status }) => status)).toEqual(['pending'])
})
