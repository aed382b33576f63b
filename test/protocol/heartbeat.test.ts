import { afterAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { readDevice } from '../../shared/api/devices.ts'
import { company, enrolledDevice } from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { auditOf, deviceRowOf, setDevice } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'

const app = await testApp()
const { admin, key } = await company(app)
afterAll(() => app[Symbol.asyncDispose]())

let count = 0
const newDevice = async () => fakeDevice(app, await enrolledDevice(app, key.key, `beat-${++count}`))
const saved = () => app.app.telemetry.flush()
const metricsOf = (deviceId: string) =>
  app.db.all(q.selectFrom('device_metrics').selectAll().where('device_id', '=', deviceId).orderBy('at'))

const metrics = {
  cpuPercent: 12.5,
  ramPercent: 61.2,
  ramUsedMb: 9800,
  diskPercent: 40,
  diskUsedGb: 190.3,
  diskActivityAvailable: true,
  diskReadBytes: 1_000_000,
  diskWriteBytes: 2_000_000,
  diskReadBps: 1024,
  diskWriteBps: 2048,
  diskReadOps: 10,
  diskWriteOps: 20,
  networkInBytes: 123_456,
  networkOutBytes: 654_321,
  processCount: 312,
  bandwidthInBps: 4096,
  bandwidthOutBps: 8192,
  interfaceStats: [
    {
      name: 'eth0',
      inBytesPerSec: 4096,
      outBytesPerSec: 8192,
      inBytes: 123_456,
      outBytes: 654_321,
      inPackets: 1,
      outPackets: 2,
      inErrors: 0,
      outErrors: 0,
      speed: 1_000_000_000,
    },
  ],
}

/** Everything the Go agent can put into one beat. */
const full = {
  role: 'agent',
  metrics,
  pendingReboot: true,
  isHeadless: false,
  agentRuntime: { heapAllocBytes: 1, heapInuseBytes: 2, heapReleasedBytes: 3, sysBytes: 4, numGc: 5, goroutines: 60 },
  securityCapabilities: { outboundNetworkPolicyVersion: 1, scriptSecretEnvVersion: 1 },
  ipHistoryUpdate: {
    currentIPs: [{ interfaceName: 'eth0', ipAddress: '192.168.1.9', ipType: 'ipv4', assignmentType: 'dhcp' }],
    changedIPs: [],
    removedIPs: [],
    detectedAt: '2026-03-01T09:00:00Z',
  },
  lastUser: 'ACME\\ada',
  uptime: 86_400,
  deviceRole: 'workstation',
  isVirtual: true,
  virtualizationPlatform: 'vmware',
  hostname: 'renamed',
  osVersion: 'Windows 11 Pro 24H2',
  osBuild: '26100.3194',
  helperVersion: '0.5.0',
  watchdogVersion: '0.5.1',
  backupVersion: '0.5.0',
  serverUrl: 'http://appliance.lan:8080',
  agentEdition: 'self-host',
  helperLifecycleMode: 'always',
  droppedLogs: 0,
  migrationRequired: false,
  healthStatus: { status: 'healthy' },
  tccPermissions: {},
  desktopAccess: { mode: 'unavailable' },
  battery: { present: true, percent: 88, charging: false },
  onedriveDeviceState: {},
}

test('the answer is exactly 200 with exactly the JSON types the agent decodes', async () => {
  const device = await newDevice()
  for (const more of [{}, full, { metricsAvailable: false }]) {
    const { status, body, headers } = await device.beat(more)
    expect(status).toBe(200)
    expect(headers['content-type']).toContain('application/json')
    // No upgradeTo, nor anything else that would set the agent to work.
    expect(body).toEqual({
      commands: [],
      configUpdate: null,
      renewCert: false,
      rotateToken: false,
      helperEnabled: false,
      uacInterceptionEnabled: false,
    })
  }
})

test('a full heartbeat is on the device page: metrics as one point, facts as columns', async () => {
  const device = await newDevice()
  app.clock.advance(1000)
  await device.beat(full)
  await saved()
  const { body } = await app.call(readDevice, { params: { id: device.deviceId } }, { token: admin.token })
  const now = new Date(app.clock.now()).toISOString()
  expect(body).toMatchObject({
    hostname: 'renamed',
    status: 'online',
    lastSeenAt: now,
    osVersion: 'Windows 11 Pro 24H2',
    osBuild: '26100.3194',
    agentVersion: '0.5.0',
    watchdogVersion: '0.5.1',
    agentServerUrl: 'http://appliance.lan:8080',
    deviceRole: 'workstation',
    isVirtual: true,
    virtualizationPlatform: 'vmware',
    pendingReboot: true,
    isHeadless: false,
    lastUser: 'ACME\\ada',
    uptimeSeconds: 86_400,
    batteryStatus: { present: true, percent: 88, charging: false },
    cpuPercent: 12.5,
    ramPercent: 61.2,
    metrics: { cpuPercent: 12.5, ramPercent: 61.2, timestamp: now },
  })
  expect(body.recentMetrics).toEqual([
    {
      timestamp: '2026-03-01T09:00:00.000Z',
      cpu: 12.5,
      ram: 61.2,
      ramUsedMb: 9800,
      disk: 40,
      diskUsedGb: 190.3,
      diskActivityAvailable: true,
      diskReadBytes: 1_000_000,
      diskWriteBytes: 2_000_000,
      diskReadBps: 1024,
      diskWriteBps: 2048,
      diskReadOps: 10,
      diskWriteOps: 20,
      networkIn: 123_456,
      networkOut: 654_321,
      bandwidthInBps: 4096,
      bandwidthOutBps: 8192,
      processCount: 312,
    },
  ])
})

test('a heartbeat without metrics adds no point, and fields it leaves out keep their values', async () => {
  const device = await newDevice()
  await device.beat(full)
  await saved()
  app.clock.advance(60_000)
  await device.beat({ metricsAvailable: false })
  await saved()
  expect(metricsOf(device.deviceId)).toHaveLength(1)
  expect(deviceRowOf(app, device.deviceId)).toMatchObject({
    cpu_percent: 12.5,
    last_user: 'ACME\\ada',
    uptime_seconds: 86_400,
    battery_status: JSON.stringify(full.battery),
    last_seen_at: new Date(app.clock.now()).toISOString(),
  })
})

test('a heartbeat right after another one does not erase the fields it leaves out', async () => {
  const device = await newDevice()
  await device.beat(full)
  const measuredAt = app.clock.now()
  app.clock.advance(400)
  await device.beat({ metricsAvailable: false })
  await saved()
  expect(metricsOf(device.deviceId)).toMatchObject([{ at: measuredAt, cpu: 12.5, network_in: 123_456 }])
  expect(deviceRowOf(app, device.deviceId)).toMatchObject({
    cpu_percent: 12.5,
    ram_percent: 61.2,
    metrics_at: new Date(measuredAt).toISOString(),
    uptime_seconds: 86_400,
    last_user: 'ACME\\ada',
    last_seen_at: new Date(app.clock.now()).toISOString(),
  })
})

test('of two heartbeats within a second the later one wins, field by field', async () => {
  const device = await newDevice()
  await device.beat(full)
  app.clock.advance(400)
  const { networkInBytes: _, ...fewer } = metrics
  const later = { ...fewer, cpuPercent: 99, processCount: 'many' }
  await device.beat({ metrics: later, uptime: 86_401, lastUser: 'ACME\\bob' })
  await saved()
  expect(metricsOf(device.deviceId)).toMatchObject([
    { at: app.clock.now(), cpu: 99, ram: 61.2, network_in: 123_456, process_count: 312 },
  ])
  expect(deviceRowOf(app, device.deviceId)).toMatchObject({
    cpu_percent: 99,
    uptime_seconds: 86_401,
    last_user: 'ACME\\bob',
    os_build: '26100.3194',
  })
})

test('a field that changes and changes back within a second keeps its value', async () => {
  const device = await newDevice()
  await device.beat({ lastUser: 'ada', pendingReboot: false })
  await saved()
  await device.beat({ lastUser: 'bob', pendingReboot: true })
  await device.beat({ lastUser: 'ada' })
  await saved()
  expect(deviceRowOf(app, device.deviceId)).toMatchObject({ last_user: 'ada', pending_reboot: 1 })
})

test.each([
  ['a status nobody knows', { status: 'great' }],
  ['no status', { status: undefined }],
  ['a number as version', { agentVersion: 5 }],
  ['no version', { agentVersion: undefined }],
  ['a role nobody knows', { role: 'helper' }],
  ['metrics that are a list', { metrics: [] }],
  ['a missing number', { metrics: { ...metrics, cpuPercent: undefined } }],
  ['text for a number', { metrics: { ...metrics, diskUsedGb: '190' } }],
  ['half a megabyte of memory', { metrics: { ...metrics, ramUsedMb: 0.5 } }],
])('%s is a 400, and nothing is saved', async (_, wrong) => {
  const device = await newDevice()
  const before = deviceRowOf(app, device.deviceId)
  app.clock.advance(1000)
  expect((await device.beat(wrong)).status).toBe(400)
  await saved()
  expect(deviceRowOf(app, device.deviceId)).toEqual(before)
  expect(metricsOf(device.deviceId)).toEqual([])
})

test('a body that is no JSON is a 400', async () => {
  const device = await newDevice()
  expect((await device.request('POST', 'heartbeat', Buffer.from('{"status":'))).status).toBe(400)
  expect((await device.request('POST', 'heartbeat')).status).toBe(400)
})

test.each([
  ['pendingReboot', 'yes'],
  ['isHeadless', 1],
  ['lastUser', { name: 'ada' }],
  ['lastUser', 'x'.repeat(256)],
  ['uptime', '86400'],
  ['uptime', -5],
  ['uptime', 1e300],
  ['hostname', ['a']],
  ['osVersion', 11],
  ['osBuild', null],
  ['watchdogVersion', 5],
  ['serverUrl', 5],
  ['deviceRole', 'toaster'],
  ['isVirtual', 'true'],
  ['virtualizationPlatform', 'bhyve'],
  ['battery', 'full'],
  ['battery', { padding: 'x'.repeat(1000) }],
  ['battery', { nested: {} }],
  ['battery', Object.fromEntries(Array.from({ length: 21 }, (_, n) => [n, n]))],
  ['ipHistoryUpdate', 'none'],
  ['trustFingerprints', 'sha256'],
])('an optional %s that is invalid is dropped, and the rest is kept', async (field, value) => {
  const device = await newDevice()
  const column = { uptime: 'uptime_seconds', battery: 'battery_status' }[field as string] ?? 'is_headless'
  const before = deviceRowOf(app, device.deviceId)
  app.clock.advance(1000)
  expect(
    (await device.beat({ osBuild: 'kept', [field]: value, metrics: { ...metrics, diskReadOps: 'many' } })).status,
  ).toBe(200)
  await saved()
  const after = deviceRowOf(app, device.deviceId)
  expect(after).toEqual({
    ...before,
    agent_version: '0.5.0',
    cpu_percent: 12.5,
    ram_percent: 61.2,
    metrics_at: new Date(app.clock.now()).toISOString(),
    last_seen_at: new Date(app.clock.now()).toISOString(),
    ...(field !== 'osBuild' && { os_build: 'kept' }),
  })
  expect(after?.[column as keyof typeof after]).toEqual(before?.[column as keyof typeof before])
  expect(metricsOf(device.deviceId)).toMatchObject([{ disk_read_ops: null, disk_write_ops: 20 }])
})

test('a device role that an administrator chose is not changed by what the agent guesses', async () => {
  const device = await newDevice()
  setDevice(app, device.deviceId, { device_role: 'server', device_role_source: 'manual' })
  await device.beat({ deviceRole: 'workstation' })
  await saved()
  expect(deviceRowOf(app, device.deviceId)?.device_role).toBe('server')
})

test('a heartbeat that the database refuses does not cost the others theirs', async () => {
  const [good, bad, alsoGood] = [await newDevice(), await newDevice(), await newDevice()]
  const refusing = `BEFORE INSERT ON device_metrics WHEN NEW.device_id = '${bad.deviceId}'`
  app.db.statement(`CREATE TRIGGER refuse ${refusing} BEGIN SELECT raise(ABORT, 'no'); END`).run()
  for (const device of [good, bad, alsoGood]) expect((await device.beat({ metrics })).status).toBe(200)
  await saved()
  app.db.statement('DROP TRIGGER refuse').run()
  expect([good, bad, alsoGood].map(({ deviceId }) => metricsOf(deviceId).length)).toEqual([1, 0, 1])
})

test('the address a device speaks from is kept, and its change audited once a day at most', async () => {
  const device = await newDevice()
  const events = () => auditOf(app, 'agent.source.ip.changed').filter((event) => event.resource_id === device.deviceId)
  const from = (remoteAddress: string) => device.beat({}, { remoteAddress })
  await from('127.0.0.1')
  expect(events()).toEqual([])
  await from('203.0.113.7')
  expect(events()).toMatchObject([{ actor_type: 'agent', details: { from: '127.0.0.1', to: '203.0.113.7' } }])
  for (let n = 0; n < 10; n++) await from(n % 2 ? '203.0.113.7' : '203.0.113.8')
  expect(events()).toHaveLength(1)
  expect(deviceRowOf(app, device.deviceId)?.wan_ip).toBe('203.0.113.7')
  app.clock.advance(24 * 3_600_000)
  await from('203.0.113.9')
  expect(events()).toHaveLength(2)
})

test('a heartbeat of the watchdog is about the watchdog and leaves the device alone', async () => {
  const device = await newDevice()
  setDevice(app, device.deviceId, { status: 'offline' })
  const watchdog = { authorization: `Bearer ${device.watchdogAuthToken}` }
  const beat = () => device.beat({ role: 'watchdog', hostname: 'hijacked' }, watchdog)
  const state = () => deviceRowOf(app, device.deviceId)
  await beat()
  await saved()
  expect(state()).toMatchObject({ status: 'offline', watchdog_status: 'connected', main_agent_silent_since: null })
  app.clock.advance(15 * 60_000 + 1000)
  await beat()
  const since = new Date(app.clock.now()).toISOString()
  expect(state()).toMatchObject({ status: 'offline', watchdog_status: 'failover', main_agent_silent_since: since })
  app.clock.advance(60_000)
  await beat()
  expect(state()?.main_agent_silent_since).toBe(since)
  await device.beat()
  await saved()
  await beat()
  await saved()
  expect(state()).toMatchObject({
    status: 'online',
    watchdog_status: 'connected',
    main_agent_silent_since: null,
    hostname: expect.stringMatching(/^beat-/),
  })
})
