import { expect, test } from 'vitest'
import {
  addGroupDevices,
  createDeviceGroup,
  pinGroupDevice,
  previewDeviceGroup,
  previewGroupRule,
  removeGroupDevice,
  unpinGroupDevice,
  updateDeviceGroup,
} from '../../shared/api/device-groups.ts'
import { decommissionDevice, restoreDevice, updateDevice } from '../../shared/api/devices.ts'
import { enrolledDevice, holdings, person } from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { setDevice } from '../helpers/rows.ts'
import { confinedTo, type Fleet, fleet, groupOf, named, namesIn, statusAndError } from './group-kit.ts'

const dynamic = (scene: Fleet, filterConditions: Record<string, unknown>, more: object = {}) =>
  groupOf(scene, { type: 'dynamic', filterConditions, ...more })
const condition = (field: string, operator: string, value?: unknown) => ({
  operator: 'AND',
  conditions: [{ field, operator, value }],
})
/** Waits until the change has been evaluated. */
const becomes = ({ app, admin }: Fleet, id: string, names: string[]) =>
  expect.poll(() => namesIn(app, admin.token, id)).toEqual(names)

test('a dynamic group is filled when created and again when its rule, site or type changes', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, site, two } = scene
  const { token } = admin
  const group = await dynamic(scene, named('PC'))
  expect(group).toMatchObject({ deviceCount: 2, filterFieldsUsed: ['hostname'], filterConditions: named('PC') })
  const change = async (body: object) =>
    (await app.call(updateDeviceGroup, { params: { id: group.id }, body }, { token })).body.data.deviceCount
  expect(await change({ filterConditions: named('-1') })).toBe(2)
  expect(await namesIn(app, token, group.id)).toEqual(['pc-1', 'srv-1'])
  expect(await change({ siteId: site.id })).toBe(1)
  expect(await change({ filterConditions: null })).toBe(0)
  expect(await change({ type: 'static' })).toBe(0)
  await app.call(addGroupDevices, { params: { id: group.id }, body: { deviceIds: [two.deviceId] } }, { token })
  expect(await change({ type: 'dynamic', filterConditions: named('pc-1') })).toBe(1)
  expect(await namesIn(app, token, group.id)).toEqual(['pc-1'])
})

test('devices cannot be added to or removed from a dynamic group by hand, and a pin survives until a move', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, site, branch, one, far } = scene
  const options = { token: admin.token }
  const { id } = await dynamic(scene, named('pc'), { siteId: site.id })
  const body = { deviceIds: [far.deviceId] }
  expect(statusAndError(await app.call(addGroupDevices, { params: { id }, body }, options))).toEqual([
    400,
    'Cannot manually add devices to a dynamic group',
  ])
  const made = await app.call(createDeviceGroup, { body: { name: 'G', type: 'dynamic', ...body } }, options)
  expect(made.status).toBe(400)
  expect((await app.call(removeGroupDevice, { params: { id, deviceId: one.deviceId } }, options)).status).toBe(400)
  const params = { id, deviceId: one.deviceId }
  await app.call(pinGroupDevice, { params }, options)
  await app.call(updateDeviceGroup, { params: { id }, body: { filterConditions: named('none') } }, options)
  expect(await namesIn(app, admin.token, id)).toEqual(['pc-1'])
  await app.app.jobs.runNow('groups.sweep')
  expect(await namesIn(app, admin.token, id)).toEqual(['pc-1'])
  expect((await app.call(unpinGroupDevice, { params }, options)).body.data.isPinned).toBe(false)
  expect(await namesIn(app, admin.token, id)).toEqual([])
  expect(statusAndError(await app.call(unpinGroupDevice, { params }, options))).toEqual([
    404,
    'Device is not a member of this group',
  ])
  // A device of another site does not match, and even a pinned one leaves when it moves there.
  const stranger = await app.call(pinGroupDevice, { params: { id, deviceId: far.deviceId } }, options)
  expect([stranger.status, stranger.body.invalidDevices]).toEqual([400, [far.deviceId]])
  await app.call(pinGroupDevice, { params }, options)
  await app.call(updateDevice, { params: { id: one.deviceId }, body: { siteId: branch.id } }, options)
  expect(await namesIn(app, admin.token, id)).toEqual([])
  await app.call(updateDeviceGroup, { params: { id }, body: { filterConditions: named('pc') } }, options)
  expect(await namesIn(app, admin.token, id)).toEqual(['pc-2'])
  await app.call(updateDevice, { params: { id: one.deviceId }, body: { siteId: site.id } }, options)
  await becomes(scene, id, ['pc-1', 'pc-2'])
})

test('groups follow their devices: enrolled, renamed, tagged, reported, decommissioned and restored', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, key, one, two, far } = scene
  const options = { token: admin.token }
  const byName = await dynamic(scene, named('pc'))
  const byTag = await dynamic(scene, condition('tags', 'hasAny', ['till']))
  const byMac = await dynamic(scene, condition('network.macAddress', 'equals', 'AA:BB:CC:00:11:22'))
  const byMemory = await dynamic(scene, condition('hardware.ramTotalMb', 'greaterThan', 16_000))
  const bySoftware = await dynamic(scene, condition('software.installed', 'contains', 'office'))
  await enrolledDevice(app, key.key, 'pc-9')
  await becomes(scene, byName.id, ['pc-1', 'pc-2', 'pc-9'])
  await app.call(updateDevice, { params: { id: two.deviceId }, body: { tags: ['Till'] } }, options)
  await becomes(scene, byTag.id, ['pc-2'])
  const machine = fakeDevice(app, far)
  await machine.beat({ hostname: 'pc-was-srv' })
  await app.app.telemetry.flush()
  await becomes(scene, byName.id, ['pc-1', 'pc-2', 'pc-9', 'pc-was-srv'])
  await machine.request('PUT', 'hardware', { ramTotalMb: 32_768 })
  const adapter = { interfaceName: 'eth0', macAddress: 'aa:bb:cc:00:11:22', ipAddress: '10.0.0.4', isPrimary: true }
  await machine.request('PUT', 'network', { adapters: [adapter] })
  await machine.request('PUT', 'software', { software: [{ name: 'LibreOffice', version: '7' }] })
  await becomes(scene, byMemory.id, ['pc-was-srv'])
  await becomes(scene, byMac.id, ['pc-was-srv'])
  await becomes(scene, bySoftware.id, ['pc-was-srv'])
  await app.call(decommissionDevice, { params: { id: one.deviceId } }, options)
  await becomes(scene, byName.id, ['pc-2', 'pc-9', 'pc-was-srv'])
  await app.call(restoreDevice, { params: { id: one.deviceId } }, options)
  await becomes(scene, byName.id, ['pc-1', 'pc-2', 'pc-9', 'pc-was-srv'])
})

test('devices of two organizations that change at the same time join the groups of their own', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin } = scene
  const other = await holdings(app, admin.token, 'Sibling', 'pc-of-sibling')
  const own = await dynamic(scene, condition('lastUser', 'equals', 'kim'))
  const theirs = await dynamic(scene, condition('lastUser', 'equals', 'kim'), { orgId: other.org.id })
  app.db.statement("UPDATE devices SET last_user = 'kim'").run()
  await becomes(scene, own.id, ['pc-1', 'pc-2', 'srv-1'])
  await becomes(scene, theirs.id, ['pc-of-sibling'])
})

test('the sweep finds devices that match only because time has passed', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { id } = await dynamic(scene, condition('daysSinceLastSeen', 'greaterThanOrEquals', 2))
  expect(await namesIn(app, scene.admin.token, id)).toEqual([])
  app.clock.advance(2 * 24 * 3_600_000)
  await app.app.jobs.runNow('groups.sweep')
  // The session of the administrator has expired by now, so the table is read instead.
  expect(app.rowCounts().device_group_members).toBe(3)
})

test('a rule may refer to static groups and follows them, but ignores dynamic ones', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, one, two } = scene
  const base = await groupOf(scene, { deviceIds: [one.deviceId] })
  const others = await dynamic(scene, condition('groupId', 'notEquals', base.id))
  const contrary = await dynamic(scene, condition('groupId', 'notEquals', others.id))
  expect(others.deviceCount).toBe(2)
  expect(contrary.deviceCount).toBe(3)
  await app.call(
    addGroupDevices,
    { params: { id: base.id }, body: { deviceIds: [two.deviceId] } },
    { token: admin.token },
  )
  await becomes(scene, others.id, ['srv-1'])
})

test('a device left unevaluated by a crash is evaluated after the next start', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { id } = await dynamic(scene, named('new'))
  app.db.statement("UPDATE devices SET hostname = 'new-name' WHERE id = ?").run(scene.one.deviceId)
  expect(app.rowCounts()).toMatchObject({ device_group_due: 1, device_group_members: 0 })
  app.app.start()
  await becomes(scene, id, ['new-name'])
  await expect.poll(() => app.rowCounts().device_group_due).toBe(0)
})

test('a preview lists the current matches and writes nothing', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, one } = scene
  const { id } = await dynamic(scene, named('pc'))
  // Every object has a constructor; no device has a field of that name.
  const built = await dynamic(scene, {
    operator: 'AND',
    conditions: [{ field: 'custom.constructor', operator: 'isNotNull' }],
  })
  expect(built.deviceCount).toBe(0)
  const before = app.rowCounts()
  const { body } = await app.call(previewDeviceGroup, { params: { id }, query: { limit: '1' } }, { token: admin.token })
  expect(body.data).toMatchObject({ totalCount: 2, devices: [{ id: one.deviceId, hostname: 'pc-1' }] })
  expect(app.rowCounts()).toEqual(before)
  const fixed = await groupOf(scene)
  const refused = await app.call(previewDeviceGroup, { params: { id: fixed.id } }, { token: admin.token })
  expect(refused.status).toBe(400)
})

test('a rule is previewed before it is saved, within the reach of the caller, and writes nothing', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, org, branch, far } = scene
  const group = await groupOf(scene)
  const before = app.rowCounts()
  const tried = async (token: string, wanted: object) => {
    const body = { orgId: org.id, filterConditions: named('-'), ...wanted }
    return app.call(previewGroupRule, { body }, { token })
  }
  expect((await tried(admin.token, {})).body.data.totalCount).toBe(3)
  const there = await tried(admin.token, { siteId: branch.id })
  expect(there.body.data).toMatchObject({ totalCount: 1, devices: [{ id: far.deviceId }] })
  const unreadable = await tried(admin.token, { filterConditions: condition('hostname', 'matches', '(') })
  expect(statusAndError(unreadable)).toEqual([400, 'Invalid filter conditions'])
  expect(app.rowCounts()).toEqual(before)
  const stranger = await tried(admin.token, { orgId: group.id })
  expect(statusAndError(stranger)).toEqual([403, 'Access to this organization denied'])
  const email = 'branch@x.test'
  const atBranch = await person(app, { email, scope: 'organization', orgId: org.id, siteIds: [branch.id] })
  expect((await tried(atBranch.token, {})).status).toBe(403)
  expect((await tried(atBranch.token, { siteId: branch.id })).body.data.totalCount).toBe(1)
  const inGroup = await confinedTo(scene, [group.id])
  expect(statusAndError(await tried(inGroup.token, {}))).toEqual([403, 'Access to this group denied'])
})

test('an invalid rule is refused with the reason, and nothing is saved', async () => {
  const scene = await fleet()
  await using app = scene.app
  const body = { name: 'G', type: 'dynamic' as const, filterConditions: condition('hostnme', 'equals', 'x') }
  const refused = await app.call(createDeviceGroup, { body }, { token: scene.admin.token })
  expect(statusAndError(refused)).toEqual([400, 'Invalid filter conditions'])
  expect(refused.body.details).toEqual({
    formErrors: [],
    fieldErrors: { 'conditions.0.field': ['Unknown field: hostnme'] },
  })
  expect(app.rowCounts().device_groups).toBe(0)
})

test('a fleet of thousands is evaluated in batches', async () => {
  const scene = await fleet()
  await using app = scene.app
  const columns = `(id, org_id, site_id, agent_id, hostname, os_type, status, created_at, updated_at)`
  const insert = app.db.statement(
    `INSERT INTO devices ${columns} VALUES (?, ?, ?, ?, ?, 'linux', 'online', '2027', '2027')`,
  )
  app.db.transaction(() => {
    for (let n = 0; n < 3000; n++) insert.run(`d-${n}`, scene.org.id, scene.site.id, `a-${n}`, `bulk-${n}`)
  })
  let turns = 0
  const watch = setInterval(() => turns++, 1)
  const group = await dynamic(scene, named('bulk'))
  clearInterval(watch)
  expect(group.deviceCount).toBe(3000)
  expect(turns).toBeGreaterThan(3)
  setDevice(app, 'd-0', { hostname: 'gone' })
  await expect.poll(() => app.rowCounts().device_group_members).toBe(2999)
})
