import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { Database } from '../../server/db/database.ts'
import { migrations } from '../../server/db/migrations/index.ts'
import { q } from '../../server/db/query.ts'
import { devicePresence } from '../../shared/api/device-presence.ts'
import {
  type DeviceStatus,
  decommissionDevice,
  deleteDevicePermanently,
  setDeviceMaintenance,
} from '../../shared/api/devices.ts'
import { apiKeyOf, holdings, otherCompany, type Person, person } from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { setDevice } from '../helpers/rows.ts'
import { sessionOf } from '../helpers/sessions.ts'
import type { CallOptions, TestApp } from '../helpers/test-app.ts'
import { withKey } from './api-key-kit.ts'
import { confinedTo, fleet, groupOf } from './group-kit.ts'

/** When devices were online, offline and in maintenance. */

const minute = 60_000
const hour = 60 * minute
const nowOf = (app: TestApp) => new Date(app.clock.now()).toISOString()

const recorded = (app: TestApp, deviceId: string) =>
  app.db.all(q.selectFrom('device_presence').select(['at', 'status']).where('device_id', '=', deviceId).orderBy('at'))
const read = async (app: TestApp, deviceIds: string[], caller: CallOptions) => {
  const { status, body } = await app.call(devicePresence, { query: { deviceIds: deviceIds.join() } }, caller)
  if (status !== 200) throw new Error(`presence: ${status} ${JSON.stringify(body)}`)
  return body
}
const namedIn = async (app: TestApp, deviceIds: string[], caller: CallOptions) =>
  (await read(app, deviceIds, caller)).data.map(({ deviceId }) => deviceId).toSorted()
const changesOf = async (app: TestApp, deviceId: string, caller: CallOptions) =>
  (await read(app, [deviceId], caller)).data[0]?.changes

/** Who signed in yesterday signs in anew. */
const signedIn = async (app: TestApp, { userId }: { userId: string }) => ({ token: await sessionOf(app, userId) })

/** The device has this status from now on. */
const becomes = (app: TestApp, id: string, status: DeviceStatus) =>
  setDevice(app, id, { status, updated_at: nowOf(app) })

test('each change of the status is recorded with its time, and a heartbeat that changes nothing is not', async () => {
  const { app, admin, one } = await fleet()
  await using _ = app
  const device = fakeDevice(app, one)
  const enrolledAt = nowOf(app)
  app.clock.advance(minute)
  await device.beat()
  await app.app.telemetry.flush()
  expect(recorded(app, one.deviceId)).toEqual([{ at: enrolledAt, status: 'online' }])
  app.clock.advance(hour)
  await app.app.jobs.runNow('devices.mark-silent')
  const leftAt = nowOf(app)
  app.clock.advance(hour)
  await device.beat()
  const backAt = nowOf(app)
  app.clock.advance(minute)
  const caller = await signedIn(app, admin)
  const maintain = () =>
    app.call(setDeviceMaintenance, { params: { id: one.deviceId }, body: { enable: true } }, caller)
  expect((await maintain()).status).toBe(200)
  const maintainedAt = nowOf(app)
  app.clock.advance(minute)
  expect((await maintain()).status).toBe(200)
  const all = [
    { at: enrolledAt, status: 'online' },
    { at: leftAt, status: 'offline' },
    { at: backAt, status: 'online' },
    { at: maintainedAt, status: 'maintenance' },
  ]
  expect(recorded(app, one.deviceId)).toEqual(all)
  expect(await read(app, [one.deviceId], caller)).toEqual({
    since: new Date(app.clock.now() - 24 * hour).toISOString(),
    until: nowOf(app),
    data: [{ deviceId: one.deviceId, changes: all }],
  })
})

test('a change that is refused or undone records nothing', async () => {
  const { app, admin, one } = await fleet()
  await using _ = app
  becomes(app, one.deviceId, 'quarantined')
  const before = recorded(app, one.deviceId)
  app.clock.advance(minute)
  const body = { enable: true }
  expect((await app.call(setDeviceMaintenance, { params: { id: one.deviceId }, body }, admin)).status).toBe(400)
  const undone = () =>
    app.db.transaction(() => {
      becomes(app, one.deviceId, 'offline')
      throw new Error('undone')
    })
  expect(undone).toThrow('undone')
  expect(recorded(app, one.deviceId)).toEqual(before)
})

test('only the last 24 hours are told, and what was at their beginning', async () => {
  const { app, admin, one, two } = await fleet()
  await using _ = app
  app.clock.advance(hour)
  becomes(app, one.deviceId, 'offline')
  app.clock.advance(30 * hour)
  becomes(app, one.deviceId, 'online')
  const backAt = nowOf(app)
  app.clock.advance(hour)
  const since = new Date(app.clock.now() - 24 * hour).toISOString()
  const caller = await signedIn(app, admin)
  expect(await changesOf(app, one.deviceId, caller)).toEqual([
    { at: since, status: 'offline' },
    { at: backAt, status: 'online' },
  ])
  expect(await changesOf(app, two.deviceId, caller)).toEqual([{ at: since, status: 'online' }])
})

test('of a device that comes and goes all day, its status every ten minutes is told', async () => {
  const { app, admin, one } = await fleet()
  await using _ = app
  for (let minutes = 0; minutes < 24 * 60; minutes++) {
    app.clock.advance(minute)
    becomes(app, one.deviceId, minutes % 3 ? 'online' : 'offline')
  }
  expect(recorded(app, one.deviceId).length).toBeGreaterThan(900)
  const changes = await changesOf(app, one.deviceId, await signedIn(app, admin))
  expect(changes?.length).toBeGreaterThan(140)
  expect(changes?.length).toBeLessThanOrEqual(146)
  expect(new Set(changes?.map(({ status }) => status))).toEqual(new Set(['online', 'offline']))
})

test('what a clock that is set back makes a thing of the future is dropped with the next change', async () => {
  const { app, one } = await fleet()
  await using _ = app
  app.clock.jump(hour)
  becomes(app, one.deviceId, 'offline')
  app.clock.jump(-hour / 2)
  becomes(app, one.deviceId, 'online')
  expect(recorded(app, one.deviceId).at(-1)).toEqual({ at: nowOf(app), status: 'online' })
})

test('the job deletes what is older than a day, but not the last change before it', async () => {
  const { app, one, two } = await fleet()
  await using _ = app
  for (const status of ['offline', 'online', 'offline', 'online', 'offline'] as const) {
    app.clock.advance(10 * hour)
    becomes(app, one.deviceId, status)
  }
  const [before, ...within] = recorded(app, one.deviceId).slice(-4)
  app.clock.advance(hour)
  const ofTwo = recorded(app, two.deviceId)
  await app.app.jobs.runNow('devices.prune-presence')
  expect(recorded(app, one.deviceId)).toEqual([before, ...within])
  expect(Date.parse(before?.at ?? '')).toBeLessThan(app.clock.now() - 24 * hour)
  expect(recorded(app, two.deviceId), 'a single change stays, however old').toEqual(ofTwo)
})

test('nothing is told of devices out of reach, nor that they exist', async () => {
  const scene = await fleet()
  const { app, admin, org, site, one, two, far } = scene
  await using _ = app
  const elsewhere = await holdings(app, admin.token, 'Hamburg', 'pc-9')
  const foreign = await otherCompany(app)
  const all = [one, two, far, elsewhere.device, foreign.device].map(({ deviceId }) => deviceId)
  const asked = [...all, randomUUID()]
  const named = (...devices: { deviceId: string }[]) => devices.map(({ deviceId }) => deviceId).toSorted()
  expect(await namedIn(app, asked, admin)).toEqual(named(one, two, far, elsewhere.device))
  expect(await namedIn(app, asked, { token: foreign.admin.token })).toEqual(named(foreign.device))
  const limited: Person = { email: 'site@x.test', scope: 'organization', orgId: org.id, siteIds: [site.id] }
  expect(await namedIn(app, asked, await person(app, limited))).toEqual(named(one, two))
  const group = await groupOf(scene, { deviceIds: [two.deviceId] })
  expect(await namedIn(app, asked, await confinedTo(scene, [group.id]))).toEqual(named(two))
  const { key } = await apiKeyOf(app, admin.token, org.id)
  expect(await namedIn(app, asked, withKey(key))).toEqual(named(one, two, far))
  const program = await apiKeyOf(app, admin.token, org.id, ['devices:write'])
  const refused = await app.call(devicePresence, { query: { deviceIds: one.deviceId } }, withKey(program.key))
  expect([refused.status, refused.body.data]).toEqual([403, undefined])
})

test('more than 100 devices, and ids that are none, are refused', async () => {
  const { app, admin } = await fleet()
  await using _ = app
  const many = Array.from({ length: 101 }, () => randomUUID())
  for (const deviceIds of [many.join(), 'pc-1'])
    expect((await app.call(devicePresence, { query: { deviceIds } }, admin)).status).toBe(400)
  expect((await read(app, many.slice(1), admin)).data).toEqual([])
})

test('nothing is left of a device that is deleted', async () => {
  const { app, admin, one, two } = await fleet()
  await using _ = app
  const params = { id: one.deviceId }
  app.clock.advance(minute)
  expect((await app.call(decommissionDevice, { params }, admin)).status).toBe(200)
  expect(recorded(app, one.deviceId).at(-1)?.status).toBe('decommissioned')
  expect((await app.call(deleteDevicePermanently, { params }, admin)).status).toBe(200)
  expect(recorded(app, one.deviceId)).toEqual([])
  expect(recorded(app, two.deviceId)).toHaveLength(1)
})

test('devices from before the migration begin with the status they have then', () => {
  const db = new Database({ file: ':memory:' })
  onTestFinished(() => db.close())
  db.migrate(migrations.filter(({ name }) => name < '015'))
  const [partnerId, orgId] = [randomUUID(), randomUUID()]
  const at = '2026-01-01T00:00:00.000Z'
  db.statement(`INSERT INTO partners (id, name, slug, created_at, updated_at) VALUES (?, 'P', 'p', ?, ?)`).run(
    partnerId,
    at,
    at,
  )
  db.statement(
    `INSERT INTO organizations (id, partner_id, name, slug, created_at, updated_at) VALUES (?, ?, 'O', 'o', ?, ?)`,
  ).run(orgId, partnerId, at, at)
  db.statement(`INSERT INTO sites (id, org_id, name, created_at, updated_at) VALUES ('s', ?, 'S', ?, ?)`).run(
    orgId,
    at,
    at,
  )
  const device = db.statement(
    `INSERT INTO devices (id, org_id, site_id, agent_id, hostname, os_type, status, created_at, updated_at)
     VALUES (@id, @orgId, 's', @id, @id, 'linux', @status, @at, @at)`,
  )
  for (const [id, status] of [
    ['a', 'online'],
    ['b', 'offline'],
  ])
    device.run({ id, orgId, status, at })
  const before = new Date().toISOString()
  db.migrate()
  const rows = db.all(q.selectFrom('device_presence').selectAll().orderBy('device_id'))
  expect(rows).toMatchObject([
    { device_id: 'a', status: 'online' },
    { device_id: 'b', status: 'offline' },
  ])
  for (const row of rows) expect(row.at >= before && row.at <= new Date().toISOString(), row.at).toBe(true)
})
