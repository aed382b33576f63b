import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  addGroupDevices,
  createDeviceGroup,
  listDeviceGroups,
  listGroupDevices,
  pinGroupDevice,
  previewDeviceGroup,
  unpinGroupDevice,
  updateDeviceGroup,
} from '../../shared/api/device-groups.ts'
import { enrolledDevice, holdings } from '../helpers/factories.ts'
import { fleet, groupOf, named, statusAndError } from './group-kit.ts'

test('the list can be filtered by organization and by site', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, org, branch } = scene
  const sibling = await holdings(app, admin.token, 'Sibling', 'pc-of-sibling')
  const wanted = [{ name: 'Wide' }, { name: 'Bound', siteId: branch.id }, { name: 'Theirs', orgId: sibling.org.id }]
  for (const group of wanted) {
    app.clock.advance(1)
    await groupOf(scene, group)
  }
  const listed = async (query: object) => {
    const { data, total } = (await app.call(listDeviceGroups, { query }, admin)).body
    expect(total).toBe(data.length)
    return data.map(({ name }) => name)
  }
  expect(await listed({})).toEqual(['Theirs', 'Bound', 'Wide'])
  expect(await listed({ orgId: org.id })).toEqual(['Bound', 'Wide'])
  expect(await listed({ siteId: branch.id })).toEqual(['Bound'])
})

test('a name has 1 to 255 characters, and rules of other systems are kept until they are cleared', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, org } = scene
  const make = (body: object) => app.call(createDeviceGroup, { body: { orgId: org.id, name: 'G', ...body } }, admin)
  expect((await make({ name: ' ' })).status).toBe(400)
  expect((await make({ name: 'x'.repeat(256) })).status).toBe(400)
  const rules = { any: [{ of: 'them' }] }
  const made = await make({ name: 'x'.repeat(255), rules })
  expect([made.status, made.body.data.rules]).toEqual([201, rules])
  const params = { id: made.body.data.id }
  const change = async (body: object) => (await app.call(updateDeviceGroup, { params, body }, admin)).body.data
  expect((await change({ name: 'Renamed' })).rules).toEqual(rules)
  expect((await change({ rules: null })).rules).toBeNull()
  expect((await change({ siteId: scene.site.id })).siteId).toBe(scene.site.id)
  expect((await change({ siteId: null })).siteId).toBeNull()
})

test('the parent of a new group must exist in the same organization', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, org } = scene
  const sibling = await holdings(app, admin.token, 'Sibling', 'pc-of-sibling')
  const theirs = await groupOf(scene, { orgId: sibling.org.id })
  const below = async (parentId: string) =>
    statusAndError(await app.call(createDeviceGroup, { body: { orgId: org.id, name: 'G', parentId } }, admin))
  expect(await below(randomUUID())).toEqual([400, 'Parent group not found'])
  expect(await below(theirs.id)).toEqual([400, 'Parent group must belong to the same organization'])
})

test('members show how they were added, and adding counts those already in the group', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, one, two } = scene
  const fixed = await groupOf(scene, { deviceIds: [one.deviceId] })
  const byRule = await groupOf(scene, { type: 'dynamic', filterConditions: named('pc-1') })
  const body = { deviceIds: [one.deviceId, two.deviceId, two.deviceId] }
  const added = await app.call(addGroupDevices, { params: { id: fixed.id }, body }, admin)
  expect(added.body).toEqual({ data: { added: 1, skipped: 1, total: 2 } })
  await app.call(pinGroupDevice, { params: { id: byRule.id, deviceId: two.deviceId } }, admin)
  const members = async (id: string) =>
    (await app.call(listGroupDevices, { params: { id } }, admin)).body.data.map(
      ({ hostname, addedBy, isPinned, addedAt }) => [hostname, addedBy, isPinned, !Number.isNaN(Date.parse(addedAt))],
    )
  expect(await members(fixed.id)).toEqual([
    ['pc-1', 'manual', false, true],
    ['pc-2', 'manual', false, true],
  ])
  expect(await members(byRule.id)).toEqual([
    ['pc-1', 'dynamic_rule', false, true],
    ['pc-2', 'manual', true, true],
  ])
})

test('a preview returns ten devices by default and up to a hundred on request', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, key } = scene
  for (let n = 0; n < 11; n++) await enrolledDevice(app, key.key, `till-${n}`)
  const { id } = await groupOf(scene, { type: 'dynamic', filterConditions: named('till') })
  const shown = async (query: object) => {
    const { totalCount, devices } = (await app.call(previewDeviceGroup, { params: { id }, query }, admin)).body.data
    return [devices.length, totalCount]
  }
  expect(await shown({})).toEqual([10, 11])
  expect(await shown({ limit: '0' })).toEqual([1, 11])
  expect(await shown({ limit: '101' })).toEqual([11, 11])
})

test('preview and pins answer 400 for a static group', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, one } = scene
  const { id } = await groupOf(scene, { deviceIds: [one.deviceId] })
  const params = { id, deviceId: one.deviceId }
  for (const call of [
    app.call(previewDeviceGroup, { params: { id } }, admin),
    app.call(pinGroupDevice, { params }, admin),
    app.call(unpinGroupDevice, { params }, admin),
  ])
    expect(statusAndError(await call)).toEqual([400, 'Only dynamic groups have this'])
})
