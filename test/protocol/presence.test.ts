import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { deviceStats, setDeviceMaintenance } from '../../shared/api/devices.ts'
import type { LiveEvent } from '../../shared/api/events.ts'
import { company, enrolledDevice, organizationOf, otherCompany, person, siteOf } from '../helpers/factories.ts'
import { fakeDevice, listening } from '../helpers/fake-device.ts'
import { liveStream } from '../helpers/live-stream.ts'
import { auditOf, deviceRowOf, setDevice } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** When a device counts as online. */

const minute = 60_000
const hour = 60 * minute

async function scene(app: TestApp, devices = 1) {
  const made = await company(app)
  const all = [fakeDevice(app, made.device)]
  while (all.length < devices)
    all.push(fakeDevice(app, await enrolledDevice(app, made.key.key, `pc-${all.length + 1}`)))
  const [device] = all as [(typeof all)[number]]
  return {
    ...made,
    device,
    devices: all,
    detect: () => app.app.jobs.runNow('devices.mark-silent'),
    reap: () => app.app.jobs.runNow('devices.reap-uninstalled'),
    saved: () => app.app.telemetry.flush(),
    status: ({ deviceId } = device) => deviceRowOf(app, deviceId)?.status,
  }
}

/** For the tests that look at one device only. */
const shared = testApp().then(async (app) => ({ app, ...(await scene(app)) }))
afterAll(async () => (await shared).app[Symbol.asyncDispose]())

test('five minutes of silence turn a device offline, and the next heartbeat brings it back', async () => {
  await using app = await testApp()
  const { device, status, detect, saved } = await scene(app)
  await device.beat()
  await saved()
  app.clock.advance(5 * minute)
  await detect()
  expect(status(), 'older than five minutes, not five').toBe('online')
  app.clock.advance(1)
  await detect()
  expect(status()).toBe('offline')
  const lastSeen = deviceRowOf(app, device.deviceId)?.last_seen_at
  await detect()
  app.clock.advance(hour)
  await device.beat()
  await saved()
  expect(status()).toBe('online')
  expect(deviceRowOf(app, device.deviceId)?.last_seen_at).not.toBe(lastSeen)
  await device.beat()
  expect(auditOf(app, 'agent.heartbeat.state_change').map(({ details }) => details)).toEqual([
    { from: 'online', to: 'offline', cause: 'silent' },
    { from: 'offline', to: 'online' },
  ])
})

test('an enrolled device that never beats turns offline too', async () => {
  await using app = await testApp()
  const { status, detect } = await scene(app)
  app.clock.advance(5 * minute + 1)
  await detect()
  expect(status()).toBe('offline')
})

test('a last contact in the future, from before the clock was set back, does not keep a device online', async () => {
  await using app = await testApp()
  const { device, status, detect } = await scene(app)
  const ahead = (ms: number) =>
    setDevice(app, device.deviceId, { last_seen_at: new Date(app.clock.now() + ms).toISOString() })
  app.clock.advance(2 * minute)
  ahead(5 * minute)
  await detect()
  expect(status(), 'clocks differ a little').toBe('online')
  ahead(hour)
  await detect()
  expect(status()).toBe('offline')
})

test('after a pause of the appliance itself, devices have 90 seconds to come back', async () => {
  await using app = await testApp()
  const { device, status, detect } = await scene(app)
  setDevice(app, device.deviceId, { last_seen_at: new Date(app.clock.now() - hour).toISOString() })
  app.clock.advance(90_000)
  await detect()
  expect(status()).toBe('online')
  app.clock.advance(1)
  await detect()
  expect(status()).toBe('offline')
})

test('uploads do not keep a device online', async () => {
  await using app = await testApp()
  const { device, status, detect } = await scene(app)
  await device.beat()
  app.clock.advance(4 * minute)
  expect((await device.request('PUT', 'hardware', {})).status).toBe(200)
  expect((await device.request('GET', 'commands')).status).toBe(200)
  app.clock.advance(minute + 1)
  await detect()
  expect(status()).toBe('offline')
})

test('heartbeats that are not saved yet keep a device online', async () => {
  await using app = await testApp()
  const { device, status, detect } = await scene(app)
  app.clock.advance(10 * minute)
  await device.beat()
  await detect()
  expect(status()).toBe('online')
})

test('a long heartbeat interval raises the offline threshold to two intervals and 30 seconds', async () => {
  await using app = await testApp({ env: { HOMEPORT_HEARTBEAT_SECONDS: '300' } })
  const { device, status, detect, saved } = await scene(app)
  await device.beat()
  await saved()
  app.clock.advance(630_000)
  await detect()
  expect(status()).toBe('online')
  app.clock.advance(1)
  await detect()
  expect(status()).toBe('offline')
})

test.each(['pending', 'offline', 'updating', 'online'] as const)(
  'a heartbeat makes a %s device online',
  async (from) => {
    const { app, key, status } = await shared
    const device = fakeDevice(app, await enrolledDevice(app, key.key, from))
    setDevice(app, device.deviceId, { status: from })
    await device.beat()
    expect(status(device)).toBe('online')
  },
)

test.each(['decommissioned', 'quarantined', 'maintenance'] as const)('a heartbeat keeps a device %s', async (from) => {
  const { app, key, status, detect, saved } = await shared
  const device = fakeDevice(app, await enrolledDevice(app, key.key, from))
  setDevice(app, device.deviceId, { status: from })
  await device.beat()
  await saved()
  expect(status(device)).toBe(from)
  app.clock.advance(hour)
  await detect()
  expect(status(device), 'and silence does too').toBe(from)
})

test('when the clock jumps forward, devices that send heartbeats stay online', async () => {
  await using app = await testApp()
  const { devices, detect, saved, status } = await scene(app, 3)
  const [first, second, silent] = devices as [(typeof devices)[0], (typeof devices)[0], (typeof devices)[0]]
  for (const device of devices) await device.beat()
  await saved()
  app.clock.advance(minute)
  app.clock.jump(hour)
  await detect()
  expect(devices.map((device) => status(device))).toEqual(['online', 'online', 'online'])
  await first.beat()
  await second.beat()
  app.clock.advance(4 * minute + 1)
  await detect()
  expect(
    devices.map((device) => status(device)),
    'real silence is still silence',
  ).toEqual(['online', 'online', 'offline'])
  await silent.beat()
  expect(status(silent)).toBe('online')
})

test.each([hour, 2 * minute])('when the clock jumps back by %i ms, silent devices still turn offline', async (back) => {
  await using app = await testApp()
  const { devices, detect, saved, status } = await scene(app, 2)
  const [alive, silent] = devices as [(typeof devices)[0], (typeof devices)[0]]
  for (const device of devices) await device.beat()
  await saved()
  app.clock.jump(-back)
  await detect()
  expect(devices.map((device) => status(device))).toEqual(['online', 'online'])
  for (let n = 0; n < 6; n++) {
    app.clock.advance(minute)
    await alive.beat()
    await saved()
  }
  await detect()
  expect([status(alive), status(silent)]).toEqual(['online', 'offline'])
})

test('after a maintenance window a device is online if it was heard, and offline if not', async () => {
  await using app = await testApp()
  const { admin, devices, status } = await scene(app, 2)
  const [here, gone] = devices as [(typeof devices)[0], (typeof devices)[0]]
  for (const { deviceId } of devices)
    await app.call(
      setDeviceMaintenance,
      { params: { id: deviceId }, body: { enable: true, durationHours: 1 } },
      { token: admin.token },
    )
  expect(devices.map((device) => status(device))).toEqual(['maintenance', 'maintenance'])
  app.clock.advance(hour - 1)
  await here.beat()
  await app.app.jobs.runNow('devices.end-maintenance')
  expect(status(here)).toBe('maintenance')
  app.clock.advance(1)
  await app.app.jobs.runNow('devices.end-maintenance')
  expect([status(here), status(gone)]).toEqual(['online', 'offline'])
})

test('a device that announced its removal is decommissioned a day later', async () => {
  await using app = await testApp()
  const { device, status, reap, saved } = await scene(app)
  await device.beat()
  await saved()
  app.clock.advance(minute)
  expect((await device.request('POST', 'uninstall-intent')).body).toEqual({ acknowledged: true })
  app.clock.advance(24 * hour)
  await reap()
  expect(status(), 'older than a day').not.toBe('decommissioned')
  app.clock.advance(1)
  await reap()
  expect(status()).toBe('decommissioned')
  expect(auditOf(app, 'device.decommission')).toMatchObject([{ details: { reason: 'uninstall_intent_reaped' } }])
})

test('a heartbeat a minute after an announced removal cancels it', async () => {
  await using app = await testApp()
  const { device, status, reap, saved } = await scene(app)
  await device.request('POST', 'uninstall-intent')
  app.clock.advance(minute)
  await device.beat()
  await saved()
  expect(deviceRowOf(app, device.deviceId)?.uninstall_intent_at).toBeNull()
  app.clock.advance(48 * hour)
  await reap()
  expect(status()).not.toBe('decommissioned')
})

test('a heartbeat at the very time of an announced removal cancels it, too', async () => {
  await using app = await testApp()
  const { device, saved } = await scene(app)
  await device.request('POST', 'uninstall-intent')
  await device.beat()
  await device.beat()
  await saved()
  expect(deviceRowOf(app, device.deviceId)?.uninstall_intent_at).toBeNull()
})

test('a status change is sent at once to live streams that may see the device, and to no others', async () => {
  await using app = await testApp()
  const { admin, org, site, device } = await scene(app)
  const otherSite = await siteOf(app, admin.token, org.id, 'Branch')
  const otherOrg = await organizationOf(app, admin.token, 'Munich')
  const stranger = await otherCompany(app)
  const confined = (email: string, siteIds: string[]) =>
    person(app, { email, scope: 'organization', orgId: org.id, siteIds })
  const seers = [admin.token, (await confined('here@acme.test', [site.id])).token]
  const others = [
    stranger.admin.token,
    (await confined('branch@acme.test', [otherSite.id])).token,
    (await person(app, { email: 'munich@acme.test', scope: 'organization', orgId: otherOrg.id })).token,
  ]
  const origin = await listening(app)
  const open = (tokens: string[]) => Promise.all(tokens.map((token) => liveStream(origin, token)))
  const [seeing, blind] = [await open(seers), await open(others)]
  setDevice(app, device.deviceId, { status: 'offline' })
  await device.beat()
  const about = (event: LiveEvent) => 'deviceId' in event && event.deviceId === device.deviceId
  for (const stream of seeing)
    expect(await stream.event(about)).toEqual({
      type: 'device.status',
      deviceId: device.deviceId,
      orgId: org.id,
      siteId: site.id,
      status: 'online',
      lastSeenAt: new Date(app.clock.now()).toISOString(),
    })
  // Events arrive in order: a stream that got a later event has passed the earlier one.
  const visible = [
    [stranger.org.id, stranger.site.id],
    [org.id, otherSite.id],
    [otherOrg.id, (await siteOf(app, admin.token, otherOrg.id)).id],
  ] as const
  for (const [org_id, site_id] of visible) {
    setDevice(app, device.deviceId, { org_id, site_id, status: 'offline' })
    await device.beat()
  }
  for (const [n, stream] of blind.entries()) {
    const siteId = visible[n]?.[1]
    await stream.event((event) => about(event) && 'siteId' in event && event.siteId === siteId)
    expect(stream.events.filter(about), `stream ${n}`).toHaveLength(1)
  }
  for (const stream of [...seeing, ...blind]) stream[Symbol.dispose]()
})

test('the statistics count every device once, and decommissioned ones apart', async () => {
  await using app = await testApp()
  const { admin, devices } = await scene(app, 4)
  const [, off, held, gone] = devices.map(({ deviceId }) => deviceId) as [string, string, string, string]
  setDevice(app, off, { status: 'offline' })
  setDevice(app, held, { status: 'quarantined' })
  setDevice(app, gone, { status: 'decommissioned' })
  expect((await app.call(deviceStats, {}, { token: admin.token })).body.data).toEqual({
    total: 3,
    online: 1,
    offline: 2,
    byStatus: { online: 1, offline: 1, quarantined: 1, decommissioned: 1 },
    migrationRequiredCount: 0,
  })
  const ofNobody = await app.call(deviceStats, { query: { orgId: randomUUID() } }, { token: admin.token })
  expect(ofNobody.body.data.total).toBe(0)
})
