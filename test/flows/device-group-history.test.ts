import { expect, test } from 'vitest'
import {
  addGroupDevices,
  deleteDeviceGroup,
  membershipLog,
  pinGroupDevice,
  removeGroupDevice,
  unpinGroupDevice,
  updateDeviceGroup,
} from '../../shared/api/device-groups.ts'
import { decommissionDevice, deleteDevicePermanently, updateDevice } from '../../shared/api/devices.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { showFactor } from '../contract/stage.ts'
import { holdings, person } from '../helpers/factories.ts'
import { setDevice } from '../helpers/rows.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { confinedTo, fleet, groupOf, named, statusAndError } from './group-kit.ts'

type Query = NonNullable<InputOf<typeof membershipLog>['query']>

const log = async (app: TestApp, token: string, id: string, query: Query = {}) =>
  (await app.call(membershipLog, { params: { id }, query }, { token })).body
/** Lines such as `pc-1 added manual Ada Admin`, newest first. */
const lines = async (app: TestApp, token: string, id: string, query: Query = {}) =>
  (await log(app, token, id, query)).data.map(({ hostname, action, reason, changedByName }) =>
    [hostname, action, reason, changedByName ?? 'nobody'].join(' '),
  )

test('the history shows who added and removed which device, newest first', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, one, two } = scene
  const { token } = admin
  const { id } = await groupOf(scene, { deviceIds: [one.deviceId] })
  const body = { deviceIds: [one.deviceId, two.deviceId] }
  await app.call(addGroupDevices, { params: { id }, body }, { token })
  await app.call(removeGroupDevice, { params: { id, deviceId: one.deviceId } }, { token })
  const [latest] = (await log(app, token, id)).data
  expect(latest).toEqual({
    id: expect.any(Number),
    groupId: id,
    deviceId: one.deviceId,
    hostname: 'pc-1',
    displayName: null,
    action: 'removed',
    reason: 'manual',
    changedBy: admin.userId,
    changedByName: 'Ada Admin',
    createdAt: expect.stringMatching(/Z$/),
  })
  expect(await lines(app, token, id)).toEqual([
    'pc-1 removed manual Ada Admin',
    'pc-2 added manual Ada Admin',
    'pc-1 added manual Ada Admin',
  ])
  expect(await lines(app, token, id, { deviceId: two.deviceId })).toEqual(['pc-2 added manual Ada Admin'])
  expect(await lines(app, token, id, { action: 'removed' })).toEqual(['pc-1 removed manual Ada Admin'])
})

test('changes made by a rule are recorded without a person', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, one } = scene
  const { id } = await groupOf(scene, { type: 'dynamic', filterConditions: named('pc-1') })
  setDevice(app, one.deviceId, { hostname: 'till-1' })
  await expect
    .poll(() => lines(app, admin.token, id))
    .toEqual(['till-1 removed filter_unmatch nobody', 'till-1 added filter_match nobody'])
})

test('pins are recorded once, with who set and removed them', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, one, two } = scene
  const options = { token: admin.token }
  const { id } = await groupOf(scene, { type: 'dynamic', filterConditions: named('pc-1') })
  for (const { deviceId } of [one, two, one]) await app.call(pinGroupDevice, { params: { id, deviceId } }, options)
  for (const { deviceId } of [one, two, one]) await app.call(unpinGroupDevice, { params: { id, deviceId } }, options)
  expect((await lines(app, admin.token, id)).toReversed()).toEqual([
    'pc-1 added filter_match nobody',
    'pc-1 pinned pinned Ada Admin',
    'pc-2 added pinned Ada Admin',
    // After unpinning, the rule keeps the first device and drops the second.
    'pc-1 unpinned unpinned Ada Admin',
    'pc-2 unpinned unpinned Ada Admin',
    'pc-2 removed filter_unmatch nobody',
  ])
})

test('a device that leaves with its site, or with the site of the group, is recorded', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, one, two, site, branch } = scene
  const { token } = admin
  const byHand = await groupOf(scene, { siteId: site.id, deviceIds: [one.deviceId, two.deviceId] })
  const byRule = await groupOf(scene, { siteId: site.id, type: 'dynamic', filterConditions: named('pc-1') })
  await app.call(updateDevice, { params: { id: one.deviceId }, body: { siteId: branch.id } }, { token })
  expect((await lines(app, token, byHand.id))[0]).toBe('pc-1 removed manual nobody')
  expect((await lines(app, token, byRule.id))[0]).toBe('pc-1 removed filter_unmatch nobody')
  await app.call(updateDeviceGroup, { params: { id: byHand.id }, body: { siteId: branch.id } }, { token })
  expect((await lines(app, token, byHand.id))[0]).toBe('pc-2 removed manual Ada Admin')
})

test('a failed change leaves no entry', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, one, far, site } = scene
  const { id } = await groupOf(scene, { siteId: site.id })
  const body = { deviceIds: [one.deviceId, far.deviceId] }
  await app.call(addGroupDevices, { params: { id }, body }, { token: admin.token })
  expect(app.rowCounts()).toMatchObject({ device_group_members: 0, device_group_log: 0 })
})

test('the history is paged with at most 500 entries', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, one, two, far } = scene
  const { id } = await groupOf(scene, { deviceIds: [one.deviceId, two.deviceId, far.deviceId] })
  const read = (query: Query) => log(app, admin.token, id, query)
  const all = (await read({})).data.map((entry) => entry.id)
  expect(all).toHaveLength(3)
  const paged: number[] = []
  for (const offset of ['0', '1', '2', '3'])
    paged.push(...(await read({ limit: '1', offset })).data.map(({ id }) => id))
  expect(paged).toEqual(all)
  expect(await read({ limit: '1', offset: '1' })).toMatchObject({ total: 3, limit: 1, offset: 1 })
  expect(await read({ limit: '501' })).toMatchObject({ limit: 500, offset: 0 })
  expect(await read({ limit: 'x', offset: '-1' })).toMatchObject({ total: 3, limit: 50, offset: 0 })
  const wrong = await app.call(
    membershipLog,
    { params: { id }, query: { action: 'moved' as 'added' } },
    { token: admin.token },
  )
  expect(wrong.status).toBe(400)
})

test('the history shows only devices that its reader can see now', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, org, one, two, far, site, branch } = scene
  const bound = await groupOf(scene, { siteId: site.id, deviceIds: [one.deviceId, two.deviceId] })
  const wide = await groupOf(scene, { deviceIds: [one.deviceId, far.deviceId] })
  const params = { id: bound.id, deviceId: two.deviceId }
  await app.call(removeGroupDevice, { params }, { token: admin.token })

  const inGroup = await confinedTo(scene, [bound.id])
  const seen = await log(app, inGroup.token, bound.id)
  expect([seen.total, seen.data.map(({ hostname }) => hostname)]).toEqual([1, ['pc-1']])
  expect((await log(app, inGroup.token, bound.id, { deviceId: two.deviceId })).total).toBe(0)
  const hidden = await app.call(membershipLog, { params: { id: wide.id } }, { token: inGroup.token })
  expect(statusAndError(hidden)).toEqual([404, 'Group not found'])

  const atSite = await person(app, { email: 's@x.test', scope: 'organization', orgId: org.id, siteIds: [site.id] })
  showFactor(app, atSite.id)
  expect((await log(app, atSite.token, bound.id)).total).toBe(3)
  await app.call(updateDevice, { params: { id: one.deviceId }, body: { siteId: branch.id } }, { token: admin.token })
  expect(await lines(app, atSite.token, bound.id)).toEqual([
    'pc-2 removed manual Ada Admin',
    'pc-2 added manual Ada Admin',
  ])
  const denied = await app.call(membershipLog, { params: { id: wide.id } }, { token: atSite.token })
  expect(statusAndError(denied)).toEqual([403, 'Access to this site denied'])

  const sibling = await holdings(app, admin.token, 'Sibling', 'pc-of-sibling')
  app.db
    .statement('UPDATE devices SET org_id = ?, site_id = ? WHERE id = ?')
    .run(sibling.org.id, sibling.site.id, far.deviceId)
  expect((await lines(app, admin.token, wide.id)).filter((line) => line.startsWith('srv-1'))).toEqual([])
})

test('the history is deleted with the device and with the group', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, one, two } = scene
  const { token } = admin
  const { id } = await groupOf(scene, { deviceIds: [one.deviceId, two.deviceId] })
  await app.call(decommissionDevice, { params: { id: one.deviceId } }, { token })
  await app.call(deleteDevicePermanently, { params: { id: one.deviceId } }, { token })
  expect(await lines(app, token, id)).toEqual(['pc-2 added manual Ada Admin'])
  expect((await app.call(deleteDeviceGroup, { params: { id } }, { token })).status).toBe(200)
  expect(app.rowCounts().device_group_log).toBe(0)
})

test('the history keeps ninety days, and the newest 20,000 entries of a group', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { one, two } = scene
  const calm = await groupOf(scene, { deviceIds: [one.deviceId] })
  const busy = await groupOf(scene)
  const fill = app.db.statement(
    `INSERT INTO device_group_log (group_id, device_id, action, reason, created_at)
     SELECT ?, ?, 'added', 'filter_match', ? FROM json_each(?)`,
  )
  const many = (count: number) => JSON.stringify(Array(count).fill(0))
  const today = new Date(app.clock.now()).toISOString()
  fill.run(busy.id, one.deviceId, today, many(2000))
  fill.run(busy.id, two.deviceId, today, many(20_000))
  const kept = () =>
    app.db
      .statement('SELECT group_id, device_id, count(*) AS lines FROM device_group_log GROUP BY 1, 2 ORDER BY lines')
      .all()
  await app.app.jobs.runNow('groups.prune-log')
  expect(kept()).toEqual([
    { group_id: calm.id, device_id: one.deviceId, lines: 1 },
    { group_id: busy.id, device_id: two.deviceId, lines: 20_000 },
  ])
  app.clock.advance(90 * 24 * 3_600_000)
  await app.app.jobs.runNow('groups.prune-log')
  expect(kept()).toHaveLength(2)
  app.clock.advance(1)
  await app.app.jobs.runNow('groups.prune-log')
  expect(kept()).toEqual([])
})
