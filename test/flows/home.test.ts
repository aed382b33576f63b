import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { silentLog } from '../../server/platform/log.ts'
import { openTls } from '../../server/platform/tls/index.ts'
import { createAuthority, createServerCertificate } from '../../server/platform/tls/issue.ts'
import { type DeviceAttention, listDevices } from '../../shared/api/devices.ts'
import { maxAttentionCount, readHome } from '../../shared/api/home.ts'
import { insertCommand } from '../helpers/commands.ts'
import {
  apiKeyOf,
  company,
  enrolledDevice,
  enrollmentKeyOf,
  otherCompany,
  person,
  signIn,
} from '../helpers/factories.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { setDevice } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

const hour = 3_600_000
const day = 24 * hour

const home = async (app: TestApp, token: string, query: Record<string, string> = {}) =>
  (await app.call(readHome, { query }, { token })).body
const inNeed = async (app: TestApp, token: string, attention: DeviceAttention) =>
  (await app.call(listDevices, { query: { attention, page: '1' } }, { token })).body
const reasons = async (app: TestApp, token: string, query = {}) =>
  Object.fromEntries((await home(app, token, query)).attention.map(({ reason, devices }) => [reason, devices]))

test('a device that fell silent needs attention for a day', async () => {
  await using app = await testApp()
  const { admin, device } = await company(app)
  await fakeDevice(app, device).beat()
  await app.app.telemetry.flush()
  expect(await reasons(app, admin.token)).toEqual({})
  app.clock.advance(6 * 60_000)
  await app.app.jobs.runNow('devices.mark-silent')
  expect(await reasons(app, admin.token)).toEqual({ went_offline: 1 })
  expect((await inNeed(app, admin.token, 'went_offline')).data.map(({ id }) => id)).toEqual([device.deviceId])
  app.clock.advance(day)
  const token = await signIn(app, admin.email)
  expect(await reasons(app, token)).toEqual({})
  expect((await inNeed(app, token, 'went_offline')).data).toEqual([])
})

test('a device needs attention while one of its disks is nearly full, but not for an image that always is', async () => {
  await using app = await testApp()
  const { admin, device } = await company(app)
  const report = (disks: object[]) => fakeDevice(app, device).request('PUT', 'disks', { disks })
  const disk = (mountPoint: string, usedPercent: number, fsType = 'ext4') => ({
    mountPoint,
    fsType,
    usedPercent,
    totalGb: 100,
  })
  await report([disk('/', 40), disk('/snap/core', 100, 'squashfs')])
  expect(await reasons(app, admin.token)).toEqual({})
  await report([disk('/', 40), disk('/var', 90)])
  expect(await reasons(app, admin.token)).toEqual({ disk_full: 1 })
  const [row] = (await inNeed(app, admin.token, 'disk_full')).data
  expect(row).toMatchObject({ id: device.deviceId, diskPercent: 90 })
  await report([disk('/', 40), disk('/var', 89.9)])
  expect(await reasons(app, admin.token)).toEqual({})
  expect((await inNeed(app, admin.token, 'disk_full')).pagination.total).toBe(0)
  await report([])
  expect(app.db.first(q.selectFrom('devices').select('disk_percent'))?.disk_percent).toBeNull()
})

test('a failed command needs attention for a day, a cancelled one never', async () => {
  await using app = await testApp()
  const { admin, device } = await company(app)
  const failed = insertCommand(app, device.deviceId)
  const cancelled = insertCommand(app, device.deviceId)
  const end = (id: string, status: 'failed' | 'cancelled') => {
    const completed_at = new Date(app.clock.now()).toISOString()
    app.db.run(q.updateTable('device_commands').set({ status, completed_at }).where('id', '=', id))
  }
  end(cancelled, 'cancelled')
  expect(await reasons(app, admin.token)).toEqual({})
  end(failed, 'failed')
  expect(await reasons(app, admin.token)).toEqual({ command_failed: 1 })
  expect((await inNeed(app, admin.token, 'command_failed')).data.map(({ id }) => id)).toEqual([device.deviceId])
  app.clock.advance(day + 60_000)
  expect(await reasons(app, await signIn(app, admin.email))).toEqual({})
})

test('the newest failed command is named while commands failed on one device only, and to nobody else', async () => {
  await using app = await testApp()
  const { admin, device, key, org } = await company(app)
  const stranger = (await otherCompany(app)).admin.token
  const second = await enrolledDevice(app, key.key, 'pc-2')
  const named = async (token = admin.token, query = {}) => (await home(app, token, query)).failedCommand
  const only = async (token = admin.token) => (await home(app, token)).attention.map(({ only }) => only)
  const fail = (deviceId: string) => {
    app.clock.advance(1000)
    const id = insertCommand(app, deviceId)
    const completed_at = new Date(app.clock.now()).toISOString()
    app.db.run(q.updateTable('device_commands').set({ status: 'failed', completed_at }).where('id', '=', id))
    return id
  }
  expect(await named()).toBeNull()
  fail(device.deviceId)
  const newest = fail(device.deviceId)
  expect(await named()).toEqual({ id: newest, deviceId: device.deviceId })
  expect(await named(admin.token, { orgId: org.id })).toEqual({ id: newest, deviceId: device.deviceId })
  expect(await named(stranger)).toBeNull()
  expect(await only()).toEqual([{ id: device.deviceId, name: 'pc-1' }])
  expect(await only(stranger)).toEqual([])
  fail(second.deviceId)
  expect(await named()).toBeNull()
  expect(await only()).toEqual([null])
  setDevice(app, second.deviceId, { status: 'decommissioned' })
  app.clock.advance(60_000)
  expect(await named()).toEqual({ id: newest, deviceId: device.deviceId })
})

test('the device that waits for approval is named while it is the only one, and to nobody else', async () => {
  await using app = await testApp()
  const { admin, device, key, org } = await company(app)
  const stranger = (await otherCompany(app)).admin.token
  const second = await enrolledDevice(app, key.key, 'pc-2')
  const waiting = async (token = admin.token, query = {}) => (await home(app, token, query)).onlyWaiting
  expect(await waiting()).toBeNull()
  setDevice(app, device.deviceId, { status: 'quarantined' })
  app.clock.advance(60_000)
  expect(await waiting()).toEqual({ id: device.deviceId, name: 'pc-1' })
  expect(await waiting(admin.token, { orgId: org.id })).toEqual({ id: device.deviceId, name: 'pc-1' })
  expect(await waiting(stranger)).toBeNull()
  setDevice(app, second.deviceId, { status: 'quarantined' })
  app.clock.advance(60_000)
  expect(await waiting()).toBeNull()
})

test('a list of devices in need counts and pages them in every order, alone and with other filters', async () => {
  await using app = await testApp()
  const { admin, key, org } = await company(app)
  for (let n = 2; n <= 7; n++) await enrolledDevice(app, key.key, `pc-${n}`)
  app.db.statement("UPDATE devices SET pending_reboot = 1 WHERE hostname IN ('pc-2', 'pc-3', 'pc-5', 'pc-7')").run()
  app.db.statement("UPDATE devices SET status = 'decommissioned' WHERE hostname = 'pc-7'").run()
  const list = async (query: Record<string, string>) =>
    (await app.call(listDevices, { query: { attention: 'restart_pending', ...query } }, { token: admin.token })).body
  const names = (body: Awaited<ReturnType<typeof list>>) => body.data.map(({ hostname }) => hostname)
  expect(names(await list({ sort: 'hostname' }))).toEqual(['pc-2', 'pc-3', 'pc-5'])
  const second = await list({ sort: 'hostname', sortDir: 'desc', page: '2', limit: '2' })
  expect(names(second)).toEqual(['pc-2'])
  expect(second.pagination.total).toBe(3)
  expect(names(await list({ search: 'pc-3' }))).toEqual(['pc-3'])
  expect(names(await list({ orgId: org.id, status: 'maintenance' }))).toEqual([])
  const refused = await app.call(listDevices, { query: { attention: 'tired' } as never }, { token: admin.token })
  expect(refused.status).toBe(400)
  expect(JSON.stringify(refused.body)).toContain('attention')
})

test('a count ends at a thousand', async () => {
  await using app = await testApp()
  const { admin, org, site } = await company(app)
  const insert = app.db.statement(
    `INSERT INTO devices (id, org_id, site_id, agent_id, hostname, os_type, status, pending_reboot, created_at, updated_at)
     VALUES (?, ?, ?, ?, 'pc', 'linux', 'online', 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
  )
  app.db.transaction(() => {
    for (let n = 0; n < 2100; n++) {
      const id = `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`
      insert.run(id, org.id, site.id, id)
    }
  })
  expect(await reasons(app, admin.token)).toEqual({ restart_pending: maxAttentionCount })
  const { data, pagination } = await inNeed(app, admin.token, 'restart_pending')
  expect([data.length, pagination.total]).toEqual([500, 2100])
})

test('home names the device while there is only one, and counts devices by status', async () => {
  await using app = await testApp()
  const { admin, key, device } = await company(app)
  expect((await home(app, admin.token)).onlyDevice).toMatchObject({ id: device.deviceId, name: 'pc-1' })
  const second = await enrolledDevice(app, key.key, 'pc-2')
  setDevice(app, second.deviceId, { status: 'maintenance' })
  const { devices, onlyDevice } = await home(app, admin.token)
  expect(onlyDevice).toBeNull()
  expect(devices.total).toBe(2)
  expect(devices.byStatus.maintenance).toBe(1)
})

test('keys that expire within two weeks are listed: API keys in force, and enrollment keys that are in use', async () => {
  await using app = await testApp()
  const { admin, org } = await company(app)
  const iso = (ms: number) => new Date(app.clock.now() + ms).toISOString()
  const key = await apiKeyOf(app, admin.token, org.id)
  const revoked = await apiKeyOf(app, admin.token, org.id)
  const expire = (id: string, ms: number) =>
    app.db.statement('UPDATE api_keys SET expires_at = ? WHERE id = ?').run(iso(ms), id)
  expire(key.id, 15 * day)
  expire(revoked.id, 3 * day)
  app.db.statement("UPDATE api_keys SET status = 'revoked' WHERE id = ?").run(revoked.id)
  const inUse = await enrollmentKeyOf(app, admin.token, { orgId: org.id, maxUsage: 5, ttlMinutes: 2 * 24 * 60 })
  await enrolledDevice(app, inUse.key, 'pc-9')
  await enrollmentKeyOf(app, admin.token, { orgId: org.id, maxUsage: 5, ttlMinutes: 24 * 60 })
  const usedUp = await enrollmentKeyOf(app, admin.token, { orgId: org.id, maxUsage: 1, ttlMinutes: 24 * 60 })
  await enrolledDevice(app, usedUp.key, 'pc-10')
  const kinds = async (token = admin.token) => (await home(app, token)).expiring.map(({ kind, id }) => [kind, id])
  expect(await kinds()).toEqual([['enrollment_key', inUse.id]])
  app.clock.advance(day)
  expect(await kinds(await signIn(app, admin.email))).toEqual([
    ['enrollment_key', inUse.id],
    ['api_key', key.id],
  ])
  app.clock.advance(30 * day)
  expect(await kinds(await signIn(app, admin.email))).toEqual([])
})

test('the certificate that somebody put there is listed for the platform admin before it expires', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'homeport-home-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [certFile, keyFile] = [join(folder, 'server.crt'), join(folder, 'server.key')]
  const clock = new FakeClock()
  const authority = await createAuthority(clock.now())
  const pair = await createServerCertificate(authority, { dns: ['box.example'], ip: [] }, clock.now())
  writeFileSync(certFile, `${pair.certificate}${authority.certificate}`)
  writeFileSync(keyFile, pair.key)
  const tls = await openTls({ mode: 'files', certFile, keyFile, clock, log: silentLog() })
  const env = { HOMEPORT_TLS: 'files', HOMEPORT_TLS_CERT: certFile, HOMEPORT_TLS_KEY: keyFile }
  await using app = await testApp({ env, tls })
  const { admin } = await company(app)
  const tom = await person(app, { email: 'tom@acme.test', scope: 'partner', partnerId: admin.partnerId })
  expect((await home(app, admin.token)).expiring).toEqual([])
  const expiresAt = tls.expires().certificate
  app.clock.advance(Date.parse(expiresAt) - app.clock.now() - 13 * day)
  expect((await home(app, await signIn(app, admin.email))).expiring).toEqual([
    { kind: 'certificate', id: null, name: 'TLS certificate', orgName: null, expiresAt },
  ])
  expect((await home(app, await signIn(app, tom.email))).expiring).toEqual([])
})

test('home knows nothing of other companies, nor of what the role does not permit', async () => {
  await using app = await testApp()
  const { admin, org } = await company(app)
  const other = await otherCompany(app)
  setDevice(app, other.device.deviceId, { pending_reboot: 1 })
  expect(await reasons(app, admin.token)).toEqual({})
  expect(await reasons(app, other.admin.token)).toEqual({ restart_pending: 1 })
  const foreign = await app.call(readHome, { query: { orgId: other.org.id } }, { token: admin.token })
  expect(foreign.status).toBe(403)
  expect((await home(app, admin.token, { orgId: org.id })).devices.total).toBe(1)
  const none = await person(app, {
    email: 'nora@acme.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    orgAccess: 'none',
  })
  expect(await home(app, none.token)).toMatchObject({ devices: { total: 0 }, attention: [], expiring: [] })
})
