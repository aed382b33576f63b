import { expect, test } from 'vitest'
import { listCommands, runScript } from '../../shared/api/commands.ts'
import {
  addGroupDevices,
  createDeviceGroup,
  deleteDeviceGroup,
  listDeviceGroups,
  readDeviceGroup,
  removeGroupDevice,
  updateDeviceGroup,
} from '../../shared/api/device-groups.ts'
import {
  decommissionDevice,
  deleteDevicePermanently,
  deviceStats,
  listDevices,
  listQuarantinedDevices,
  readDevice,
  updateDevice,
} from '../../shared/api/devices.ts'
import { createEnrollmentKey, listEnrollmentKeys, readEnrollmentKey } from '../../shared/api/enrollment-keys.ts'
import type { LiveEvent } from '../../shared/api/events.ts'
import {
  createPsaConnection,
  listPsaConnections,
  readPsaConnection,
  updatePsaConnection,
} from '../../shared/api/psa.ts'
import { deleteSite, listSites } from '../../shared/api/sites.ts'
import type { Endpoint, InputOf } from '../../shared/endpoint.ts'
import { bodyOf, forUsers, isStream, paramsOf, send } from '../contract/kit.ts'
import { contents, idsOf } from '../contract/stage.ts'
import { enrolledDevice } from '../helpers/factories.ts'
import { fakeDevice, listening } from '../helpers/fake-device.ts'
import { liveStream } from '../helpers/live-stream.ts'
import { setDevice } from '../helpers/rows.ts'
import { confinedTo, fleet, groupOf, named, statusAndError } from './group-kit.ts'

test('a user confined to groups lists, searches and counts only the devices in them', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { one, two, far, site, org } = scene
  const tills = await groupOf(scene, { deviceIds: [one.deviceId] })
  const servers = await groupOf(scene, { deviceIds: [far.deviceId] })
  await groupOf(scene, { name: 'Strange', deviceIds: [one.deviceId, two.deviceId] })
  const { token } = await confinedTo(scene, [tills.id, servers.id])
  const listed = async (query: NonNullable<InputOf<typeof listDevices>['query']> = {}) => {
    const { body } = await app.call(listDevices, { query: { page: '1', ...query } }, { token })
    return [body.pagination.total, ...body.data.map(({ hostname }) => hostname).sort()]
  }
  expect(await listed()).toEqual([2, 'pc-1', 'srv-1'])
  expect(await listed({ search: 'pc-' })).toEqual([1, 'pc-1'])
  expect(await listed({ search: 'p' })).toEqual([1, 'pc-1'])
  expect(await listed({ siteId: site.id })).toEqual([1, 'pc-1'])
  const cursor = await app.call(listDevices, { query: { includeTotal: 'true', limit: '1' } }, { token })
  expect(cursor.body.pagination.total).toBe(2)
  expect((await app.call(deviceStats, {}, { token })).body.data).toMatchObject({ total: 2, online: 2 })
  const sites = await app.call(listSites, { query: { orgId: org.id } }, { token })
  expect(Object.fromEntries(sites.body.data.map(({ name, deviceCount }) => [name, deviceCount]))).toEqual({
    HQ: 1,
    Branch: 1,
  })
  const inTheWay = async () => (await app.call(deleteSite, { params: { id: site.id } }, { token })).body
  expect(await inTheWay()).toMatchObject({ code: 'SITE_NOT_EMPTY', deviceCount: 1 })
  const detail = await app.call(readDevice, { params: { id: one.deviceId } }, { token })
  expect(detail.body.groups.map(({ groupId }) => groupId)).toEqual([tills.id])
  for (const id of [one.deviceId, two.deviceId]) setDevice(app, id, { status: 'quarantined' })
  const waiting = await app.call(listQuarantinedDevices, {}, { token })
  expect(waiting.body.devices.map(({ id }) => id)).toEqual([one.deviceId])
  // The same query again, after nothing but the groups has changed.
  expect(await listed()).toEqual([2, 'pc-1', 'srv-1'])
  await app.call(
    removeGroupDevice,
    { params: { id: servers.id, deviceId: far.deviceId } },
    { token: scene.admin.token },
  )
  expect(await listed()).toEqual([1, 'pc-1'])
})

test('an empty or deleted confining group shows no device', async () => {
  const scene = await fleet()
  await using app = scene.app
  const group = await groupOf(scene, { deviceIds: [scene.one.deviceId] })
  for (const groups of [[], [group.id]]) {
    const { token } = await confinedTo(scene, groups)
    if (groups.length > 0) await app.call(deleteDeviceGroup, { params: { id: group.id } }, { token: scene.admin.token })
    expect((await app.call(listDevices, {}, { token })).body.data).toEqual([])
    expect((await app.call(deviceStats, {}, { token })).body.data.total).toBe(0)
  }
})

test('a user confined to groups and sites sees only devices in both', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { one, far, branch } = scene
  const { id } = await groupOf(scene, { deviceIds: [one.deviceId, far.deviceId] })
  const { token } = await confinedTo(scene, [id], [branch.id])
  expect((await app.call(listDevices, {}, { token })).body.data.map(({ hostname }) => hostname)).toEqual(['srv-1'])
  expect((await app.call(readDevice, { params: { id: one.deviceId } }, { token })).status).toBe(403)
  // The group belongs to the whole organization, which is beyond their sites.
  expect((await app.call(listDeviceGroups, {}, { token })).body.data).toEqual([])
})

test('no endpoint reaches a device outside of the groups or changes anything', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { one, two, admin, org, site, key } = scene
  const own = await groupOf(scene, { deviceIds: [one.deviceId] })
  const ids = await idsOf(app, admin, { org, site, key, device: two } as never)
  const { token } = await confinedTo(scene, [own.id])
  const before = await contents(app)
  const ofDevices = forUsers.filter(({ path }) => /^\/(devices|agents)\/:|\/:deviceId/.test(path))
  expect(ofDevices.length).toBeGreaterThan(20)
  for (const endpoint of ofDevices) {
    if (isStream(endpoint)) continue
    const params = { ...paramsOf(endpoint, ids), ...(endpoint.path.startsWith('/device-groups') && { id: own.id }) }
    const { status, text } = await send(app, endpoint, { params, body: bodyOf(endpoint, ids), token })
    expect([403, 404], `${endpoint.name}: ${status} ${text}`).toContain(status)
    expect(text, endpoint.name).not.toContain('pc-2')
  }
  const lists = forUsers.filter(({ method, path }) => method === 'GET' && !path.includes(':'))
  const isLookOnRecord = ({ audit }: Endpoint) => audit !== null
  const look = async (endpoint: Endpoint) => {
    // A reader of the log of an organization reads all of it.
    if (isStream(endpoint) || endpoint.path.startsWith('/audit-logs')) return
    const { text } = await send(app, endpoint, { token })
    for (const secret of ['pc-2', two.deviceId, two.agentId, ids.command, ids.group, ids.key])
      expect(text, endpoint.name).not.toContain(secret)
  }
  for (const endpoint of lists) if (!isLookOnRecord(endpoint)) await look(endpoint)
  expect(await contents(app)).toEqual(before)
  for (const endpoint of lists) if (isLookOnRecord(endpoint)) await look(endpoint)
})

test('a user confined to groups can read, rename and command the devices in them', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { one } = scene
  const { id } = await groupOf(scene, { deviceIds: [one.deviceId] })
  const { token } = await confinedTo(scene, [id])
  const params = { id: one.deviceId }
  expect((await app.call(updateDevice, { params, body: { displayName: 'Till 1' } }, { token })).status).toBe(200)
  expect((await app.call(runScript, { params, body: { language: 'bash', content: 'true' } }, { token })).status).toBe(
    201,
  )
  expect((await app.call(listCommands, { params }, { token })).body.data).toHaveLength(1)
  expect((await app.call(decommissionDevice, { params }, { token })).status).toBe(200)
})

test('a user confined to groups cannot change which devices are in them', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { one, two, site, branch } = scene
  const own = await groupOf(scene, { siteId: site.id, type: 'dynamic', filterConditions: named('pc-1') })
  const other = await groupOf(scene, { deviceIds: [two.deviceId] })
  const { token } = await confinedTo(scene, [own.id])
  const params = { id: own.id }
  const listed = await app.call(listDeviceGroups, { query: { includeMemberships: 'true' } }, { token })
  expect(listed.body.data).toMatchObject([{ id: own.id, deviceIds: [one.deviceId] }])
  expect((await app.call(readDeviceGroup, { params: { id: other.id } }, { token })).status).toBe(404)
  const denied = [403, 'Access to this group denied']
  const wider = { filterConditions: named('pc') }
  expect(statusAndError(await app.call(updateDeviceGroup, { params, body: wider }, { token }))).toEqual(denied)
  expect(statusAndError(await app.call(createDeviceGroup, { body: { name: 'G' } }, { token }))).toEqual(denied)
  expect(statusAndError(await app.call(deleteDeviceGroup, { params }, { token }))).toEqual(denied)
  const body = { deviceIds: [two.deviceId] }
  expect(statusAndError(await app.call(addGroupDevices, { params, body }, { token }))).toEqual(denied)
  expect((await app.call(addGroupDevices, { params: { id: other.id }, body }, { token })).status).toBe(404)
  // Moving a device out of their own sight is refused as well.
  const move = { params: { id: one.deviceId }, body: { siteId: branch.id } }
  expect((await app.call(updateDevice, move, { token })).status).toBe(403)
  expect((await app.call(readDevice, { params: { id: one.deviceId } }, { token })).body.siteId).toBe(site.id)
})

test('a user confined to groups has no access to enrollment keys and connections of the organization', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { site, key, org } = scene
  const { id } = await groupOf(scene)
  const desk = {
    provider: 'freshservice' as const,
    name: 'Desk',
    credentials: { baseUrl: 'https://x.test', apiKey: 'k' },
  }
  const make = (token: string) => app.call(createPsaConnection, { body: { ...desk, orgId: org.id } }, { token })
  const connection = (await make(scene.admin.token)).body.id
  const atSite = await confinedTo(scene, [id], [site.id])
  const { token } = await confinedTo(scene, [id])
  for (const confined of [token, atSite.token]) {
    const params = { id: connection }
    expect(statusAndError(await make(confined))).toEqual([403, 'Access denied'])
    expect((await app.call(readPsaConnection, { params }, { token: confined })).status).toBe(404)
    const rename = app.call(updatePsaConnection, { params, body: { name: 'x' } }, { token: confined })
    expect(statusAndError(await rename)).toEqual([403, 'Access denied'])
  }
  expect((await app.call(listEnrollmentKeys, {}, { token })).body.data).toEqual([])
  expect((await app.call(readEnrollmentKey, { params: { id: key.id } }, { token })).status).toBe(403)
  const body = { name: 'k', orgId: org.id, siteId: site.id }
  expect((await app.call(createEnrollmentKey, { body }, { token })).status).toBe(403)
  expect((await app.call(listPsaConnections, {}, { token })).body.data).toEqual([])
})

test('the live stream reports only devices in the groups, as they join and leave', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, key, one, two, far, branch } = scene
  const options = { token: admin.token }
  const fixed = await groupOf(scene, { deviceIds: [one.deviceId] })
  const byRule = await groupOf(scene, { type: 'dynamic', filterConditions: named('new') })
  const { token } = await confinedTo(scene, [fixed.id, byRule.id])
  const origin = await listening(app)
  using stream = await liveStream(origin, token)
  using watching = await liveStream(origin, token, two.deviceId)
  const about = (id: string) => (event: LiveEvent) => 'deviceId' in event && event.deviceId === id
  const seen = new Set<LiveEvent>()
  const next = async (type: LiveEvent['type'], id: string) => {
    seen.add(await stream.event((event) => event.type === type && about(id)(event) && !seen.has(event)))
  }
  const rename = (id: string, displayName: string) =>
    app.call(updateDevice, { params: { id }, body: { displayName } }, options)

  await rename(two.deviceId, 'not theirs')
  await fakeDevice(app, two).beat({
    metrics: { cpuPercent: 1, ramPercent: 1, ramUsedMb: 1, diskPercent: 1, diskUsedGb: 1 },
  })
  await rename(one.deviceId, 'theirs')
  await next('device.changed', one.deviceId)
  // By hand.
  await app.call(addGroupDevices, { params: { id: fixed.id }, body: { deviceIds: [far.deviceId] } }, options)
  await next('device.changed', far.deviceId)
  await app.call(removeGroupDevice, { params: { id: fixed.id, deviceId: far.deviceId } }, options)
  await next('device.removed', far.deviceId)
  // By a rule: a device is enrolled into it and renamed out of it.
  const fresh = await enrolledDevice(app, key.key, 'new-1')
  await next('device.changed', fresh.deviceId)
  await fakeDevice(app, fresh).beat({ hostname: 'old-1' })
  await app.app.telemetry.flush()
  await next('device.removed', fresh.deviceId)
  // With the site of its group, with the group, and by its own deletion.
  await app.call(updateDeviceGroup, { params: { id: fixed.id }, body: { siteId: scene.site.id } }, options)
  await app.call(updateDevice, { params: { id: one.deviceId }, body: { siteId: branch.id } }, options)
  await next('device.removed', one.deviceId)
  await app.call(updateDevice, { params: { id: one.deviceId }, body: { siteId: scene.site.id } }, options)
  await app.call(addGroupDevices, { params: { id: fixed.id }, body: { deviceIds: [one.deviceId] } }, options)
  await next('device.changed', one.deviceId)
  await app.call(decommissionDevice, { params: { id: one.deviceId } }, options)
  await next('device.status', one.deviceId)
  await app.call(deleteDevicePermanently, { params: { id: one.deviceId } }, options)
  await next('device.removed', one.deviceId)
  expect(stream.events.filter(about(two.deviceId))).toEqual([])
  // Watching a device does not report it to a user who cannot see it.
  await watching.event(about(one.deviceId))
  expect(watching.events.filter(about(two.deviceId))).toEqual([])
})
