import { expect, onTestFinished, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import {
  deviceHardware,
  deviceMetrics,
  deviceStats,
  readDevice,
  restoreDevice,
  setDeviceMaintenance,
  updateDevice,
} from '../../shared/api/devices.ts'
import { readHome } from '../../shared/api/home.ts'
import { search } from '../../shared/api/search.ts'
import { commander } from '../helpers/commands.ts'
import { eventually } from '../helpers/eventually.ts'
import { person } from '../helpers/factories.ts'
import { connect, fakeDevice, listening } from '../helpers/fake-device.ts'
import { liveStream } from '../helpers/live-stream.ts'
import { auditOf, deviceRowOf, setDevice } from '../helpers/rows.ts'
import { groupOf, named, namesIn } from './group-kit.ts'
import { moveScene } from './move-kit.ts'

/** Moving devices to another organization: what comes along and what does not. */

test('a moved device keeps its record and history, and its agent goes on with the same token', async () => {
  const { app, admin, org, one, hamburg, move } = await moveScene()
  await using _ = app
  const { token } = admin
  const params = { id: one.deviceId }
  const kept = { displayName: 'Till 1', tags: ['pos'], customFields: { shelf: '7' }, deviceRole: 'server' as const }
  await app.call(updateDevice, { params, body: kept }, { token })
  const agent = fakeDevice(app, one)
  const metrics = { cpuPercent: 42, ramPercent: 50, ramUsedMb: 100, diskPercent: 95, diskUsedGb: 9 }
  await agent.beat({ metrics, lastUser: 'jörg' })
  await app.app.telemetry.flush()
  await app.call(setDeviceMaintenance, { params, body: { enable: true } }, { token })
  const before = (await app.call(readDevice, { params }, { token })).body
  const pastEvents = auditOf(app, 'device.update')

  const { status, body } = await move(one.deviceId)

  expect(status).toBe(200)
  const place = { orgId: hamburg.org.id, orgName: 'Hamburg', siteId: hamburg.site.id, siteName: 'HQ' }
  expect(body.device).toMatchObject({ ...kept, ...place, status: 'maintenance' })
  const after = (await app.call(readDevice, { params }, { token })).body
  expect(after).toEqual({ ...before, ...place, updatedAt: after.updatedAt })
  expect(after.recentMetrics).toMatchObject([{ cpu: 42 }])
  expect((await agent.beat({ metrics: { ...metrics, cpuPercent: 43 } })).status).toBe(200)
  app.clock.advance(60_000)
  expect((await agent.beat({ metrics: { ...metrics, cpuPercent: 44 } })).status).toBe(200)
  await app.app.telemetry.flush()
  const series = await app.call(deviceMetrics, { params, query: { range: '1h' } }, { token })
  expect(series.body.data.length).toBeGreaterThan(0)
  expect(deviceRowOf(app, one.deviceId)).toMatchObject({ org_id: hamburg.org.id, cpu_percent: 44 })
  expect(auditOf(app, 'device.update'), 'events of the past stay').toEqual(pastEvents)
  expect(pastEvents.map(({ org_id }) => org_id)).toEqual([org.id])
})

test('counts, Home and search know at once where it is', async () => {
  const { app, admin, org, one, hamburg, move } = await moveScene()
  await using _ = app
  const { token } = admin
  setDevice(app, one.deviceId, { disk_percent: 95 })
  const known = async (orgId: string) => {
    const [{ body: stats }, { body: home }] = await Promise.all([
      app.call(deviceStats, { query: { orgId } }, { token }),
      app.call(readHome, { query: { orgId } }, { token }),
    ])
    return [stats.data.total, home.devices.total, home.attention.map(({ reason }) => reason)]
  }
  const found = async () => {
    const { body } = await app.call(search, { query: { q: 'pc-1' } }, { token })
    return body.devices.map(({ orgName }) => orgName)
  }
  expect([await known(org.id), await known(hamburg.org.id), await found()]).toEqual([
    [3, 3, ['disk_full']],
    [1, 1, []],
    ['Berlin'],
  ])
  await move(one.deviceId)
  expect([await known(org.id), await known(hamburg.org.id), await found()]).toEqual([
    [2, 2, []],
    [2, 2, ['disk_full']],
    ['Hamburg'],
  ])
  const counts = app.db.all(q.selectFrom('organizations').select(['name', 'device_count']).orderBy('name'))
  expect(counts).toEqual([
    { name: 'Berlin', device_count: 2 },
    { name: 'Hamburg', device_count: 2 },
  ])
})

test('it leaves the groups of its former organization and enters those of the new one whose rule it fits', async () => {
  const scene = await moveScene()
  await using app = scene.app
  const { admin, one, two, hamburg, move } = scene
  const { token } = admin
  const tills = await groupOf(scene, { name: 'Tills', deviceIds: [one.deviceId, two.deviceId] })
  const ruled = await groupOf(scene, { name: 'PCs', type: 'dynamic', filterConditions: named('pc') })
  const theirs = await groupOf(
    { ...scene, org: hamburg.org },
    { orgId: hamburg.org.id, type: 'dynamic', filterConditions: named('pc') },
  )
  expect(await namesIn(app, token, ruled.id)).toEqual(['pc-1', 'pc-2'])

  await move(one.deviceId)

  await eventually(async () => expect(await namesIn(app, token, theirs.id)).toEqual(['pc-1']))
  expect(await namesIn(app, token, tills.id)).toEqual(['pc-2'])
  expect(await namesIn(app, token, ruled.id)).toEqual(['pc-2'])
  const left = app.db.all(
    q.selectFrom('device_group_log').select(['group_id', 'reason', 'changed_by']).where('action', '=', 'removed'),
  )
  expect(left.toSorted((a, b) => a.reason.localeCompare(b.reason))).toEqual([
    { group_id: ruled.id, reason: 'filter_unmatch', changed_by: null },
    { group_id: tills.id, reason: 'manual', changed_by: null },
  ])
  const groups = (await app.call(readDevice, { params: { id: one.deviceId } }, { token })).body.groups
  expect(groups.map(({ groupId }) => groupId)).toEqual([theirs.id])
})

test('commands that wait are canceled, one that runs is left to its result', async () => {
  const { app, admin, one, two, hamburg, move } = await moveScene()
  await using _ = app
  const { script, queue, read } = commander(app, admin.token)
  const agent = fakeDevice(app, one)
  const running = (await script(one.deviceId)).body.id
  expect((await agent.beat()).body.commands).toMatchObject([{ id: running }])
  const waiting = (await queue(one.deviceId)).body.id
  const ofAnother = (await queue(two.deviceId)).body.id

  await move(one.deviceId)

  expect(await read(one.deviceId, waiting)).toMatchObject({
    status: 'cancelled',
    result: { reason: 'device_moved', error: 'Canceled because the device was moved to another organization' },
  })
  expect((await read(two.deviceId, ofAnother)).status).toBe('pending')
  expect((await agent.beat()).body.commands).toEqual([])
  expect((await read(one.deviceId, running)).status).toBe('sent')
  expect((await agent.finish(running, { status: 'completed', exitCode: 0, stdout: 'done' })).status).toBe(200)
  expect(await read(one.deviceId, running)).toMatchObject({ status: 'completed', result: { stdout: 'done' } })
  const next = (await queue(one.deviceId)).body.id
  expect((await agent.beat()).body.commands).toMatchObject([{ id: next }])
  expect(auditOf(app, 'agent.command.reboot').at(-1)).toMatchObject({ org_id: hamburg.org.id })
})

test('both logs tell of it, and neither names the other organization', async () => {
  const { app, org, one, hamburg, move } = await moveScene()
  await using _ = app
  await move(one.deviceId)
  expect([...auditOf(app, 'device.move.out'), ...auditOf(app, 'device.move.in')]).toMatchObject([
    {
      org_id: org.id,
      resource_id: one.deviceId,
      resource_name: 'pc-1',
      result: 'success',
      details: { siteName: 'HQ', toOrgId: hamburg.org.id },
    },
    { org_id: hamburg.org.id, resource_id: one.deviceId, details: { siteName: 'HQ', fromOrgId: org.id } },
  ])
  const texts = app.db
    .statement<string>(`SELECT details FROM audit_logs WHERE action LIKE 'device.move%'`)
    .pluck()
    .all()
  expect(texts.join()).not.toMatch(/Berlin|Hamburg/)
})

test('its socket is closed with 4040, and another one opens with the same token', async () => {
  const { app, admin, one, move } = await moveScene()
  await using _ = app
  const origin = await listening(app)
  const socket = await connect(origin, one)
  await move(one.deviceId)
  expect(await socket.closed).toBe(4040)
  const again = await connect(origin, one)
  const { body } = await app.call(readDevice, { params: { id: one.deviceId } }, { token: admin.token })
  expect(body).toMatchObject({ status: 'online', isConnected: true, orgName: 'Hamburg' })
  await again.close()
})

test('people of the former organization lose sight of it at once, those of the new one see it', async () => {
  const { app, admin, org, one, hamburg, move } = await moveScene()
  await using _ = app
  const origin = await listening(app)
  const member = (email: string, orgId: string) => person(app, { email, scope: 'organization', orgId })
  const [berliner, hamburger] = [await member('b@x.test', org.id), await member('h@x.test', hamburg.org.id)]
  const streams = await Promise.all([berliner, hamburger, admin].map(({ token }) => liveStream(origin, token)))
  onTestFinished(() => {
    for (const stream of streams) stream[Symbol.dispose]()
  })
  const [left, entered, both] = streams
  const ofDevice = (type: string) => (event: object) => 'type' in event && event.type === type

  await move(one.deviceId)

  expect(await left?.event(ofDevice('device.removed'))).toMatchObject({ deviceId: one.deviceId, orgId: org.id })
  expect(await entered?.event(ofDevice('device.changed'))).toMatchObject({ orgId: hamburg.org.id })
  await both?.event(({ type, ...rest }) => type === 'organization.changed' && 'orgId' in rest && rest.orgId === org.id)
  expect(JSON.stringify(left?.events)).not.toContain(hamburg.org.id)
  expect(JSON.stringify(entered?.events)).not.toContain(org.id)
  expect(both?.events.filter(({ type }) => type === 'device.removed')).toEqual([])
  const seenBy = async ({ token }: { token: string }) =>
    (await app.call(deviceHardware, { params: { id: one.deviceId } }, { token })).status
  expect([await seenBy(berliner), await seenBy(hamburger)]).toEqual([404, 200])
})

test('a decommissioned device takes no room, and restoring it needs some', async () => {
  const { app, admin, one, hamburg, move } = await moveScene()
  await using _ = app
  const params = { id: one.deviceId }
  setDevice(app, one.deviceId, { status: 'decommissioned' })
  app.db.run(q.updateTable('organizations').set({ max_devices: 1 }).where('id', '=', hamburg.org.id))
  expect((await move(one.deviceId)).status).toBe(200)
  expect((await app.call(restoreDevice, { params }, { token: admin.token })).body.code).toBe('DEVICE_LIMIT_REACHED')
})

test('the limit of the company refuses no move within it', async () => {
  const { app, one, move } = await moveScene()
  await using _ = app
  app.db.run(q.updateTable('partners').set({ plan: 'pro', max_devices: 4 }))
  expect((await move(one.deviceId)).status).toBe(200)
})

test('tokens that the former organization had suspended work again', async () => {
  const { app, one, move } = await moveScene()
  await using _ = app
  const suspended = { agent_token_suspended_at: '2026-01-01T00:00:00.000Z' }
  setDevice(app, one.deviceId, { ...suspended, agent_token_suspended_reason: 'tenant_suspended' })
  expect((await fakeDevice(app, one).beat()).status).toBe(401)
  await move(one.deviceId)
  expect((await fakeDevice(app, one).beat()).status).toBe(200)
})
