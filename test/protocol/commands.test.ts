import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { listCommands } from '../../shared/api/commands.ts'
import { decommissionDevice } from '../../shared/api/devices.ts'
import { commander, insertCommand } from '../helpers/commands.ts'
import { company, enrolledDevice, otherCompany } from '../helpers/factories.ts'
import { type FakeDevice, fakeDevice } from '../helpers/fake-device.ts'
import { auditOf, deviceRowOf } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'

/** Commands as agents get and answer them, over heartbeats and result posts. */

const app = await testApp()
const { admin, key } = await company(app)
const console = commander(app, admin.token)
afterAll(() => app[Symbol.asyncDispose]())

let count = 0
const newDevice = async () => fakeDevice(app, await enrolledDevice(app, key.key, `cmd-${++count}`))
const now = () => new Date(app.clock.now()).toISOString()

const claimed = async (from: FakeDevice) => (await from.beat()).body.commands.map(({ id }: { id: string }) => id)

test('a queued command is pending, goes out with a heartbeat once, and is completed by its result', async () => {
  const device = await newDevice()
  const { status, body: queued } = await console.script(device.deviceId, 'echo hi')
  expect(status).toBe(201)
  expect(queued).toMatchObject({ deviceId: device.deviceId, type: 'script', status: 'pending', executedAt: null })
  expect(queued.createdByName).toBe('Ada Admin')
  app.clock.advance(1000)
  expect((await device.beat()).body.commands).toEqual([
    { id: queued.id, type: 'script', payload: { language: 'bash', content: 'echo hi', timeoutSeconds: 300 } },
  ])
  expect((await device.beat()).body.commands).toEqual([])
  expect(await console.read(device.deviceId, queued.id)).toMatchObject({ status: 'sent', executedAt: now() })
  app.clock.advance(2000)
  const result = {
    status: 'completed',
    exitCode: 0,
    stdout: 'hi\n',
    stderr: '',
    durationMs: 12.4,
    startedAt: '2026-03-01T09:00:00Z',
  }
  expect(await device.finish(queued.id, result)).toMatchObject({ status: 200, body: { success: true } })
  expect(await console.read(device.deviceId, queued.id)).toMatchObject({
    status: 'completed',
    completedAt: now(),
    result: { status: 'completed', exitCode: 0, stdout: 'hi\n', stderr: '', durationMs: 12, error: null },
  })
  expect(auditOf(app, 'agent.command.script').at(-1)).toMatchObject({
    actor_id: admin.userId,
    resource_id: device.deviceId,
    details: { commandId: queued.id, language: 'bash', characters: 7 },
  })
  expect(auditOf(app, 'agent.command.result.submit').at(-1)).toMatchObject({
    actor_type: 'agent',
    details: { commandId: queued.id, type: 'script', status: 'completed', exitCode: 0 },
  })
})

test('claims are first in, first out, and ten at most', async () => {
  const device = await newDevice()
  const ids: string[] = []
  for (let n = 0; n < 12; n++) {
    ids.push(insertCommand(app, device.deviceId))
    if (n % 3 === 0) app.clock.advance(1)
  }
  const byAge = app.db
    .all(
      q
        .selectFrom('device_commands')
        .select('id')
        .where('device_id', '=', device.deviceId)
        .orderBy('created_at')
        .orderBy('id'),
    )
    .map(({ id }) => id)
  expect(await claimed(device)).toEqual(byAge.slice(0, 10))
  expect(await claimed(device)).toEqual(byAge.slice(10))
  expect(await claimed(device)).toEqual([])
  expect(new Set(byAge)).toEqual(new Set(ids))
})

test('each role gets its own commands only, and answers no others', async () => {
  const device = await newDevice()
  const watchdog = { authorization: `Bearer ${device.watchdogAuthToken}` }
  const forAgent = insertCommand(app, device.deviceId)
  const forWatchdog = [
    insertCommand(app, device.deviceId, { target_role: 'watchdog' }),
    insertCommand(app, device.deviceId, { target_role: 'watchdog' }),
  ]
  expect((await device.beat({ role: 'watchdog' }, watchdog)).body.commands).toHaveLength(2)
  expect((await device.request('GET', 'commands', undefined, watchdog)).body).toEqual({ commands: [] })
  expect((await device.request('GET', 'commands')).body).toEqual({
    commands: [{ id: forAgent, type: 'list_processes', payload: {} }],
  })
  expect(await device.finish(forWatchdog[0] ?? '')).toMatchObject({
    status: 403,
    body: { error: 'Command role mismatch' },
  })
  const body = { status: 'completed' }
  expect((await device.request('POST', `commands/${forAgent}/result`, body, watchdog)).status).toBe(403)
  expect((await device.request('POST', `commands/${forWatchdog[0]}/result`, body, watchdog)).status).toBe(200)
})

test('a device neither gets nor ends the commands of another', async () => {
  const [one, other] = [await newDevice(), await newDevice()]
  const { body: queued } = await console.queue(one.deviceId)
  expect(await claimed(other)).toEqual([])
  expect(await other.finish(queued.id)).toMatchObject({ status: 404, body: { error: 'Command not found' } })
  expect(await claimed(one)).toEqual([queued.id])
})

test('a result for an unknown UUID is 404, and one for an id that is no UUID is accepted', async () => {
  const device = await newDevice()
  expect(await device.finish(randomUUID())).toMatchObject({ status: 404, body: { error: 'Command not found' } })
  for (const id of [
    'term-1',
    'sw-install-1-2-3',
    `uninstall-${device.deviceId}`,
    'vault-auto-sync-abc',
    'x'.repeat(200),
  ])
    expect(await device.finish(id), id).toMatchObject({ status: 200, body: { success: true } })
})

test.each([
  ['no status', {}],
  ['a status nobody knows', { status: 'duplicate' }],
  ['text as exit code', { status: 'completed', exitCode: '0' }],
  ['an over-long error', { status: 'failed', error: 'x'.repeat(10_001) }],
  ['an over-long output', { status: 'completed', stdout: 'x'.repeat(5_000_001) }],
])('a result with %s is a 400 and leaves the command open', async (_, result) => {
  const device = await newDevice()
  const id = insertCommand(app, device.deviceId)
  expect((await device.finish(id, result)).status).toBe(400)
  expect((await console.read(device.deviceId, id)).status).toBe('pending')
})

test('five million characters of output are kept, and a list contains the first 4000', async () => {
  const device = await newDevice()
  const id = insertCommand(app, device.deviceId)
  const stdout = 'ä'.repeat(5_000_000)
  expect((await device.finish(id, { status: 'completed', stdout })).status).toBe(200)
  expect((await console.read(device.deviceId, id)).result?.stdout).toBe(stdout)
  const [listed] = (await console.list(device.deviceId)).body.data
  expect(listed?.result).toMatchObject({ status: 'completed', stdout: stdout.slice(0, 4000) })
})

test.each([
  ['failed', 'failed'],
  ['timeout', 'failed'],
  ['completed', 'completed'],
])('a result with the status %s makes the command %s', async (said, status) => {
  const device = await newDevice()
  const id = insertCommand(app, device.deviceId)
  await device.finish(id, { status: said, error: 'the reason', exitCode: 3 })
  expect(await console.read(device.deviceId, id)).toMatchObject({
    status,
    result: { status: said, error: 'the reason', exitCode: 3 },
  })
})

test('the first result wins: a second is 200 and changes nothing', async () => {
  const device = await newDevice()
  const id = insertCommand(app, device.deviceId)
  await device.finish(id, { status: 'failed', error: 'first' })
  const before = await console.read(device.deviceId, id)
  const audits = auditOf(app, 'agent.command.result.submit').length
  app.clock.advance(1000)
  expect((await device.finish(id, { status: 'completed', stdout: 'second' })).status).toBe(200)
  expect(await console.read(device.deviceId, id)).toEqual(before)
  expect(auditOf(app, 'agent.command.result.submit')).toHaveLength(audits)
})

test('agent tokens in the errors of a result are redacted', async () => {
  const device = await newDevice()
  const id = insertCommand(app, device.deviceId)
  const text = `401 for ${device.authToken}!`
  await device.finish(id, { status: 'failed', error: text, stderr: text })
  const { result } = await console.read(device.deviceId, id)
  expect(result).toMatchObject({ error: '401 for brz_[redacted]!', stderr: '401 for brz_[redacted]!' })
})

test('a timeout that the agent reported itself is final', async () => {
  const device = await newDevice()
  const id = insertCommand(app, device.deviceId)
  await device.finish(id, { status: 'timeout', error: 'stopped after 5 seconds' })
  await device.finish(id, { status: 'completed' })
  expect((await console.read(device.deviceId, id)).status).toBe('failed')
})

test('a cancelled command is never delivered, and a late result does not bring it back', async () => {
  const device = await newDevice()
  const { body: waiting } = await console.queue(device.deviceId)
  expect((await console.cancel(device.deviceId, waiting.id)).body.data).toMatchObject({
    status: 'cancelled',
    result: { status: 'cancelled', reason: 'user', error: 'Canceled by Ada Admin' },
  })
  expect(await claimed(device)).toEqual([])
  const { body: sent } = await console.script(device.deviceId)
  await device.beat()
  await console.cancel(device.deviceId, sent.id)
  expect((await device.finish(sent.id)).status).toBe(200)
  expect((await console.read(device.deviceId, sent.id)).status).toBe('cancelled')
  expect(await console.cancel(device.deviceId, sent.id)).toMatchObject({
    status: 409,
    body: { code: 'command_finished' },
  })
})

test.each([
  ['completed', { status: 'completed', exitCode: 0 }],
  ['failed', { status: 'failed', error: 'no such program' }],
] as const)('a %s command cannot be cancelled, and keeps its result', async (status, result) => {
  const device = await newDevice()
  const { body: sent } = await console.script(device.deviceId)
  await device.beat()
  await device.finish(sent.id, result)
  const before = await console.read(device.deviceId, sent.id)
  expect(before.status).toBe(status)
  expect(await console.cancel(device.deviceId, sent.id)).toMatchObject({
    status: 409,
    body: { code: 'command_finished' },
  })
  expect(await console.read(device.deviceId, sent.id)).toEqual(before)
})

test('only one refresh of the inventory waits at a time', async () => {
  const device = await newDevice()
  const { body: first } = await console.queue(device.deviceId, 'refresh_inventory')
  const second = await console.queue(device.deviceId, 'refresh_inventory')
  expect(second).toMatchObject({ status: 409, body: { code: 'ALREADY_PENDING', commandId: first.id } })
  await device.finish(first.id)
  expect((await console.queue(device.deviceId, 'refresh_inventory')).status).toBe(201)
})

test('scripts are run through their own endpoint', async () => {
  const device = await newDevice()
  expect((await console.queue(device.deviceId, 'script')).status).toBe(400)
})

test('decommissioning cancels waiting commands, and a new one is a 400', async () => {
  const device = await newDevice()
  const { body: queued } = await console.queue(device.deviceId)
  const { status } = await app.call(decommissionDevice, { params: { id: device.deviceId } }, { token: admin.token })
  expect(status).toBe(200)
  expect(await console.read(device.deviceId, queued.id)).toMatchObject({
    status: 'cancelled',
    result: { reason: 'device_decommissioned' },
  })
  expect(await console.queue(device.deviceId)).toMatchObject({
    status: 400,
    body: { error: 'Cannot send commands to a decommissioned device' },
  })
})

test('an agent that removed itself is decommissioned', async () => {
  const device = await newDevice()
  const id = insertCommand(app, device.deviceId, { type: 'self_uninstall' })
  await device.beat()
  await device.finish(id, { status: 'completed', stdout: '{"message":"bye"}' })
  expect(deviceRowOf(app, device.deviceId)?.status).toBe('decommissioned')
  expect((await console.read(device.deviceId, id)).status).toBe('completed')
  expect(auditOf(app, 'device.decommission').at(-1)).toMatchObject({
    actor_type: 'system',
    resource_id: device.deviceId,
    details: { reason: 'self_uninstall_completed' },
  })
})

test('a failed self-removal leaves the device', async () => {
  const device = await newDevice()
  const id = insertCommand(app, device.deviceId, { type: 'self_uninstall' })
  await device.finish(id, { status: 'failed', error: 'permission denied' })
  expect(deviceRowOf(app, device.deviceId)?.status).toBe('online')
})

test('the list of commands is newest first, and closed to other companies', async () => {
  const device = await newDevice()
  const ids: string[] = []
  for (const type of ['reboot', 'shutdown', 'refresh_inventory'] as const) {
    ids.unshift((await console.queue(device.deviceId, type)).body.id)
    app.clock.advance(1)
  }
  const list = (token: string, query = {}) =>
    app.call(listCommands, { params: { id: device.deviceId }, query }, { token })
  expect((await list(admin.token)).body.data.map(({ id }) => id)).toEqual(ids)
  expect((await list(admin.token, { page: '2', limit: '2' })).body).toMatchObject({
    data: [{ id: ids[2] }],
    pagination: { page: 2, limit: 2, total: 3 },
  })
  for (let n = 0; n < 47; n++) {
    ids.unshift(insertCommand(app, device.deviceId))
    app.clock.advance(1)
  }
  expect((await list(admin.token, { limit: '45' })).body.data.map(({ id }) => id)).toEqual(ids.slice(0, 45))
  const stranger = (await otherCompany(app)).admin.token
  expect(await list(stranger)).toMatchObject({ status: 404, body: { error: 'Device not found' } })
  expect((await commander(app, stranger).queue(device.deviceId)).status).toBe(404)
  expect((await commander(app, stranger).cancel(device.deviceId, ids[0] ?? '')).status).toBe(404)
})

test('only the commands that have not ended are listed where that is asked', async () => {
  const device = await newDevice()
  const [first, second] = [insertCommand(app, device.deviceId), insertCommand(app, device.deviceId)]
  const open = async () =>
    (await app.call(listCommands, { params: { id: device.deviceId }, query: { open: 'true' } }, { token: admin.token }))
      .body
  await console.cancel(device.deviceId, first)
  expect(await open()).toMatchObject({ data: [{ id: second }], pagination: { total: 1 } })
  await console.cancel(device.deviceId, second)
  expect(await open()).toMatchObject({ data: [], pagination: { total: 0 } })
})

test('twenty heartbeats at once share out fifteen commands without giving one twice', async () => {
  const device = await newDevice()
  const ids = Array.from({ length: 15 }, () => insertCommand(app, device.deviceId))
  const answers = await Promise.all(Array.from({ length: 20 }, () => device.beat()))
  const got = answers.flatMap(({ body }) => body.commands.map(({ id }: { id: string }) => id))
  expect(got.sort()).toEqual(ids.sort())
})
