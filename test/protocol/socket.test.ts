import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { afterAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { decommissionDevice, rotateDeviceToken } from '../../shared/api/devices.ts'
import { commander, insertCommand } from '../helpers/commands.ts'
import { company, enrolledDevice } from '../helpers/factories.ts'
import { type Credentials, connect, fakeDevice, listening, refusedHandshake } from '../helpers/fake-device.ts'
import { liveStream } from '../helpers/live-stream.ts'
import { deviceRowOf, setDevice, setOrganization, setPartner } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'

/** The agent's WebSocket, over real connections. */

const app = await testApp()
const { admin, org, key } = await company(app)
const origin = await listening(app)
const console = commander(app, admin.token)
afterAll(() => app[Symbol.asyncDispose]())

let count = 0
const newDevice = async () => fakeDevice(app, await enrolledDevice(app, key.key, `socket-${++count}`))
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const refused = (device: Credentials, headers: Record<string, string> = bearer(device.authToken), query = '') =>
  refusedHandshake(origin, device.agentId, headers, query)

test('the server greets with its capabilities and answers protocol pings', async () => {
  const device = await newDevice()
  setDevice(app, device.deviceId, { status: 'offline' })
  const socket = await connect(origin, device)
  expect(socket.frames).toEqual([
    {
      type: 'connected',
      agentId: device.agentId,
      timestamp: app.clock.now(),
      capabilities: ['terminal_output_base64', 'backup_run_async', 'command_output'],
    },
  ])
  await socket.ping()
  expect(deviceRowOf(app, device.deviceId)?.status).toBe('online')
  await socket.close()
})

test('every refusal comes before the upgrade and says no more than "Unauthorized"', async () => {
  const device = await newDevice()
  const answers = [
    await refused(device, {}),
    await refused(device, {}, `?token=${device.authToken}`),
    await refused(device, bearer(admin.token)),
    await refused(device, bearer(`brz_${randomBytes(32).toString('hex')}`)),
    await refused({ ...device, agentId: device.deviceId }),
  ]
  const next = await newDevice()
  answers.push(await refused(next, bearer(next.watchdogAuthToken)))
  for (const status of ['decommissioned', 'quarantined'] as const) {
    setDevice(app, next.deviceId, { status })
    answers.push(await refused(next))
  }
  setDevice(app, next.deviceId, { status: 'online', agent_token_suspended_at: '2026-03-01T09:00:00.000Z' })
  answers.push(await refused(next))
  const error = 'Unauthorized'
  expect(answers.map(({ status, body }) => [status, body])).toEqual(
    answers.map(() => [401, { error, message: error, code: 'socket_unauthorized' }]),
  )
})

test('a device row without token hashes is 401 re_enrollment_required', async () => {
  const device = await newDevice()
  setDevice(app, device.deviceId, { agent_token_hash: null, watchdog_token_hash: null })
  expect(await refused(device)).toMatchObject({ status: 401, body: { code: 're_enrollment_required' } })
})

test('a tenant that is not fully active gets no socket', async () => {
  for (const status of ['suspended', 'merging', 'offboarding', 'churned'] as const) {
    const device = await newDevice()
    setOrganization(app, org.id, { status })
    expect(await refused(device), status).toMatchObject({ status: 401, body: { error: 'Unauthorized' } })
    setOrganization(app, org.id, { status: 'active' })
  }
  const device = await newDevice()
  for (const status of ['offboarding', 'suspended'] as const) {
    setPartner(app, admin.partnerId, { status })
    expect((await refused(device)).status, `partner ${status}`).toBe(401)
  }
  setPartner(app, admin.partnerId, { status: 'active' })
})

test.each(['/', '/api/v1/health', '/api/v1/system/bootstrap', '/nowhere'])('%s accepts no WebSocket', async (path) => {
  const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}${path}`)
  await expect(once(socket, 'open')).rejects.toThrow('Unexpected server response: 400')
})

test('six attempts a minute, then 429 with Retry-After', async () => {
  const device = await newDevice()
  for (let n = 0; n < 6; n++) await (await connect(origin, device)).close()
  app.clock.advance(10_000)
  expect(await refused(device)).toMatchObject({
    status: 429,
    headers: { 'retry-after': '50' },
    body: { error: 'Too many connection attempts', retryAfter: 50 },
  })
  app.clock.advance(50_000)
  await (await connect(origin, device)).close()
})

test('a queued command reaches a connected device at once, and its result is acknowledged', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  const { body: queued } = await console.script(device.deviceId, 'echo hi')
  expect(await socket.frame((frame) => frame.type === 'script')).toEqual({
    id: queued.id,
    type: 'script',
    payload: { language: 'bash', content: 'echo hi', timeoutSeconds: 300 },
  })
  expect((await console.read(device.deviceId, queued.id)).status).toBe('sent')
  expect((await device.beat()).body.commands, 'not once more with the heartbeat').toEqual([])
  socket.send({ type: 'command_result', commandId: queued.id, status: 'completed', exitCode: 0, stdout: 'hi\n' })
  expect(await socket.frame((frame) => frame.type === 'ack')).toEqual({ type: 'ack', commandId: queued.id })
  const done = await console.read(device.deviceId, queued.id)
  expect(done).toMatchObject({ status: 'completed', result: { status: 'completed', exitCode: 0, stdout: 'hi\n' } })
  expect((await device.finish(queued.id, { status: 'failed', error: 'the copy over HTTP' })).status).toBe(200)
  expect(await console.read(device.deviceId, queued.id)).toEqual(done)
  await socket.close()
})

test('structured results of the public agent are kept', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  const id = insertCommand(app, device.deviceId)
  const result = { processes: [{ pid: 1, name: 'systemd' }] }
  socket.send({ type: 'command_result', commandId: id, status: 'completed', exitCode: 0, result })
  await socket.frame((frame) => frame.type === 'ack')
  expect((await console.read(device.deviceId, id)).result).toMatchObject({ status: 'completed', data: result })
  await socket.close()
})

test('commands that waited while the device was away are all pushed when it connects, oldest first', async () => {
  const device = await newDevice()
  const ids: string[] = []
  for (let n = 0; n < 23; n++) {
    ids.push(insertCommand(app, device.deviceId))
    app.clock.advance(1)
  }
  insertCommand(app, device.deviceId, { target_role: 'watchdog' })
  const socket = await connect(origin, device)
  await socket.frame((frame) => frame.id === ids.at(-1))
  expect(socket.frames.slice(1).map(({ id }) => id)).toEqual(ids)
  await socket.close()
})

test('without a socket a command waits for the heartbeat', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  await socket.close()
  const { body: queued } = await console.queue(device.deviceId)
  await app.app.tasks.stop()
  app.app.tasks.start()
  expect((await console.read(device.deviceId, queued.id)).status).toBe('pending')
  expect((await device.beat()).body.commands).toMatchObject([{ id: queued.id }])
})

test('"duplicate" is acknowledged and changes nothing', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  const { body: queued } = await console.queue(device.deviceId)
  await socket.frame(({ id }) => id === queued.id)
  socket.send({ type: 'command_result', commandId: queued.id, status: 'duplicate', exitCode: 0 })
  await socket.frame((frame) => frame.type === 'ack')
  expect((await console.read(device.deviceId, queued.id)).status).toBe('sent')
  await socket.close()
})

test('frames that make no sense are answered with INVALID_MESSAGE, and the socket stays open', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  const nonsense = [
    'no json',
    '[]',
    'null',
    { type: 'heartbeat' },
    { type: 'command_result', status: 'completed' },
    { type: 'command_result', commandId: randomUUID(), status: 'great' },
    { type: 'command_result', commandId: randomUUID(), status: 'failed', error: 'x'.repeat(10_001) },
    { type: 'command_output', commandId: 'not-a-uuid', sequence: 0, stream: 'stdout', text: 'x' },
    `{"type":"command_result","commandId":"${randomUUID()}","status":"completed","result":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  ]
  for (const frame of nonsense) socket.send(frame)
  await socket.settled()
  expect(socket.frames.filter(({ type }) => type === 'error')).toEqual(
    nonsense.map(() => ({ type: 'error', code: 'INVALID_MESSAGE', message: expect.any(String) })),
  )
  await socket.close()
})

test('a flood of frames closes the socket, and the device may come back', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  for (let n = 0; n <= 10_000; n++) socket.send({ type: 'pong' })
  expect(await socket.closed).toBe(1008)
  await (await connect(origin, device)).close()
})

test('frames of features that are not offered are ignored without an error', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  socket.send({ type: 'patch_progress', percent: 5 })
  socket.send({ type: 'verification_progress' })
  socket.send({ type: 'terminal_output', sessionId: 'term-1', data: 'aGk=', encoding: 'base64' })
  socket.send({ type: 'backup_progress', commandId: randomUUID(), progress: { current: 1 } })
  socket.send({ type: 'pong', timestamp: 1 })
  socket.send(Buffer.from([2, 0, 1]))
  await socket.settled()
  expect(socket.frames.filter(({ type }) => type === 'error')).toEqual([])
  await socket.close()
})

test('a result for a command of another device is an error, and leaves the command unchanged', async () => {
  const [one, other] = [await newDevice(), await newDevice()]
  const { body: queued } = await console.queue(one.deviceId)
  const socket = await connect(origin, other)
  socket.send({ type: 'command_result', commandId: queued.id, status: 'completed' })
  socket.send({ type: 'command_output', commandId: queued.id, sequence: 0, stream: 'stdout', text: 'fake' })
  expect(await socket.frame(({ type }) => type === 'error')).toMatchObject({
    code: 'PROCESSING_ERROR',
    message: 'Command not found',
    messageType: 'command_result',
  })
  await socket.settled()
  const command = await console.read(one.deviceId, queued.id)
  expect(command).toMatchObject({ status: 'pending', output: [] })
  await socket.close()
})

test('a second socket closes the first with 4002, and frames of the first no longer count', async () => {
  const device = await newDevice()
  const id = insertCommand(app, device.deviceId)
  const first = await connect(origin, device)
  first.pause()
  const second = await connect(origin, device)
  first.send({ type: 'command_result', commandId: id, status: 'failed', error: 'from the past' })
  second.send({ type: 'command_result', commandId: id, status: 'completed', stdout: 'from today' })
  await second.frame(({ type }) => type === 'ack')
  first.resume()
  expect(await first.closed).toBe(4002)
  expect(first.frames.filter(({ type }) => type === 'ack')).toEqual([])
  expect((await console.read(device.deviceId, id)).result?.stdout).toBe('from today')
  const { body: queued } = await console.queue(device.deviceId)
  await second.frame((frame) => frame.id === queued.id)
  await second.close()
})

test('frames of a superseded socket are ignored even when they come first', async () => {
  const device = await newDevice()
  const id = insertCommand(app, device.deviceId)
  const first = await connect(origin, device)
  first.pause()
  const second = await connect(origin, device)
  first.send({ type: 'command_result', commandId: id, status: 'failed', error: 'from the past' })
  first.resume()
  expect(await first.closed).toBe(4002)
  await second.settled()
  expect((await console.read(device.deviceId, id)).status).toBe('sent')
  await second.close()
})

test('decommissioning closes with 4041, and the agent is refused from then on', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  await app.call(decommissionDevice, { params: { id: device.deviceId } }, { token: admin.token })
  expect(await socket.closed).toBe(4041)
  expect((await refused(device)).status).toBe(401)
  expect((await device.beat()).status).toBe(403)
})

test('replacing the token closes with 4001', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  await app.call(rotateDeviceToken, { params: { id: device.deviceId } }, { token: admin.token })
  expect(await socket.closed).toBe(4001)
})

const shutOuts: [string, (device: Credentials) => unknown][] = [
  ['is quarantined', ({ deviceId }) => setDevice(app, deviceId, { status: 'quarantined' })],
  ['has its token suspended', ({ deviceId }) => setDevice(app, deviceId, { agent_token_suspended_at: 'now' })],
  ['belongs to a suspended organization', () => setOrganization(app, org.id, { status: 'suspended' })],
  ['belongs to a draining organization', () => setOrganization(app, org.id, { status: 'offboarding' })],
  ['belongs to a draining partner', () => setPartner(app, admin.partnerId, { status: 'offboarding' })],
]
test.each(shutOuts)('a device that %s loses its socket (4001) by its next frame or the sweep', async (_, shutOut) => {
  const [speaking, silent] = [await newDevice(), await newDevice()]
  const id = insertCommand(app, speaking.deviceId)
  const [first, second] = [await connect(origin, speaking), await connect(origin, silent)]
  for (const device of [speaking, silent]) shutOut(device)
  first.send({ type: 'command_result', commandId: id, status: 'completed' })
  expect(await first.closed).toBe(4001)
  await app.app.jobs.runNow('connections.sweep')
  expect(await second.closed).toBe(4001)
  setOrganization(app, org.id, { status: 'active' })
  setPartner(app, admin.partnerId, { status: 'active' })
  expect((await console.read(speaking.deviceId, id)).status, 'the frame did not count').toBe('sent')
})

test('output is visible while a script runs, in the command and in the live stream of its device only', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  using watching = await liveStream(origin, admin.token, device.deviceId)
  using elsewhere = await liveStream(origin, admin.token)
  const { body: queued } = await console.script(device.deviceId, 'make')
  await socket.frame(({ id }) => id === queued.id)
  const piece = (sequence: number, text: string, stream = 'stdout') =>
    socket.send({ type: 'command_output', commandId: queued.id, sequence, stream, text })
  piece(0, 'one\n')
  piece(1, 'oops\n', 'stderr')
  piece(1, 'said before\n')
  piece(0, 'said before\n')
  piece(2, 'two\n')
  await watching.event((event) => event.type === 'command.output' && event.sequence === 2)
  const output = [
    { sequence: 0, stream: 'stdout', text: 'one\n' },
    { sequence: 1, stream: 'stderr', text: 'oops\n' },
    { sequence: 2, stream: 'stdout', text: 'two\n' },
  ]
  expect(watching.events.filter(({ type }) => type === 'command.output')).toMatchObject(output)
  expect((await console.read(device.deviceId, queued.id)).output).toEqual(output)
  socket.send({ type: 'command_result', commandId: queued.id, status: 'completed', exitCode: 0, stdout: 'one\ntwo\n' })
  await watching.event((event) => event.type === 'command.changed' && event.command.status === 'completed')
  expect(watching.events.flatMap((event) => (event.type === 'command.changed' ? [event.command.status] : []))).toEqual([
    'pending',
    'sent',
    'completed',
  ])
  const done = await console.read(device.deviceId, queued.id)
  expect(done).toMatchObject({ output: [], result: { stdout: 'one\ntwo\n' } })
  piece(3, 'too late\n')
  await socket.settled()
  expect((await console.read(device.deviceId, queued.id)).output).toEqual([])
  setDevice(app, device.deviceId, { status: 'offline' })
  await device.beat()
  await elsewhere.event(({ type }) => type === 'device.status')
  expect(elsewhere.events.filter(({ type }) => type.startsWith('command.'))).toEqual([])
  await socket.close()
})

test('cancelling a running script tells the agent to stop it, and keeps what it had printed', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  const { body: queued } = await console.script(device.deviceId, 'sleep 100')
  await socket.frame(({ id }) => id === queued.id)
  socket.send({ type: 'command_output', commandId: queued.id, sequence: 0, stream: 'stdout', text: 'begun\n' })
  await socket.settled()
  await console.cancel(device.deviceId, queued.id)
  expect(await socket.frame(({ type }) => type === 'script_cancel')).toMatchObject({
    payload: { commandId: queued.id, executionId: queued.id },
  })
  socket.send({ type: 'command_result', commandId: queued.id, status: 'failed', error: 'cancelled' })
  await socket.settled()
  expect(await console.read(device.deviceId, queued.id)).toMatchObject({
    status: 'cancelled',
    result: { reason: 'user', stdout: 'begun\n' },
  })
  await socket.close()
})

test('a device whose agent updates itself is updating, and online again with its next heartbeat', async () => {
  const device = await newDevice()
  const socket = await connect(origin, device)
  socket.send({ type: 'update_status', targetVersion: '0.6.0' })
  await socket.settled()
  expect(deviceRowOf(app, device.deviceId)?.status).toBe('updating')
  await device.beat()
  expect(deviceRowOf(app, device.deviceId)?.status).toBe('online')
  await socket.close()
})

test('a frame larger than any agent sends closes the socket, and one of the largest size they send is taken', async () => {
  const socket = await connect(origin, await newDevice())
  const padding = (bytes: number) => ({ type: 'backup_progress', commandId: 'x', progress: 'x'.repeat(bytes) })
  socket.send(padding(5_000_000 - 65_536))
  await socket.settled()
  socket.send(padding(5_000_000))
  expect(await socket.closed).toBe(1009)
})
