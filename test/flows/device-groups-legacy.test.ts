import { expect, test } from 'vitest'
import { membershipLog, readDeviceGroup } from '../../shared/api/device-groups.ts'
import {
  addGroupMembersLegacy,
  createGroupLegacy,
  deleteGroupLegacy,
  listGroupsLegacy,
  removeGroupMembersLegacy,
  updateGroupLegacy,
} from '../../shared/api/device-groups-legacy.ts'
import { allPermissions } from '../../shared/permissions.ts'
import { regrant, showFactor } from '../contract/stage.ts'
import { holdings, person } from '../helpers/factories.ts'
import { auditOf } from '../helpers/rows.ts'
import { fleet, groupOf, named, namesIn, statusAndError } from './group-kit.ts'

test('the legacy list requires the organization, and is paged', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, org } = scene
  const { token } = admin
  const list = (query: object) => app.call(listGroupsLegacy, { query }, { token })
  // The name of a collection is not taken for the id of a device.
  expect(statusAndError(await list({}))).toEqual([400, 'orgId query parameter required'])
  expect((await list({ orgId: org.id })).body).toEqual({ data: [], pagination: { page: 1, limit: 50, total: 0 } })
  for (const name of ['First', 'Second', 'Third']) {
    app.clock.advance(1)
    await groupOf(scene, { name })
  }
  const sibling = await holdings(app, token, 'Sibling', 'pc-of-sibling')
  await groupOf(scene, { name: 'Theirs', orgId: sibling.org.id })
  const page = async (page: string) => {
    const { body } = await list({ orgId: org.id, page, limit: '2' })
    return [body.data.map(({ name }) => name), body.pagination]
  }
  expect(await page('1')).toEqual([['Third', 'Second'], { page: 1, limit: 2, total: 3 }])
  expect(await page('2')).toEqual([['First'], { page: 2, limit: 2, total: 3 }])
  const user = await person(app, { email: 'u@x.test', scope: 'organization', orgId: org.id })
  const foreign = await app.call(listGroupsLegacy, { query: { orgId: sibling.org.id } }, { token: user.token })
  expect(statusAndError(foreign)).toEqual([403, 'Access to this organization denied'])
})

test('the legacy address answers with the same group', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, org, one } = scene
  const { token } = admin
  const body = { orgId: org.id, name: 'Tills', deviceIds: [one.deviceId] }
  const made = await app.call(createGroupLegacy, { body }, { token })
  expect([made.status, made.body]).toMatchObject([201, { orgId: org.id, name: 'Tills', deviceCount: 1 }])
  const params = { id: made.body.id }
  const renamed = await app.call(updateGroupLegacy, { params, body: { name: 'Counters' } }, { token })
  expect([renamed.status, renamed.body]).toMatchObject([200, { id: params.id, name: 'Counters' }])
  expect((await app.call(readDeviceGroup, { params }, { token })).body.data).toEqual(renamed.body)
  const below = await groupOf(scene, { parentId: params.id })
  const refused = await app.call(deleteGroupLegacy, { params }, { token })
  expect(statusAndError(refused)).toEqual([400, 'Cannot delete group with child groups'])
  for (const id of [below.id, params.id]) {
    const gone = await app.call(deleteGroupLegacy, { params: { id } }, { token })
    expect([gone.status, gone.body]).toEqual([200, { success: true }])
  }
  expect(statusAndError(await app.call(readDeviceGroup, { params }, { token }))).toEqual([404, 'Group not found'])
  expect(auditOf(app, 'device_group.delete')).toHaveLength(2)
})

test('deleting at the legacy address needs the permission to delete devices', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { id } = await groupOf(scene)
  regrant(
    app,
    { name: 'Org Admin', scope: 'organization' },
    allPermissions.filter((permission) => permission !== 'devices:delete'),
  )
  const user = await person(app, { email: 'u@x.test', scope: 'organization', orgId: scene.org.id })
  showFactor(app, user.id)
  const options = { token: user.token }
  expect((await app.call(updateGroupLegacy, { params: { id }, body: { name: 'x' } }, options)).status).toBe(200)
  expect((await app.call(deleteGroupLegacy, { params: { id } }, options)).status).toBe(403)
})

test('members are added and removed in batches at the legacy address, counted and recorded in the history', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, one, two, far, site } = scene
  const options = { token: admin.token }
  const { id } = await groupOf(scene, { siteId: site.id })
  const params = { id }
  const add = (...deviceIds: string[]) => app.call(addGroupMembersLegacy, { params, body: { deviceIds } }, options)
  const remove = (...deviceIds: string[]) =>
    app.call(removeGroupMembersLegacy, { params, body: { deviceIds } }, options)
  const added = await add(one.deviceId, two.deviceId)
  expect([added.status, added.body]).toEqual([200, { success: true, added: 2 }])
  expect((await add(one.deviceId)).body).toEqual({ success: true, added: 0 })
  for (const call of [add, remove]) {
    const refused = await call(one.deviceId, far.deviceId)
    expect([refused.status, refused.body]).toMatchObject([400, { invalidDevices: [far.deviceId] }])
  }
  expect((await remove(one.deviceId)).body).toEqual({ success: true, removed: 1 })
  expect((await remove(one.deviceId, two.deviceId)).body).toEqual({ success: true, removed: 1 })
  expect(await namesIn(app, admin.token, id)).toEqual([])
  const removals = await app.call(membershipLog, { params, query: { action: 'removed' } }, options)
  expect(removals.body.data.map(({ hostname }) => hostname)).toEqual(['pc-2', 'pc-1'])
  expect((await add()).status).toBe(400)

  const byRule = await groupOf(scene, { type: 'dynamic', filterConditions: named('pc') })
  const body = { deviceIds: [one.deviceId] }
  const [putIn, takenOut] = [
    await app.call(addGroupMembersLegacy, { params: { id: byRule.id }, body }, options),
    await app.call(removeGroupMembersLegacy, { params: { id: byRule.id }, body }, options),
  ]
  expect(statusAndError(putIn)).toEqual([400, 'Cannot manually add devices to a dynamic group'])
  expect(statusAndError(takenOut)).toEqual([400, 'Cannot manually remove devices from a dynamic group'])
})
