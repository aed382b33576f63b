import { afterAll, afterEach, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { commander, insertCommand } from '../helpers/commands.ts'
import { company, enrolledDevice } from '../helpers/factories.ts'
import { type FakeDevice, fakeDevice } from '../helpers/fake-device.ts'
import { deviceRowOf, setDevice, setOrganization, setPartner } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'

/** What an agent may do depends on the state of its organization and partner. */

const app = await testApp()
const { admin, org, key } = await company(app)
const console = commander(app, admin.token)
afterEach(() => {
  setOrganization(app, org.id, { status: 'active' })
  setPartner(app, admin.partnerId, { status: 'active' })
})
afterAll(() => app[Symbol.asyncDispose]())

let count = 0
const newDevice = async () => fakeDevice(app, await enrolledDevice(app, key.key, `tenant-${++count}`))
const claimed = async (device: FakeDevice) => (await device.beat()).body.commands.map(({ id }: { id: string }) => id)

test('a suspended organization may report, gets no command by heartbeat or poll, and none may be queued', async () => {
  const device = await newDevice()
  const { body: queued } = await console.queue(device.deviceId)
  setOrganization(app, org.id, { status: 'suspended' })
  expect(await device.beat()).toMatchObject({ status: 200, body: { commands: [] } })
  expect((await device.request('GET', 'commands')).body).toEqual({ commands: [] })
  expect((await device.request('PUT', 'hardware', {})).status).toBe(200)
  expect((await device.request('POST', 'logs', { logs: [] })).status).toBe(201)
  expect(await console.queue(device.deviceId)).toMatchObject({
    status: 403,
    body: { error: 'Organization is suspended', code: 'ORG_SUSPENDED' },
  })
  expect((await console.script(device.deviceId)).status).toBe(403)
  const sent = insertCommand(app, device.deviceId)
  expect((await device.finish(sent)).status, 'results are accepted').toBe(200)
  setOrganization(app, org.id, { status: 'active' })
  expect(await claimed(device)).toEqual([queued.id])
})

test('agents of an organization that is being merged are asked to come again', async () => {
  const device = await newDevice()
  const result = insertCommand(app, device.deviceId)
  setOrganization(app, org.id, { status: 'merging' })
  const answers = [
    await device.beat(),
    await device.request('GET', 'commands'),
    await device.request('PUT', 'hardware', {}),
    await device.finish(result),
  ]
  for (const { status, body, headers } of answers)
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'organization_merging', '30'])
  setOrganization(app, org.id, { status: 'active' })
  expect((await device.finish(result)).status).toBe(200)
})

test('a draining tenant delivers removals and nothing else', async () => {
  const device = await newDevice()
  const other = insertCommand(app, device.deviceId)
  const removal = insertCommand(app, device.deviceId, { type: 'self_uninstall' })
  for (const [entity, set] of [
    ['organization', (status: 'offboarding' | 'active') => setOrganization(app, org.id, { status })],
    ['partner', (status: 'offboarding' | 'active') => setPartner(app, admin.partnerId, { status })],
  ] as const) {
    set('offboarding')
    expect(await claimed(device), entity).toEqual([removal])
    expect((await device.request('GET', 'commands')).body.commands).toEqual([])
    set('active')
    app.db.run(q.updateTable('device_commands').set({ status: 'pending' }).where('id', '=', removal))
  }
  setPartner(app, admin.partnerId, { status: 'offboarding' })
  setOrganization(app, org.id, { status: 'suspended' })
  expect(await claimed(device), 'suspended under a draining partner drains too').toEqual([removal])
  setPartner(app, admin.partnerId, { status: 'active' })
  setOrganization(app, org.id, { status: 'active' })
  expect((await console.read(device.deviceId, other)).status).toBe('pending')
})

test('a draining tenant accepts what a removal needs, and is 403 elsewhere', async () => {
  const device = await newDevice()
  const removal = insertCommand(app, device.deviceId, { type: 'self_uninstall' })
  setOrganization(app, org.id, { status: 'offboarding' })
  expect((await device.beat()).status).toBe(200)
  expect((await device.request('GET', 'commands')).status).toBe(200)
  expect((await device.request('POST', 'logs', { logs: [] })).status).toBe(201)
  for (const [method, path] of [
    ['PUT', 'hardware'],
    ['PUT', 'software'],
    ['PUT', 'changes'],
    ['POST', 'reliability'],
    ['POST', 'uninstall-intent'],
    ['GET', 'unifi-collectors'],
    ['GET', 'config'],
    ['GET', 'no-such-route'],
    ['GET', 'commands/a/b'],
  ] as const)
    expect([path, await device.request(method, path, method === 'GET' ? undefined : {})]).toMatchObject([
      path,
      { status: 403 },
    ])
  expect((await device.request('PUT', 'hardware', {})).body).toEqual({
    error: 'tenant_offboarding',
    code: 'tenant_offboarding',
  })
  expect((await device.finish(removal)).status, 'the result is on the list').toBe(200)
  expect(deviceRowOf(app, device.deviceId)?.status).toBe('decommissioned')
  setOrganization(app, org.id, { status: 'active' })
})

test('a quarantined device of a draining tenant gets its removal and may answer it', async () => {
  const device = await newDevice()
  const removal = insertCommand(app, device.deviceId, { type: 'self_uninstall' })
  setDevice(app, device.deviceId, { status: 'quarantined' })
  expect((await device.beat()).status).toBe(403)
  setOrganization(app, org.id, { status: 'offboarding' })
  expect(await claimed(device)).toEqual([removal])
  expect((await device.finish(removal)).status).toBe(200)
  setOrganization(app, org.id, { status: 'active' })
})

test('no command may be queued while the tenant drains', async () => {
  const device = await newDevice()
  setPartner(app, admin.partnerId, { status: 'offboarding' })
  expect((await console.queue(device.deviceId)).status).toBeGreaterThanOrEqual(400)
  setPartner(app, admin.partnerId, { status: 'active' })
  setOrganization(app, org.id, { status: 'offboarding' })
  expect(await console.queue(device.deviceId)).toMatchObject({ status: 409, body: { code: 'ORG_NOT_OPERABLE' } })
  setOrganization(app, org.id, { status: 'active' })
  expect(app.db.all(q.selectFrom('device_commands').select('id').where('device_id', '=', device.deviceId))).toEqual([])
})
