import { expect, test } from 'vitest'
import {
  decommissionDevice,
  deleteDevicePermanently,
  deviceStats,
  listDevices,
  updateDevice,
} from '../../shared/api/devices.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { company, enrolledDevice, otherCompany } from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { setDevice } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { mergeScene } from './merge-kit.ts'

type Query = NonNullable<InputOf<typeof listDevices>['query']>

const adapter = (more: Record<string, unknown>) => ({
  interfaceName: 'eth0',
  ipType: 'ipv4',
  isPrimary: false,
  ...more,
})

/** A device that has reported all there is to find it by, and another one. */
async function scene(app: TestApp) {
  const { admin, key, device } = await company(app)
  await enrolledDevice(app, key.key, 'other')
  const agent = fakeDevice(app, device)
  await agent.beat({ lastUser: 'ACME\\Jörg.Müller' }, { remoteAddress: '198.51.100.23' })
  await app.app.telemetry.flush()
  await agent.request('PUT', 'hardware', { serialNumber: 'PF-4X9Q2', manufacturer: 'LENOVO', model: '21HD004RGE' })
  const adapters = [
    adapter({ ipAddress: '10.20.30.40', macAddress: '02:42:AC:11:00:02', isPrimary: true }),
    adapter({ ipAddress: 'fe80::42:acff:fe11:2', macAddress: '02:42:AC:11:00:02', ipType: 'ipv6' }),
    adapter({ interfaceName: 'wlan0', ipAddress: '192.0.2.77', macAddress: 'D8-F2-CA-7E-90-1B' }),
  ]
  await agent.request('PUT', 'network', { adapters })
  const call = { params: { id: device.deviceId } }
  await app.call(
    updateDevice,
    { ...call, body: { displayName: 'Front desk', tags: ['Kiosk', 'floor 2'] } },
    { token: admin.token },
  )
  const found = async (search: string, query: Query = {}, token = admin.token) => {
    const { status, body } = await app.call(listDevices, { query: { search, page: '1', ...query } }, { token })
    expect(status).toBe(200)
    const names = body.data.map(({ hostname }) => hostname).sort()
    expect(body.pagination.total).toBe(names.length)
    return names
  }
  return { admin, device, agent, found, key }
}

const indexed = (app: TestApp, trigram: string) =>
  app.db.statement('SELECT rowid FROM device_search WHERE device_search MATCH ?').all(`"${trigram}"`)

test('a device is found by name, user, addresses, serial number, model, manufacturer and tags', async () => {
  await using app = await testApp()
  const { found } = await scene(app)
  for (const search of [
    'front DESK',
    'jörg',
    'JÖRG.mü',
    'acme\\',
    '10.20.30.40',
    '20.30',
    '192.0.2.77',
    'FE80::42',
    '198.51.100.23',
    'pf-4x',
    'lenovo',
    '21hd004',
    'kiosk',
    'floor 2',
    'K',
    'ki',
    'ö',
    'q2',
    '2',
  ])
    expect(await found(search), search).toContain('pc-1')
  for (const search of ['front DESK', '10.20.30.40', 'pf-4x', 'kiosk', 'jörg'])
    expect(await found(search)).toEqual(['pc-1'])
})

test.each([
  '02:42:ac:11:00:02',
  '02-42-AC-11-00-02',
  '0242.ac11.0002',
  '0242ac110002',
  'ac:11',
  '2:ac:11:0',
  'F2-CA-7E',
  'd8f2.ca7e',
  'd8f2.ca',
  'ca7e901b',
  'd8:f2:',
])('a device is found by its MAC address, typed as %s', async (search) => {
  await using app = await testApp()
  const { found } = await scene(app)
  expect(await found(search)).toEqual(['pc-1'])
})

test('a search finds a text within one value, as it is written', async () => {
  await using app = await testApp()
  const { found, device } = await scene(app)
  for (const search of ['front desk acme', '10.20.30.40.', 'kiosk,', '10_20', '%', '02:42:ac:12', '"', "'", '*'])
    expect(await found(search), search).toEqual([])
  setDevice(app, device.deviceId, { last_user: '100%_"quoted"*' })
  for (const search of ['%', '_', '0%_', '"', '"quoted"*', '*']) expect(await found(search), search).toEqual(['pc-1'])
})

test('what a device no longer is, it is no longer found by', async () => {
  await using app = await testApp()
  const { admin, agent, found, device } = await scene(app)
  const former = ['jörg', '198.51.100.23', 'pf-4x', 'lenovo', '21hd', '10.20.30.40', '0242ac', 'kiosk', 'front']
  for (const search of former) expect(await found(search), search).toEqual(['pc-1'])
  await agent.beat({ lastUser: 'nora', hostname: 'pc-9' }, { remoteAddress: '203.0.113.9' })
  await app.app.telemetry.flush()
  await agent.request('PUT', 'hardware', { serialNumber: 'ZZ-1', manufacturer: null, model: null })
  await agent.request('PUT', 'network', { adapters: [adapter({ ipAddress: '10.20.30.41', isPrimary: true })] })
  const body = { displayName: null, tags: [] }
  await app.call(updateDevice, { params: { id: device.deviceId }, body }, { token: admin.token })
  for (const search of former) expect(await found(search), search).toEqual([])
  expect(indexed(app, 'pf-'), 'nor by the index').toEqual([])
  for (const search of ['nora', 'pc-9', '203.0.113.9', 'zz-1', '30.41']) expect(await found(search)).toEqual(['pc-9'])
})

test('a decommissioned device is found when asked for, a deleted one by nothing', async () => {
  await using app = await testApp()
  const { admin, found, device } = await scene(app)
  const [call, by] = [{ params: { id: device.deviceId } }, { token: admin.token }]
  await app.call(decommissionDevice, call, by)
  expect(await found('pf-4x')).toEqual([])
  expect(await found('pf-4x', { includeDecommissioned: 'true' })).toEqual(['pc-1'])
  await app.call(deleteDevicePermanently, call, by)
  for (const search of ['pf-4x', 'kiosk', '0242ac'])
    expect(await found(search, { includeDecommissioned: 'true' })).toEqual([])
  expect(indexed(app, 'kio')).toEqual([])
  expect(app.db.statement(`SELECT lines FROM device_search_texts WHERE lines NOT LIKE '%other%'`).all()).toEqual([])
})

test('a device may report the same text in every field, again and again', async () => {
  await using app = await testApp()
  const { agent, found } = await scene(app)
  const same = 'same'.repeat(60)
  for (const chassisType of ['1', '2']) {
    const hardware = { serialNumber: same, manufacturer: same, model: same, chassisType }
    expect((await agent.request('PUT', 'hardware', hardware)).status).toBe(200)
    const adapters = Array(3).fill(adapter({ ipAddress: chassisType, macAddress: chassisType }))
    expect((await agent.request('PUT', 'network', { adapters })).status).toBe(200)
    expect((await agent.beat({ lastUser: same.slice(0, 64), hostname: `${same} ${chassisType}` })).status).toBe(200)
    await app.app.telemetry.flush()
  }
  expect(await found(same.slice(0, 99))).toEqual([`${same} 2`])
})

test('a search stays within the devices that somebody sees', async () => {
  await using app = await testApp()
  const { found, key } = await scene(app)
  const stranger = await otherCompany(app)
  for (const search of ['pf-4x', '0242ac110002', 'jörg', 'kiosk', 'k'])
    expect(await found(search, {}, stranger.admin.token), search).not.toContain('pc-1')
  expect(await found('pf-4x', { siteId: key.siteId ?? '' })).toEqual(['pc-1'])
  expect(await found('pf-4x', { status: 'offline' })).toEqual([])
})

test('after a merge its devices are found in the organization that took them', async () => {
  const { app, admin, loser, survivor, run } = await mergeScene()
  await fakeDevice(app, loser.device).request('PUT', 'hardware', { serialNumber: 'PF-4X9Q2' })
  await run('completed')
  const query = { search: 'pf-4x', page: '1', orgId: survivor.org.id }
  const { body } = await app.call(listDevices, { query }, { token: admin.token })
  expect(body.data.map(({ hostname }) => hostname)).toEqual(['loser-pc'])
})

test('however much a device reports, only so much of it is searched', async () => {
  await using app = await testApp()
  const { agent, admin, found } = await scene(app)
  const address = (n: number) => `10.9.${Math.floor(n / 250)}.${n % 250}`
  const adapters = Array.from({ length: 500 }, (_, n) =>
    adapter({
      interfaceName: 'x'.repeat(255),
      ipAddress: address(n),
      macAddress: 'f'.repeat(64),
      isPrimary: n === 499,
    }),
  )
  expect((await agent.request('PUT', 'network', { adapters })).status).toBe(200)
  const longest = app.db.statement('SELECT max(length(lines)) FROM device_search_texts').pluck().get()
  expect(longest).toBeLessThan(5000)
  expect(await found(address(499)), 'the primary adapter comes first').toEqual(['pc-1'])
  expect(await found(address(0))).toEqual(['pc-1'])
  expect(await found(address(498))).toEqual([])
  expect((await app.call(deviceStats, {}, { token: admin.token })).status).toBe(200)
})
