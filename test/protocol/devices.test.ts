import { afterAll, expect, test } from 'vitest'
import { toJson } from '../../server/lib/json.ts'
import * as api from '../../shared/api/devices.ts'
import type { QueryOf } from '../../shared/endpoint.ts'
import {
  company,
  enrolledDevice,
  enrollmentKeyOf,
  organizationOf,
  otherCompany,
  person,
  siteOf,
} from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { auditOf, deviceRowOf, setDevice } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'

/** Devices as people see them. */

const app = await testApp()
const made = await company(app)
const { admin, org, site } = made
const stranger = await otherCompany(app)
const branch = await siteOf(app, admin.token, org.id, 'Branch')
const branchKey = await enrollmentKeyOf(app, admin.token, { orgId: org.id, siteId: branch.id })
const munich = await organizationOf(app, admin.token, 'Munich')
await siteOf(app, admin.token, munich.id)
const munichKey = await enrollmentKeyOf(app, admin.token, { orgId: munich.id })
const confined = await person(app, {
  email: 'branch@acme.test',
  scope: 'organization',
  orgId: org.id,
  siteIds: [branch.id],
})
afterAll(() => app[Symbol.asyncDispose]())

/** Seven devices at three places, enrolled a minute apart. */
const names = ['Alpha', 'bravo', 'CHARLIE', '100%_ready', 'delta', 'echo', 'gone']
const ids: Record<string, string> = {}
for (const [n, name] of names.entries()) {
  app.clock.advance(60_000)
  const key = name === 'echo' ? munichKey : n % 2 ? branchKey : made.key
  ids[name] = (await enrolledDevice(app, key.key, name)).deviceId
}
const idOf = (name: string) => ids[name] as string
setDevice(app, idOf('gone'), { status: 'decommissioned' })
setDevice(app, idOf('bravo'), { status: 'offline', os_type: 'windows', display_name: 'Reception desk' })
setDevice(app, idOf('delta'), { device_role: 'server' })
setDevice(app, made.device.deviceId, { status: 'decommissioned' })

type Query = Partial<Record<keyof QueryOf<typeof api.listDevices>, string>>
const list = (query: Query = {}, token = admin.token) => app.call(api.listDevices, { query: query as never }, { token })
const hostnames = async (query: Query = {}, token = admin.token) =>
  (await list(query, token)).body.data.map(({ hostname }) => hostname)
const call = (method: 'POST' | 'PATCH' | 'DELETE' | 'GET', path: string, payload?: object, token = admin.token) =>
  app
    .inject({
      method,
      url: `/api/v1/devices/${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(payload && { payload }),
    })
    .then((response) => ({ status: response.statusCode, body: response.json() }))

test('without a page the list is by name with a cursor, with a page it is by last contact with totals', async () => {
  const { body } = await list({ limit: '4' })
  expect(body.data.map(({ hostname }) => hostname)).toEqual(['100%_ready', 'Alpha', 'bravo', 'CHARLIE'])
  expect(body.pagination).toEqual({ limit: 4, nextCursor: expect.any(String) })
  expect(body.sort).toEqual({ by: 'hostname', dir: 'asc' })
  const next = await list({ limit: '4', cursor: body.pagination.nextCursor as string, includeTotal: 'true' })
  expect(next.body.data.map(({ hostname }) => hostname)).toEqual(['delta', 'echo'])
  expect(next.body.pagination).toEqual({ limit: 4, nextCursor: null, total: 6 })
  const paged = await list({ page: '2', limit: '4' })
  expect(paged.body.data.map(({ hostname }) => hostname)).toEqual(['bravo', 'Alpha'])
  expect(paged.body.pagination).toEqual({ page: 2, limit: 4, total: 6 })
})

test.each([
  ['hostname', 'asc'],
  ['hostname', 'desc'],
  ['lastSeen', 'asc'],
  ['lastSeen', 'desc'],
  ['enrolled', 'asc'],
  ['enrolled', 'desc'],
])('walking the cursor by %s %s meets every device once, in the order of the pages', async (sort, sortDir) => {
  const walked: string[] = []
  let cursor: string | null = null
  do {
    const { body } = await list({ sort, sortDir, limit: '1', ...(cursor && { cursor }) })
    walked.push(...body.data.map(({ hostname }) => hostname))
    cursor = body.pagination.nextCursor ?? null
  } while (cursor)
  expect(walked).toHaveLength(6)
  expect(walked).toEqual(await hostnames({ sort, sortDir, page: '1' }))
})

test('a page is 500 devices, a thousand at most, one at least', async () => {
  for (const [limit, used] of [
    [undefined, 500],
    ['1001', 1000],
    ['0', 1],
    ['many', 500],
  ] as const)
    expect((await list(limit === undefined ? {} : { limit })).body.pagination.limit).toBe(used)
})

test('a cursor that is broken or belongs to another order is a 400', async () => {
  const { body } = await list({ limit: '1' })
  const error = 'Invalid or malformed cursor'
  for (const cursor of ['x', Buffer.from('{}').toString('base64url'), `${body.pagination.nextCursor}`.slice(0, -9)])
    expect(await list({ cursor })).toMatchObject({ status: 400, body: { error } })
  expect((await list({ cursor: body.pagination.nextCursor as string, sortDir: 'desc' })).status).toBe(400)
})

test('decommissioned devices show only when asked for', async () => {
  expect(await hostnames({ status: 'decommissioned' })).toEqual(['gone', 'pc-1'])
  expect(await hostnames({ includeDecommissioned: 'true', search: 'gone' })).toEqual(['gone'])
  expect(await hostnames({ search: 'gone' })).toEqual([])
})

test.each<[string, Query, string[]]>([
  ['status', { status: 'offline' }, ['bravo']],
  ['system', { osType: 'windows' }, ['bravo']],
  ['role', { role: 'server' }, ['delta']],
  ['organization', { orgId: munich.id }, ['echo']],
  ['organizations', { orgIds: `${munich.id},${org.id}`, status: 'online', role: 'server' }, ['delta']],
  ['site', { siteId: branch.id }, ['100%_ready', 'bravo']],
  ['name in any case', { search: 'CHAR' }, ['CHARLIE']],
  ['a single letter', { search: 'p' }, ['Alpha', 'bravo']],
  ['display name', { search: 'reception' }, ['bravo']],
  ['a literal percent sign', { search: '%' }, ['100%_ready']],
  ['a literal underscore', { search: '0%_' }, ['100%_ready']],
  ['a quote, which nobody has', { search: '"or"' }, []],
  ['part of no name', { search: 'a_p' }, []],
])('the list is filtered by %s', async (_, query, found) => {
  expect(await hostnames(query)).toEqual(found)
  expect((await list({ ...query, page: '1' })).body.pagination.total).toBe(found.length)
})

test('an organization or a site out of reach cannot be listed', async () => {
  expect(await list({ orgId: stranger.org.id })).toMatchObject({
    status: 403,
    body: { error: 'Access to this organization denied' },
  })
  expect(await list({ siteId: site.id }, confined.token)).toMatchObject({
    status: 403,
    body: { error: 'Access to this site denied' },
  })
  expect(await hostnames({ siteId: stranger.site.id }), 'a foreign site is merely empty').toEqual([])
  expect(await hostnames({}, confined.token)).toEqual(['100%_ready', 'bravo'])
  expect(await hostnames({}, stranger.admin.token)).toEqual(['umbrella-pc'])
})

test('a device of another site is 403 for a confined user, of another organization or malformed 404', async () => {
  const read = (id: string, token: string) => call('GET', id, undefined, token)
  expect(await read(idOf('Alpha'), confined.token)).toMatchObject({
    status: 403,
    body: { error: 'Access to this site denied' },
  })
  expect((await read(idOf('bravo'), confined.token)).status).toBe(200)
  const missing = { status: 404, body: { error: 'Device not found' } }
  expect(await read(idOf('echo'), confined.token)).toMatchObject(missing)
  expect(await read(idOf('Alpha'), stranger.admin.token)).toMatchObject(missing)
  expect(await read('no-uuid', admin.token)).toMatchObject(missing)
  expect(
    await read(deviceRowOf(app, idOf('Alpha'))?.agent_id ?? '', admin.token),
    'an agent id is no device id',
  ).toMatchObject(missing)
})

test('GET /devices/stats is not taken for a device id', async () => {
  expect(await call('GET', 'stats')).toMatchObject({ status: 200, body: { data: { total: 6 } } })
})

test('a device is renamed, tagged and moved, and only to a site of its organization', async () => {
  const { deviceId } = await enrolledDevice(app, made.key.key, 'movable')
  const change = (body: object) => call('PATCH', deviceId, body)
  expect((await change({ customFields: { rack: 'A1', floor: 2 } })).status).toBe(200)
  expect(
    await change({
      displayName: 'Rack server',
      tags: ['a', 'b', 'a'],
      customFields: { floor: null, owner: 'Ada' },
      deviceRole: 'server',
      siteId: branch.id,
    }),
  ).toMatchObject({
    status: 200,
    body: {
      displayName: 'Rack server',
      tags: ['a', 'b'],
      customFields: { rack: 'A1', owner: 'Ada' },
      deviceRole: 'server',
      deviceRoleSource: 'manual',
      siteId: branch.id,
    },
  })
  expect(auditOf(app, 'device.update').at(-1)?.details).toMatchObject({
    changedFields: ['displayName', 'siteId', 'tags', 'customFields', 'deviceRole'],
    before: { displayName: null, tags: [] },
    after: {
      displayName: 'Rack server',
      siteId: branch.id,
      siteName: branch.name,
      tags: ['a', 'b'],
      deviceRole: 'server',
    },
  })
  expect(await change({})).toMatchObject({ status: 400, body: { error: 'No updates provided' } })
  expect(await change({ siteId: stranger.site.id })).toMatchObject({
    status: 400,
    body: { error: 'Target site not found or belongs to a different organization' },
  })
  setDevice(app, deviceId, { status: 'decommissioned' })
})

test('custom fields are limited to 64 KB altogether, also over several changes', async () => {
  const { deviceId } = await enrolledDevice(app, made.key.key, 'growing')
  const change = (customFields: object) => call('PATCH', deviceId, { customFields })
  const long = 'x'.repeat(40_000)
  expect((await change({ one: long })).status).toBe(200)
  const before = deviceRowOf(app, deviceId)
  expect(await change({ two: long })).toMatchObject({
    status: 400,
    body: { error: 'customFields: All of them together must not be larger than 64 KB' },
  })
  expect(deviceRowOf(app, deviceId)).toEqual(before)
  // Fields that were larger before there was a limit.
  setDevice(app, deviceId, { custom_fields: toJson({ one: long, two: long, three: long }) })
  expect((await change({ three: null })).status).toBe(200)
  expect((await change({ four: 'x' })).status).toBe(400)
  setDevice(app, deviceId, { status: 'decommissioned' })
})

test('a decommissioned device can be restored with its credentials, or erased with everything of it', async () => {
  const device = fakeDevice(app, await enrolledDevice(app, made.key.key, 'life'))
  const { deviceId: id } = device
  await device.request('PUT', 'software', { software: [{ name: 'vim', version: '9' }] })
  expect(await call('POST', `${id}/restore`)).toMatchObject({
    status: 400,
    body: { error: 'Only decommissioned devices can be restored' },
  })
  expect((await call('DELETE', `${id}/permanent`)).status).toBe(400)
  expect(await call('DELETE', id)).toMatchObject({
    status: 200,
    body: { success: true, device: { status: 'decommissioned' } },
  })
  expect(await call('DELETE', id)).toMatchObject({ status: 400, body: { error: 'Device is already decommissioned' } })
  expect((await device.beat()).status).toBe(403)
  expect(await call('POST', `${id}/restore`)).toMatchObject({ status: 200, body: { device: { status: 'offline' } } })
  expect((await device.beat()).status).toBe(200)
  await app.app.telemetry.flush()
  await call('DELETE', id)
  const before = app.rowCounts()
  expect(await call('DELETE', `${id}/permanent`)).toMatchObject({
    status: 200,
    body: { success: true, agentUninstallSent: false, warning: expect.any(String) },
  })
  const after = app.rowCounts()
  expect(
    [before, after].map(({ devices, device_software, device_reports }) => [devices, device_software, device_reports]),
  ).toEqual([
    [before.devices, 1, 1],
    [(before.devices ?? 0) - 1, 0, 0],
  ])
  expect((await call('GET', id)).status).toBe(404)
  expect((await device.beat()).status).toBe(401)
  for (const action of ['device.decommission', 'device.restore', 'device.permanent_delete'])
    expect(auditOf(app, action).filter((event) => event.resource_id === id).length, action).toBeGreaterThan(0)
})

test('maintenance begins and ends by hand', async () => {
  const device = fakeDevice(app, await enrolledDevice(app, made.key.key, 'workshop'))
  const set = (body: object) => call('POST', `${device.deviceId}/maintenance`, body)
  expect((await set({ enable: true, durationHours: 2 })).body.device).toMatchObject({
    status: 'maintenance',
    maintenanceUntil: new Date(app.clock.now() + 7_200_000).toISOString(),
  })
  await device.beat()
  expect((await set({ enable: false })).body.device).toMatchObject({ status: 'online', maintenanceUntil: null })
  for (const durationHours of [0, 169, 1.5]) expect((await set({ enable: true, durationHours })).status).toBe(400)
  expect(auditOf(app, 'device.maintenance.enable')).toHaveLength(1)
  expect(auditOf(app, 'device.maintenance.disable')).toHaveLength(1)
})
