import { expect, test } from 'vitest'
import { toJson } from '../../server/lib/json.ts'
import { addGroupDevices } from '../../shared/api/device-groups.ts'
import { deviceColumns, exportDevices, listDevices } from '../../shared/api/devices.ts'
import type { BodyOf } from '../../shared/endpoint.ts'
import { allPermissions } from '../../shared/permissions.ts'
import { contents, regrant } from '../contract/stage.ts'
import { holdings, otherCompany, person } from '../helpers/factories.ts'
import { auditOf, setDevice } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { confinedTo, fleet, groupOf } from './group-kit.ts'

/** Devices as a CSV file, and the names of their groups, which stand in it and in the list. */

const fileOf = async (app: TestApp, body: Partial<BodyOf<typeof exportDevices>>, caller: { token: string }) => {
  const answer = await app.call(exportDevices, { body }, caller)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  const [header = '', ...lines] = String(answer.body).trimEnd().split('\n')
  expect(header).toBe(deviceColumns.join(','))
  const column = deviceColumns.indexOf('hostname')
  return { ...answer, lines, hostnames: lines.map((line) => line.slice(1, -1).split('","')[column]) }
}

test('the file has all devices that match the filters, in the order of the list', async () => {
  const { app, admin, org, branch } = await fleet()
  await using _ = app
  const elsewhere = await holdings(app, admin.token, 'Hamburg', 'aa-1')
  const { hostnames, headers } = await fileOf(app, {}, admin)
  expect(hostnames).toEqual(['aa-1', 'pc-1', 'pc-2', 'srv-1'])
  expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(headers['content-disposition']).toBe('attachment; filename="devices.csv"')
  expect(headers['cache-control']).toBe('no-store')
  const wanted = async (body: Partial<BodyOf<typeof exportDevices>>) => (await fileOf(app, body, admin)).hostnames
  expect(await wanted({ sortDir: 'desc', filters: { orgId: org.id } })).toEqual(['srv-1', 'pc-2', 'pc-1'])
  expect(await wanted({ filters: { siteId: branch.id } })).toEqual(['srv-1'])
  expect(await wanted({ filters: { search: 'PC-' } })).toEqual(['pc-1', 'pc-2'])
  setDevice(app, elsewhere.device.deviceId, { status: 'decommissioned' })
  expect(await wanted({})).not.toContain('aa-1')
  expect(await wanted({ filters: { status: 'decommissioned' } })).toEqual(['aa-1'])
})

test('more devices than are sorted at once come whole and in order', async () => {
  const { app, admin, one } = await fleet()
  await using _ = app
  app.db
    .statement(
      `INSERT INTO devices (id, org_id, site_id, agent_id, hostname, os_type, status, created_at, updated_at)
       SELECT substr(devices.id, 1, 24) || printf('%012d', value), org_id, site_id, 'agent-' || value,
              printf('bulk-%05d', (value * 7919) % 2500), os_type, 'offline', created_at, updated_at
       FROM devices, json_each(?) WHERE devices.id = ?`,
    )
    .run(JSON.stringify(Array.from({ length: 2500 }, (_, n) => n)), one.deviceId)
  const { hostnames } = await fileOf(app, {}, admin)
  expect(hostnames).toHaveLength(2503)
  expect(hostnames).toEqual(hostnames.toSorted())
  expect(new Set(hostnames).size).toBe(2503)
})

test('of selected devices the file has those in reach, and the event says which were asked for', async () => {
  const { app, admin, one, two, far } = await fleet()
  await using _ = app
  const stranger = await otherCompany(app)
  const deviceIds = [far, one, stranger.device].map(({ deviceId }) => deviceId)
  expect((await fileOf(app, { deviceIds }, admin)).hostnames).toEqual(['pc-1', 'srv-1'])
  expect(auditOf(app, 'devices.export')).toMatchObject([
    { actor_id: admin.userId, resource_type: 'device', details: { devices: 3, deviceIds } },
  ])
  expect((await fileOf(app, { deviceIds: [two.deviceId] }, admin)).hostnames).toEqual(['pc-2'])
  const before = await contents(app)
  const foreign = await app.call(exportDevices, { body: { deviceIds: [stranger.device.deviceId] } }, admin)
  expect([foreign.status, foreign.body]).toMatchObject([404, { code: 'device_not_found' }])
  const filtered = await app.call(exportDevices, { body: { filters: { orgId: stranger.org.id } } }, admin)
  expect(filtered.status).toBe(403)
  expect(await contents(app)).toEqual(before)
  const both = { deviceIds: [two.deviceId], filters: { orgId: stranger.org.id } }
  expect((await fileOf(app, both, admin)).hostnames).toEqual(['pc-2'])
  expect(auditOf(app, 'devices.export').map(({ org_id }) => org_id)).not.toContain(stranger.org.id)
})

test('somebody confined to a site gets its devices only, and nobody without the permission gets any', async () => {
  const { app, org, branch, one, far } = await fleet()
  await using _ = app
  const role = { name: 'Org Admin', scope: 'organization' }
  regrant(app, role, allPermissions)
  const siteIds = [branch.id]
  const confined = await person(app, { email: 'b@x.test', scope: 'organization', orgId: org.id, siteIds })
  expect((await fileOf(app, {}, confined)).hostnames).toEqual(['srv-1'])
  const deviceIds = [one.deviceId, far.deviceId]
  expect((await fileOf(app, { deviceIds }, confined)).hostnames).toEqual(['srv-1'])
  expect(auditOf(app, 'devices.export')).toMatchObject([{ org_id: org.id }, { org_id: org.id }])
  regrant(app, role, ['sites:read'])
  const before = await contents(app)
  expect((await app.call(exportDevices, { body: {} }, confined)).status).toBe(403)
  expect(await contents(app)).toEqual(before)
})

test('a text that a spreadsheet would run is marked', async () => {
  const { app, admin, one } = await fleet()
  await using _ = app
  setDevice(app, one.deviceId, { display_name: '=HYPERLINK("http://evil.test")', tags: toJson(['+1', 'a']) })
  const { lines } = await fileOf(app, { deviceIds: [one.deviceId] }, admin)
  expect(lines[0]).toContain(`"'=HYPERLINK(""http://evil.test"")"`)
  expect(lines[0]).toContain(`"'+1, a"`)
})

test('exports of one user are limited', async () => {
  await using app = await testApp({ env: { HOMEPORT_LIMIT_DEVICE_EXPORT: '1/60' } })
  const { admin } = await otherCompany(app)
  await fileOf(app, {}, admin)
  expect((await app.call(exportDevices, { body: {} }, admin)).status).toBe(429)
})

test('the list and the file name the groups of a device, as far as the reader may see them', async () => {
  const stage = await fleet()
  const { app, admin, org, one, two } = stage
  await using _ = app
  const both = await groupOf(stage, { name: 'b team', deviceIds: [one.deviceId, two.deviceId] })
  await groupOf(stage, { name: 'A team', deviceIds: [one.deviceId] })
  const groupsBy = async (caller: { token: string }) => {
    const { body } = await app.call(listDevices, { query: { sort: 'hostname' } }, caller)
    return Object.fromEntries(body.data.map(({ hostname, groupNames }) => [hostname, groupNames]))
  }
  expect(await groupsBy(admin)).toEqual({ 'pc-1': ['A team', 'b team'], 'pc-2': ['b team'], 'srv-1': [] })
  const { lines } = await fileOf(app, { filters: { orgId: org.id } }, admin)
  expect(lines.map((line) => line.includes('"A team, b team"'))).toEqual([true, false, false])
  const confined = await confinedTo(stage, [both.id])
  expect(await groupsBy(confined)).toEqual({ 'pc-1': ['b team'], 'pc-2': ['b team'] })
  await app.call(addGroupDevices, { params: { id: both.id }, body: { deviceIds: [stage.far.deviceId] } }, admin)
  expect((await groupsBy(admin))['srv-1']).toEqual(['b team'])
})
