import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { readDevice } from '../../shared/api/devices.ts'
import { company, enrolledDevice } from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { testApp } from '../helpers/test-app.ts'

/** Requests as the public Go agent sends them, and the answers it is content with. */

const app = await testApp({ logs: true })
const { admin, key } = await company(app)
const device = fakeDevice(app, await enrolledDevice(app, key.key, 'wire'))
afterAll(() => app[Symbol.asyncDispose]())

const detail = async () =>
  (await app.call(readDevice, { params: { id: device.deviceId } }, { token: admin.token })).body

const hardware = {
  cpuModel: 'AMD Ryzen 7 PRO 5850U',
  cpuCores: 8,
  cpuThreads: 16,
  ramTotalMb: 31_856,
  diskTotalGb: 476,
  gpuModel: 'AMD Radeon',
  serialNumber: 'PF3ABCDE',
  manufacturer: 'LENOVO',
  model: '21CF004PGE',
  motherboardManufacturer: 'LENOVO',
  motherboardProduct: '21CF004PGE',
  motherboardVersion: 'SDK0T76530 WIN',
  biosVersion: 'R23ET70W (1.40 )',
  chassisType: 'Notebook',
}

test('enroll with everything the Go agent sends answers 201 with all it writes to disk', async () => {
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/agents/enroll',
    headers: { 'content-type': 'application/json', 'user-agent': 'breeze-agent/0.5.0' },
    payload: {
      enrollmentKey: key.key,
      enrollmentSecret: '',
      hostname: 'fs-01',
      osType: 'linux',
      osVersion: 'debian 13.1',
      architecture: 'amd64',
      agentVersion: 'dev-0.5.0',
      deviceRole: 'server',
      isVirtual: true,
      virtualizationPlatform: 'kvm',
      hardwareInfo: hardware,
      networkInfo: [
        { name: 'eth1', ip: '10.0.0.9' },
        { name: 'eth0', mac: '52:54:00:12:34:56', ip: '192.168.1.9', isPrimary: true },
      ],
      somethingNew: { the: 'server has never heard of' },
    },
  })
  expect(response.statusCode).toBe(201)
  const body = response.json()
  const token = expect.stringMatching(/^brz_[0-9a-f]{64}$/)
  expect(body).toEqual({
    agentId: expect.stringMatching(/^[0-9a-f]{64}$/),
    deviceId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    authToken: token,
    watchdogAuthToken: token,
    helperAuthToken: token,
    orgId: key.orgId,
    siteId: key.siteId,
    config: {
      heartbeatIntervalSeconds: 60,
      metricsCollectionIntervalSeconds: 30,
      enabledCollectors: ['hardware', 'software', 'metrics', 'network'],
    },
    mtls: null,
    manifestTrustKeys: [],
    manifestKeyDelegations: [],
    trust: null,
  })
  expect(new Set([body.authToken, body.watchdogAuthToken, body.helperAuthToken]).size).toBe(3)
  const row = (await app.call(readDevice, { params: { id: body.deviceId } }, { token: admin.token })).body
  expect(row).toMatchObject({
    hostname: 'fs-01',
    status: 'online',
    deviceRole: 'server',
    deviceRoleSource: 'auto',
    isVirtual: true,
    virtualizationPlatform: 'kvm',
    architecture: 'amd64',
    agentVersion: 'dev-0.5.0',
    lanIp: '192.168.1.9',
    wanIp: '127.0.0.1',
    hardware: { cpuModel: 'AMD Ryzen 7 PRO 5850U', cpuCores: 8, ramTotalMb: 31_856, serialNumber: 'PF3ABCDE' },
    enrolledAt: '2026-03-01T09:00:00.000Z',
    lastSeenAt: '2026-03-01T09:00:00.000Z',
  })
})

const uploads: [string, 'PUT' | 'POST', string, unknown, number, unknown][] = [
  ['hardware', 'PUT', 'hardware', hardware, 200, { success: true }],
  [
    'software',
    'PUT',
    'software',
    {
      software: [
        {
          name: 'bash',
          version: '5.2.37-2',
          vendor: 'Debian',
          installDate: '',
          installLocation: '',
          uninstallString: '',
        },
        { name: 'vim', version: '9.1', vendor: null, installDate: '20260101' },
      ],
    },
    200,
    { success: true, count: 2 },
  ],
  [
    'disks',
    'PUT',
    'disks',
    {
      disks: [
        {
          mountPoint: '/',
          device: '/dev/nvme0n1p2',
          fsType: 'ext4',
          totalGb: 467.9,
          usedGb: 120.4,
          freeGb: 323.6,
          usedPercent: 27.1,
          health: 'healthy',
        },
      ],
    },
    200,
    { success: true, count: 1 },
  ],
  ['disks of a container', 'PUT', 'disks', { disks: null }, 200, { success: true, count: 0 }],
  [
    'network',
    'PUT',
    'network',
    {
      adapters: [
        {
          interfaceName: 'wlan0',
          macAddress: '3c:58:c2:00:00:01',
          ipAddress: '192.168.1.23',
          ipType: 'ipv4',
          isPrimary: true,
        },
        {
          interfaceName: 'wlan0',
          macAddress: '3c:58:c2:00:00:01',
          ipAddress: 'fe80::1',
          ipType: 'ipv6',
          isPrimary: false,
        },
      ],
      vpns: [
        { provider: 'wireguard', active: true, interfaceName: 'wg0', ipv4: '10.8.0.2', detectionSource: 'interface' },
      ],
    },
    200,
    { success: true, count: 2, vpnCount: 1, droppedVpnCount: 0 },
  ],
  [
    'a network without adapters',
    'PUT',
    'network',
    { adapters: null },
    200,
    { success: true, count: 0, vpnCount: 0, droppedVpnCount: 0 },
  ],
  [
    'connections',
    'PUT',
    'connections',
    {
      connections: [
        {
          protocol: 'tcp',
          localAddr: '192.168.1.23',
          localPort: 51_332,
          remoteAddr: '93.184.216.34',
          remotePort: 443,
          state: 'ESTABLISHED',
          pid: 4711,
          processName: 'firefox',
        },
      ],
    },
    200,
    { success: true, count: 1 },
  ],
  [
    'changes',
    'PUT',
    'changes',
    { changes: [{ changeType: 'service', subject: 'ssh' }] },
    200,
    { success: true, count: 0 },
  ],
  ['registry state', 'PUT', 'registry-state', { entries: [], replace: true }, 200, { success: true, count: 0 }],
  ['config state', 'PUT', 'config-state', { entries: [], replace: true }, 200, { success: true, count: 0 }],
  [
    'pending patches',
    'PUT',
    'patches/pending',
    { patches: [{ name: 'openssl', version: '3.5.1', severity: 'important' }], full: true, coveredSources: ['apt'] },
    200,
    { success: true, pending: 0, rejected: 0 },
  ],
  [
    'installed patches',
    'PUT',
    'patches/installed',
    { installed: [{ name: 'KB5055523' }] },
    200,
    { success: true, installed: 0, ignored: 0, rejected: 0 },
  ],
  [
    'sessions of a container',
    'PUT',
    'sessions',
    { sessions: null, events: [], collectedAt: '2026-03-01T09:00:00Z' },
    200,
    { success: true, activeSessions: 0, events: 0 },
  ],
  [
    'event logs',
    'PUT',
    'eventlogs',
    {
      events: [
        { timestamp: '2026-03-01T09:00:00Z', level: 'error', category: 'system', source: 'kernel', message: 'x' },
      ],
    },
    200,
    { success: true, count: 0, filtered: 0 },
  ],
  ['security status', 'PUT', 'security/status', { provider: 'defender', threatCount: 0 }, 200, { success: true }],
  ['management posture', 'PUT', 'management/posture', { categories: {}, identity: {} }, 200, { success: true }],
  ['warranty', 'PUT', 'warranty-info', { source: 'apple', manufacturer: 'Apple' }, 200, { success: true }],
  ['monitoring results', 'PUT', 'monitoring-results', { results: [] }, 200, { accepted: 0 }],
  ['peripheral events', 'PUT', 'peripherals/events', { events: [] }, 200, { success: true }],
  [
    'reliability',
    'POST',
    'reliability',
    { uptimeSeconds: 1, crashEvents: [] },
    200,
    { success: true, status: 'received' },
  ],
  ['boot performance', 'POST', 'boot-performance', { totalBootSeconds: 11.2 }, 201, { success: true }],
  ['a process sample', 'POST', 'process-sample', { processes: [{ name: 'systemd', pid: 1 }] }, 201, { success: true }],
  ['unifi telemetry', 'POST', 'unifi-telemetry', { devices: [] }, 202, { success: true }],
]

test.each(uploads)('upload of %s is answered as its sender expects', async (_, method, path, body, status, reply) => {
  expect(await device.request(method, path, body)).toMatchObject({ status, body: reply })
})

test('an upload appears on the device page, and null empties a list', async () => {
  for (const [, method, path, body] of uploads.slice(0, 3)) await device.request(method, path, body)
  await device.request('PUT', 'network', uploads[4]?.[3])
  const page = await detail()
  expect(page.hardware).toEqual(hardware)
  expect(page.networkInterfaces).toHaveLength(2)
  expect(page.lanIp).toBe('192.168.1.23')
  const list = async (path: string) =>
    (
      await app.inject({
        url: `/api/v1/devices/${device.deviceId}/${path}`,
        headers: { authorization: `Bearer ${admin.token}` },
      })
    ).json()
  expect((await list('software')).data.map(({ name }: { name: string }) => name)).toEqual(['bash', 'vim'])
  expect((await list('disks')).data).toMatchObject([{ mountPoint: '/', usedGb: 120.4 }])
  await device.request('PUT', 'disks', { disks: null })
  expect((await list('disks')).data).toEqual([])
  expect((await list('network')).vpns).toMatchObject([{ provider: 'wireguard', ipv4: '10.8.0.2', ipv6: null }])
  await device.request('PUT', 'network', { adapters: [] })
  expect((await list('network')).vpns, 'vpns absent means unknown').toHaveLength(1)
  await device.request('PUT', 'network', { adapters: [], vpns: [] })
  expect((await list('network')).vpns, 'an empty list means none').toEqual([])
})

test('the same inventory twice changes nothing, a changed one replaces the former', async () => {
  const software = (version: string) => ({ software: [{ name: 'curl', version, vendor: 'Debian' }] })
  const stored = () =>
    app.db.all(q.selectFrom('device_software').select(['name', 'version']).where('device_id', '=', device.deviceId))
  await device.request('PUT', 'software', software('8.1'))
  await device.request('PUT', 'software', software('8.1'))
  expect(stored()).toEqual([{ name: 'curl', version: '8.1' }])
  await device.request('PUT', 'software', software('8.2'))
  expect(stored()).toEqual([{ name: 'curl', version: '8.2' }])
})

test('malformed rows of an upload are left out, and invalid facts become null', async () => {
  const disks = [{ mountPoint: '/', totalGb: 'many' }, { device: '/dev/sdb' }, 'nonsense', null]
  expect((await device.request('PUT', 'disks', { disks })).body).toEqual({ success: true, count: 1 })
  expect(
    (await device.request('PUT', 'hardware', { ...hardware, cpuCores: -1, cpuModel: 7, extra: true })).status,
  ).toBe(200)
  expect((await detail()).hardware).toMatchObject({ cpuCores: null, cpuModel: null, cpuThreads: 16 })
})

test('hardware from a re-enrollment is replaced by the next full report, even an unchanged one', async () => {
  const first = await enrolledDevice(app, key.key, 'twice')
  await fakeDevice(app, first).request('PUT', 'hardware', hardware)
  const again = await app.inject({
    method: 'POST',
    url: '/api/v1/agents/enroll',
    headers: { 'x-agent-reenrollment-token': first.authToken },
    payload: {
      enrollmentKey: key.key,
      hostname: 'twice',
      osType: 'linux',
      osVersion: '13',
      architecture: 'amd64',
      agentVersion: '0.5.0',
      hardwareInfo: { cpuModel: 'AMD Ryzen 7 PRO 5850U' },
    },
  })
  expect(again.json().deviceId).toBe(first.deviceId)
  await fakeDevice(app, again.json()).request('PUT', 'hardware', hardware)
  const page = await app.call(readDevice, { params: { id: first.deviceId } }, { token: admin.token })
  expect(page.body.hardware).toEqual(hardware)
})

test('diagnostic logs and changes may come compressed', async () => {
  const logs = [{ timestamp: '2026-03-01T09:00:00Z', level: 'warn', component: 'ws', message: 'reconnecting' }]
  expect(await device.request('POST', 'logs', { logs }, { gzip: true })).toMatchObject({
    status: 201,
    body: { received: 1 },
  })
  expect((await device.request('PUT', 'changes', { changes: [] }, { gzip: true })).status).toBe(200)
  expect(
    (await device.request('POST', 'heartbeat', { status: 'ok', agentVersion: '0.5.0' }, { gzip: true })).status,
  ).toBe(200)
})

test('a body that claims to be compressed and is not, or is cut short, is a 400', async () => {
  const headers = { 'content-encoding': 'gzip' }
  expect((await device.request('POST', 'logs', Buffer.from('{"logs":[]}'), { headers })).status).toBe(400)
  const whole = gzipSync(JSON.stringify({ logs: [] }))
  expect((await device.request('POST', 'logs', whole.subarray(0, 12), { headers })).status).toBe(400)
  const answer = await device.request('POST', 'logs', { logs: [] }, { headers: { 'content-encoding': 'zstd' } })
  expect(answer.status).toBe(400)
})

test('a body over five megabytes is a 413, also when it only becomes so after inflating', async () => {
  const big = { status: 'ok', agentVersion: '0.5.0', padding: 'x'.repeat(5 * 1024 * 1024) }
  expect((await device.request('POST', 'heartbeat', big)).status).toBe(413)
  expect((await device.request('POST', 'heartbeat', big, { gzip: true })).status).toBe(413)
  expect((await device.request('PUT', 'software', { software: [], padding: big.padding }, { gzip: true })).status).toBe(
    413,
  )
  expect((await device.request('PUT', 'eventlogs', { padding: big.padding })).status).toBe(413)
  const bomb = gzipSync(Buffer.alloc(128 * 1024 * 1024, ' '))
  const before = process.memoryUsage().rss
  const answer = await device.request('PUT', 'changes', bomb, { headers: { 'content-encoding': 'gzip' } })
  expect(answer.status).toBe(413)
  expect(process.memoryUsage().rss - before).toBeLessThan(90 * 1024 * 1024)
})

test('unknown routes are 404 with a valid token, whatever the request carries', async () => {
  expect((await device.request('GET', 'no-such-thing')).status).toBe(404)
  expect((await device.request('POST', 'elevation-requests', { reason: 'x' })).status).toBe(404)
  expect((await device.request('PUT', 'a/b/c', { x: 1 }, { gzip: true })).status).toBe(404)
  expect((await device.request('POST', 'rotate-token')).status, 'never told to rotate').toBe(404)
  const headers = { 'content-type': 'application/octet-stream' }
  expect((await device.request('POST', 'upload', Buffer.from([1, 2, 3]), { headers })).status).toBe(404)
})

test('unifi-collectors is an empty list, so that the agent stays quiet', async () => {
  expect(await device.request('GET', 'unifi-collectors')).toMatchObject({ status: 200, body: { collectors: [] } })
})

test('crawl-config is 404 JSON with the bearer of the agent, not a refusal', async () => {
  const response = await app.inject({
    url: '/api/v1/workspace/agent/crawl-config',
    headers: { authorization: `Bearer ${device.authToken}` },
  })
  expect(response.statusCode).toBe(404)
  expect(response.json()).toMatchObject({ error: 'Not Found' })
})

test.each([
  [
    '/agent-versions/latest?platform=linux&arch=amd64&component=agent',
    'No version found for the specified platform and architecture',
  ],
  [
    '/agent-versions/0.5.0/download?platform=linux&arch=amd64&component=backup',
    'Version not found for the specified platform and architecture',
  ],
  ['/agents/download/linux/amd64', 'Binary not found'],
  ['/agents/download/watchdog/linux/amd64', 'Binary not found'],
])('no update is offered at %s', async (path, error) => {
  const response = await app.inject({ url: `/api/v1${path}`, headers: { authorization: `Bearer ${device.authToken}` } })
  expect(response.statusCode).toBe(404)
  expect(response.json()).toMatchObject({ error })
})

test('POST uninstall-intent without a body is acknowledged', async () => {
  const leaving = fakeDevice(app, await enrolledDevice(app, key.key, 'leaving'))
  expect(await leaving.request('POST', 'uninstall-intent')).toMatchObject({ status: 200, body: { acknowledged: true } })
})

test('disk recovery keys are kept encrypted and appear in no log, audit event or answer', async () => {
  const recoveryKey = '123456-234567-345678-456789-567890-678901-789012-890123'
  const keys = [{ volumeMount: 'C:', protectorId: '{1}', keyType: 'RecoveryPassword', recoveryKey }]
  expect((await device.request('PUT', 'security/recovery-keys', { source: 'snapshot', keys })).status).toBe(200)
  await device.request('PUT', 'security/recovery-keys', { source: 'snapshot', keys })
  const rows = app.db.all(q.selectFrom('device_recovery_keys').selectAll().where('device_id', '=', device.deviceId))
  expect(rows).toHaveLength(1)
  expect(app.db.serialize().includes(recoveryKey)).toBe(false)
  expect(app.logLines.join('')).not.toContain(recoveryKey)
  expect(JSON.stringify(await detail())).not.toContain(recoveryKey)
})

test('a device keeps a thousand recovery keys at most, the first ones, and none of unlikely length', async () => {
  const greedy = fakeDevice(app, await enrolledDevice(app, key.key, 'greedy'))
  const kept = () =>
    app.db.all(q.selectFrom('device_recovery_keys').select('key_hash').where('device_id', '=', greedy.deviceId))
  const report = (keys: unknown[]) => greedy.request('PUT', 'security/recovery-keys', { keys })
  await report([{ recoveryKey: 'x'.repeat(5000) }, { recoveryKey: 'first' }])
  const [first] = kept()
  for (const part of ['a', 'b']) await report(Array.from({ length: 700 }, (_, n) => ({ recoveryKey: `${part}${n}` })))
  expect(kept()).toHaveLength(1000)
  expect(kept()).toContainEqual(first)
})

test('neither device page nor list has a key ending in TokenHash', async () => {
  const list = await app.inject({ url: '/api/v1/devices', headers: { authorization: `Bearer ${admin.token}` } })
  for (const text of [list.body, JSON.stringify(await detail())]) expect(text).not.toMatch(/token_?hash|brz_/i)
})
