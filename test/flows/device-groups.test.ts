import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  addGroupDevices,
  createDeviceGroup,
  deleteDeviceGroup,
  listDeviceGroups,
  pinGroupDevice,
  readDeviceGroup,
  removeGroupDevice,
  updateDeviceGroup,
} from '../../shared/api/device-groups.ts'
import {
  decommissionDevice,
  deleteDevicePermanently,
  listDevices,
  readDevice,
  updateDevice,
} from '../../shared/api/devices.ts'
import { showFactor } from '../contract/stage.ts'
import { organizationOf, otherCompany, person, siteOf } from '../helpers/factories.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { fleet, groupOf, named, namesIn, statusAndError } from './group-kit.ts'

test('a group is created, read, found, changed and deleted, each with an audit event', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, org, one, two } = scene
  const { token } = admin
  const group = await groupOf(scene, { name: 'Tills', deviceIds: [one.deviceId, two.deviceId, one.deviceId] })
  expect(group).toMatchObject({ orgId: org.id, siteId: null, type: 'static', deviceCount: 2, filterConditions: null })
  app.clock.advance(1)
  const newer = await groupOf(scene, { name: 'Newer', parentId: group.id, type: 'dynamic' })
  const found = async (query: object) =>
    (await app.call(listDeviceGroups, { query }, { token })).body.data.map(({ name }) => name)
  expect(await found({})).toEqual(['Newer', 'Tills'])
  expect(await found({ search: 'tILL' })).toEqual(['Tills'])
  expect(await found({ search: '%' })).toEqual([])
  expect(await found({ parentId: group.id, type: 'dynamic' })).toEqual(['Newer'])
  const { body } = await app.call(
    listDeviceGroups,
    { query: { includeMemberships: 'true', type: 'static' } },
    { token },
  )
  expect(body).toMatchObject({ data: [{ deviceIds: expect.arrayContaining([one.deviceId, two.deviceId]) }], total: 1 })
  const params = { id: group.id }
  expect(statusAndError(await app.call(deleteDeviceGroup, { params }, { token }))).toEqual([
    400,
    'Cannot delete group with child groups',
  ])
  await app.call(updateDeviceGroup, { params: { id: newer.id }, body: { parentId: null } }, { token })
  const renamed = await app.call(updateDeviceGroup, { params, body: { name: 'Counters' } }, { token })
  expect(renamed.body.data.name).toBe('Counters')
  const gone = await app.call(deleteDeviceGroup, { params }, { token })
  expect(gone.body.data).toMatchObject({ id: group.id, deviceCount: 2 })
  expect(statusAndError(await app.call(readDeviceGroup, { params }, { token }))).toEqual([404, 'Group not found'])
  expect(['create', 'update', 'delete'].map((what) => auditOf(app, `device_group.${what}`).length)).toEqual([2, 2, 1])
  expect((await app.call(listDevices, {}, { token })).body.data).toHaveLength(3)
})

test('a list with more than 100,000 memberships is refused, and can be read without them', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { token } = scene.admin
  const { id } = await groupOf(scene)
  app.db.statement('PRAGMA foreign_keys = OFF').run()
  const join = app.db.statement(
    `INSERT INTO device_group_members (group_id, device_id, added_by, added_at)
     SELECT ?, 'd' || value, 'manual', '' FROM json_each(?)`,
  )
  join.run(id, JSON.stringify(Array.from({ length: 100_001 }, (_, n) => n)))
  const list = (query: object) => app.call(listDeviceGroups, { query }, { token })
  expect(statusAndError(await list({ includeMemberships: 'true' }))).toEqual([
    400,
    'Too many memberships for one answer; ask for fewer groups',
  ])
  expect((await list({})).body.data).toMatchObject([{ id, deviceCount: 100_001 }])
})

test('the devices of a large group are paged by name, each once', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { id } = await groupOf(scene)
  const add = app.db.statement(
    `INSERT INTO devices (id, org_id, site_id, agent_id, hostname, os_type, status, enrolled_at, created_at, updated_at)
     SELECT id, ?, ?, id, hostname, 'linux', 'online', at, at, at FROM
     (SELECT '2026-01-01T00:00:00.000Z' AS at, value ->> 'id' AS id, value ->> 'hostname' AS hostname FROM json_each(?))`,
  )
  const join = app.db.statement(
    `INSERT INTO device_group_members (group_id, device_id, added_by, added_at) SELECT ?, id, 'manual', created_at FROM devices`,
  )
  const names = Array.from({ length: 1400 }, (_, n) => `${n % 2 ? 'Desk' : 'desk'}-${(n * 7919) % 1400}`)
  app.db.transaction(() => {
    app.db.statement('DELETE FROM devices').run()
    const rows = names.map((hostname) => ({ id: randomUUID(), hostname }))
    add.run(scene.org.id, scene.site.id, JSON.stringify(rows))
    join.run(id)
  })
  const inOrder = names.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
  expect(await namesIn(app, scene.admin.token, id)).toEqual(inOrder)
})

test('the legacy address returns the same devices', async () => {
  const scene = await fleet()
  await using app = scene.app
  const group = await groupOf(scene)
  const headers = { authorization: `Bearer ${scene.admin.token}` }
  for (const path of ['/groups', `/groups/${group.id}`, `/groups/${group.id}/devices`]) {
    const [alias, own] = await Promise.all(
      [path, path.replace('/groups', '/device-groups')].map((url) => app.inject({ url: `/api/v1${url}`, headers })),
    )
    expect(alias?.statusCode).toBe(200)
    expect(alias?.body).toBe(own?.body)
  }
  expect((await app.inject({ url: '/api/v1/groups' })).statusCode).toBe(401)
})

test('ten simultaneous additions of the same device add one row and count it once', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { id } = await groupOf(scene)
  const body = { deviceIds: [scene.one.deviceId] }
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => app.call(addGroupDevices, { params: { id }, body }, { token: scene.admin.token })),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201))
  expect(answers.map(({ body }) => body.data.added).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  expect(app.rowCounts().device_group_members).toBe(1)
  expect(auditOf(app, 'device_group.device.add')).toHaveLength(1)
})

test('a batch with one unsuitable device adds nothing and names it', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, one, far, site, org } = scene
  const { token } = admin
  const other = await otherCompany(app)
  const bound = await groupOf(scene, { siteId: site.id })
  for (const stranger of [far.deviceId, other.device.deviceId, randomUUID()]) {
    const deviceIds = [one.deviceId, stranger]
    const refused = await app.call(addGroupDevices, { params: { id: bound.id }, body: { deviceIds } }, { token })
    expect([refused.status, refused.body.invalidDevices]).toEqual([400, [stranger]])
    const body = { orgId: org.id, siteId: site.id, name: 'Never', deviceIds }
    const unmade = await app.call(createDeviceGroup, { body }, { token })
    expect([unmade.status, unmade.body.invalidDevices]).toEqual([400, [stranger]])
  }
  expect(app.rowCounts()).toMatchObject({ device_group_members: 0, device_groups: 1 })
})

test('a device leaves a static group by removal, by moving to another site and by its own deletion', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, one, two, far, site, branch } = scene
  const { token } = admin
  const bound = await groupOf(scene, { siteId: site.id, deviceIds: [one.deviceId, two.deviceId] })
  const open = await groupOf(scene, { name: 'Open', deviceIds: [one.deviceId, far.deviceId] })
  const params = { id: bound.id, deviceId: two.deviceId }
  expect((await app.call(removeGroupDevice, { params }, { token })).body).toEqual({
    data: { deviceId: two.deviceId, groupId: bound.id, removed: true },
  })
  expect(statusAndError(await app.call(removeGroupDevice, { params }, { token }))).toEqual([
    404,
    'Device is not a member of this group',
  ])
  await app.call(updateDevice, { params: { id: one.deviceId }, body: { siteId: branch.id } }, { token })
  expect(await namesIn(app, token, bound.id)).toEqual([])
  expect(await namesIn(app, token, open.id)).toEqual(['pc-1', 'srv-1'])
  const detail = await app.call(readDevice, { params: { id: one.deviceId } }, { token })
  expect(detail.body.groups).toMatchObject([{ groupId: open.id, groupName: 'Open', groupType: 'static' }])
  const moved = await app.call(updateDeviceGroup, { params: { id: open.id }, body: { siteId: site.id } }, { token })
  expect(moved.body.data.deviceCount).toBe(0)
  const again = await groupOf(scene, { deviceIds: [one.deviceId] })
  await app.call(decommissionDevice, { params: { id: one.deviceId } }, { token })
  await app.call(deleteDevicePermanently, { params: { id: one.deviceId } }, { token })
  expect((await app.call(readDeviceGroup, { params: { id: again.id } }, { token })).body.data.deviceCount).toBe(0)
})

test('a group cannot become its own ancestor', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { token } = scene.admin
  const top = await groupOf(scene)
  const middle = await groupOf(scene, { parentId: top.id })
  const bottom = await groupOf(scene, { parentId: middle.id })
  const under = (id: string, parentId: string) =>
    app.call(updateDeviceGroup, { params: { id }, body: { parentId } }, { token }).then(statusAndError)
  expect(await under(top.id, top.id)).toEqual([400, 'Group cannot be its own parent'])
  expect(await under(top.id, middle.id)).toEqual([400, 'Parent group must not be a descendant'])
  expect(await under(top.id, bottom.id)).toEqual([400, 'Parent group must not be a descendant'])
  expect(await under(top.id, randomUUID())).toEqual([400, 'Parent group not found'])
  expect(await under(bottom.id, top.id)).toEqual([200, undefined])
  const elsewhere = await organizationOf(app, token, 'Paris')
  const foreign = await groupOf(scene, { orgId: elsewhere.id })
  expect(await under(top.id, foreign.id)).toEqual([400, 'Parent group must belong to the same organization'])
})

test('the organization of a new group is taken from the body, the query or the only organization there is', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, org, site } = scene
  const make = async (token: string, body: object = {}, query: object = {}) =>
    app.call(createDeviceGroup, { body: { name: 'G', ...body }, query }, { token })
  expect((await make(admin.token)).body.data.orgId).toBe(org.id)
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  expect(statusAndError(await make(admin.token))).toEqual([
    400,
    'orgId is required when partner has multiple organizations',
  ])
  expect((await make(admin.token, {}, { orgId: sibling.id })).body.data.orgId).toBe(sibling.id)
  expect(statusAndError(await make(admin.token, { orgId: sibling.id, siteId: site.id }))).toEqual([
    400,
    'Site not found or belongs to different organization',
  ])
  const operator = await person(app, { email: 'op@x.test', scope: 'system' })
  const user = await person(app, { email: 'u@x.test', scope: 'organization', orgId: org.id })
  for (const { id } of [operator, user]) showFactor(app, id)
  expect(statusAndError(await make(operator.token))).toEqual([400, 'orgId is required'])
  expect((await make(user.token)).body.data.orgId).toBe(org.id)
  expect((await make(user.token, { orgId: sibling.id })).status).toBe(403)
})

test('a user confined to a site sees only its groups', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { org, site, branch, one, far } = scene
  const wide = await groupOf(scene, { name: 'Wide' })
  const own = await groupOf(scene, { name: 'Own', siteId: branch.id, deviceIds: [far.deviceId] })
  const other = await groupOf(scene, { name: 'Other', siteId: site.id, deviceIds: [one.deviceId] })
  const { id, token } = await person(app, {
    email: 's@x.test',
    scope: 'organization',
    orgId: org.id,
    siteIds: [branch.id],
  })
  showFactor(app, id)
  const listed = await app.call(listDeviceGroups, {}, { token })
  expect(listed.body.data.map(({ name }) => name)).toEqual(['Own'])
  for (const { id } of [wide, other])
    for (const call of [
      app.call(readDeviceGroup, { params: { id } }, { token }),
      app.call(updateDeviceGroup, { params: { id }, body: { name: 'x' } }, { token }),
      app.call(deleteDeviceGroup, { params: { id } }, { token }),
    ])
      expect(statusAndError(await call)).toEqual([403, 'Access to this site denied'])
  const make = (siteId: string | null) =>
    app.call(createDeviceGroup, { body: { name: 'G', siteId } }, { token }).then(({ status }) => status)
  expect([await make(null), await make(site.id), await make(branch.id)]).toEqual([403, 400, 201])
  const widened = await app.call(updateDeviceGroup, { params: { id: own.id }, body: { siteId: null } }, { token })
  expect(widened.status).toBe(403)
  expect((await app.call(listDeviceGroups, { query: { siteId: site.id } }, { token })).status).toBe(403)
  for (const { id: parentId } of [wide, other]) {
    const below = { params: { id: own.id }, body: { parentId } }
    expect(statusAndError(await app.call(updateDeviceGroup, below, { token }))).toEqual([400, 'Parent group not found'])
  }
})

test('groups of a suspended or frozen organization cannot be changed', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, org, one } = scene
  const { id } = await groupOf(scene)
  for (const [status, code] of [
    ['suspended', 'ORG_NOT_OPERABLE'],
    ['merging', 'ORG_LIFECYCLE_FROZEN'],
    ['archived', 'ORG_LIFECYCLE_FROZEN'],
  ] as const) {
    setOrganization(app, org.id, { status })
    const options = { token: admin.token }
    const body = { deviceIds: [one.deviceId] }
    const answers = [
      await app.call(createDeviceGroup, { body: { orgId: org.id, name: 'G' } }, options),
      await app.call(updateDeviceGroup, { params: { id }, body: { name: 'x' } }, options),
      await app.call(addGroupDevices, { params: { id }, body }, options),
      await app.call(pinGroupDevice, { params: { id, deviceId: one.deviceId } }, options),
      await app.call(deleteDeviceGroup, { params: { id } }, options),
    ]
    expect(answers.map(({ body }) => body.code)).toEqual(Array(5).fill(code))
  }
})

test('deleting the site of a dynamic group does not widen the group to the organization', async () => {
  const scene = await fleet()
  await using app = scene.app
  const empty = await siteOf(app, scene.admin.token, scene.org.id, 'Empty')
  const { id } = await groupOf(scene, { siteId: empty.id, type: 'dynamic', filterConditions: named('pc') })
  app.db.statement('DELETE FROM sites WHERE id = ?').run(empty.id)
  await app.app.jobs.runNow('groups.sweep')
  const { body } = await app.call(readDeviceGroup, { params: { id } }, { token: scene.admin.token })
  expect(body.data).toMatchObject({ siteId: null, type: 'static', deviceCount: 0 })
})

test('devices can be filtered by their groups', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { one, far, admin } = scene
  const first = await groupOf(scene, { deviceIds: [one.deviceId] })
  const second = await groupOf(scene, { deviceIds: [far.deviceId] })
  const listed = async (...ids: string[]) => {
    const query = { groupIds: ids.join(), page: '1' }
    const { body } = await app.call(listDevices, { query }, { token: admin.token })
    return [body.pagination.total, ...body.data.map(({ hostname }) => hostname).sort()]
  }
  expect(await listed(first.id)).toEqual([1, 'pc-1'])
  expect(await listed(first.id, second.id)).toEqual([2, 'pc-1', 'srv-1'])
  await app.call(removeGroupDevice, { params: { id: first.id, deviceId: one.deviceId } }, { token: admin.token })
  expect(await listed(first.id)).toEqual([0])
})
