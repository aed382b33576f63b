import { randomUUIDv7 } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import type { Findings, VerificationTable } from '../../server/features/backup-verification/tables.ts'
import { toJson } from '../../server/lib/json.ts'
import { day, hour, iso, minute } from '../../server/platform/clock.ts'
import { backupHealth, type DeviceReadiness, recoveryReadiness } from '../../shared/api/backup-readiness.ts'
import { createSlaConfig, listSlaEvents, slaDashboard } from '../../shared/api/backup-sla.ts'
import { decommissionDevice, moveDeviceToOrganization } from '../../shared/api/devices.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { holdings, otherCompany, person } from '../helpers/factories.ts'
import type { Credentials } from '../helpers/fake-device.ts'
import { liveStream } from '../helpers/live-stream.ts'
import { setDevice, setOrganization } from '../helpers/rows.ts'
import { good, nightly, reportScene } from './backup-report-kit.ts'

/** How well devices could be brought back, as checks of their backups show. */

async function scene() {
  const made = await reportScene()
  const { app, org, token, job } = made
  const query = { orgId: org.id }
  const list = async (more: InputOf<typeof recoveryReadiness>['query'] = {}, as?: string) =>
    app.call(recoveryReadiness, { query: { ...query, ...more } }, { token: as ?? (await token()) })
  const devices = async (more = {}, as?: string): Promise<DeviceReadiness[]> => (await list(more, as)).body.data.devices
  const health = async (more: InputOf<typeof backupHealth>['query'] = {}, as?: string) =>
    (await app.call(backupHealth, { query: { ...query, ...more } }, { token: as ?? (await token()) })).body.data
  /** As if it had been made so long ago. */
  const checked = (
    device: Credentials,
    ageMs: number,
    some: { type?: string; status?: string; seconds?: number; details?: Findings } = {},
  ) => {
    const at = iso(app.clock.now() - ageMs)
    const { type = 'test_restore', status = 'passed', seconds = 180 } = some
    app.db.run(
      q.insertInto('backup_verifications').values({
        ...{ id: randomUUIDv7(), org_id: org.id, device_id: device.deviceId, snapshot_taken_at: at },
        ...{ verification_type: type as VerificationTable['verification_type'], status: status as 'passed' },
        ...{ source: 'scheduled', ran_on: 'device', started_at: at, completed_at: at, created_at: at, updated_at: at },
        restore_time_seconds: type === 'test_restore' ? seconds : null,
        details: some.details ? toJson(some.details) : null,
      }),
    )
  }
  const protect = async (device: Credentials) => {
    await made.signInAgain()
    await made.policy('Nightly', nightly(), { level: 'device', targetId: device.deviceId })
    await made.look()
  }
  return { ...made, query, list, devices, health, checked, protect, calculate: () => job('backup.readiness') }
}

test('a protected device that was never checked has readiness 0, an id of its own kind, and comes first', async () => {
  const { app, org, one, two, protect, checked, calculate, list } = await scene()
  await protect(one)
  checked(two, hour)
  await calculate()
  const { summary, devices } = (await list()).body.data
  expect(summary).toEqual({ devices: 2, averageScore: 50, lowReadiness: 1, highReadiness: 1 })
  expect(devices).toMatchObject([
    {
      id: `synthetic-readiness:${org.id}:${one.deviceId}`,
      deviceName: 'pc-1',
      readinessScore: 0,
      ...{ estimatedRtoMinutes: null, estimatedRpoMinutes: null },
      riskFactors: [{ code: 'no_verification_history', severity: 'high' }],
    },
    { deviceName: 'pc-2', readinessScore: 100, estimatedRtoMinutes: 3, estimatedRpoMinutes: null, riskFactors: [] },
  ])
  expect(app.db.statement('SELECT count(*) FROM backup_readiness').pluck().get()).toBe(1)
})

test('how much would be lost is the age of the newest backup, which makes it known at once', async () => {
  const { app, one, protect, checked, calculate, scheduleAt, end, devices } = await scene()
  await protect(one)
  checked(one, hour)
  await calculate()
  expect(await devices()).toMatchObject([{ estimatedRpoMinutes: null, newestBackupAt: null }])
  await scheduleAt('2026-03-02T02:00:05Z')
  await end(one, good)
  app.clock.advance(90 * minute)
  expect(await devices()).toMatchObject([{ estimatedRpoMinutes: 90 }])
})

test('of a device that was never checked it is told when its newest backup was, so that “no backup” is not said', async () => {
  const { one, two, protect, scheduleAt, end, devices } = await scene()
  await protect(one)
  await protect(two)
  await scheduleAt('2026-03-02T02:00:05Z')
  await end(one, good)
  const found = new Map((await devices()).map((device) => [device.deviceName, device]))
  expect(found.get('pc-1')).toMatchObject({ newestBackupAt: expect.stringMatching(/^2026-03-02T02:0/) })
  expect(found.get('pc-2')).toMatchObject({ newestBackupAt: null })
  for (const one of found.values()) expect(one).toMatchObject({ readinessScore: 0, estimatedRpoMinutes: null })
})

test('only when it is asked for it is calculated anew by a read', async () => {
  const { one, checked, devices } = await scene()
  checked(one, hour)
  expect(await devices({ refresh: 'false' })).toEqual([])
  expect(await devices({ refresh: '1' })).toMatchObject([{ deviceName: 'pc-1', readinessScore: 100 }])
  checked(one, 0, { status: 'failed' })
  expect(await devices({ refresh: '0' })).toMatchObject([{ readinessScore: 100 }])
  expect(await devices({ refresh: 'true', deviceId: one.deviceId })).toMatchObject([{ readinessScore: 67 }])
})

test('that readiness is low is told once, and again only after it had recovered', async () => {
  const { admin, origin, one, checked, calculate, devices, signInAgain } = await scene()
  await signInAgain()
  using stream = await liveStream(origin, admin.token)
  const scores = async () => (await devices()).map(({ readinessScore }) => readinessScore)
  checked(one, 0, { status: 'failed', seconds: 600 })
  for (let again = 0; again < 3; again++) await calculate()
  const told = () => stream.events.filter(({ type }) => type === 'backup.recovery_readiness_low').length
  await stream.event(({ type }) => type === 'backup.recovery_readiness_low')
  expect(told()).toBe(1)
  for (let again = 0; again < 2; again++) checked(one, 0, { seconds: 600 })
  await calculate()
  expect(await scores(), 'above the limit, and not recovered').toEqual([72])
  checked(one, 0)
  checked(one, 0)
  await calculate()
  expect((await scores())[0]).toBeGreaterThanOrEqual(75)
  for (let again = 0; again < 6; again++) checked(one, 0, { status: 'failed' })
  await calculate()
  await stream.event(() => told() === 2)
})

test('what was proven long ago counts less, without anybody doing anything', async () => {
  const { app, one, checked, calculate, devices } = await scene()
  checked(one, 0)
  await calculate()
  app.clock.advance(31 * day)
  await calculate()
  const [row] = await devices()
  expect(row?.readinessScore).toBe(67)
  expect(row?.riskFactors.map(({ code }) => code)).toEqual(['stale_verification', 'restore_test_missing'])
})

test('health: how many checks came out how, and what is at risk', async () => {
  const { app, org, one, two, far, protect, checked, health } = await scene()
  expect(await health()).toMatchObject({ status: 'healthy', verification: { coveragePercent: 100 } })
  await protect(one)
  await protect(two)
  checked(one, hour)
  checked(one, 3 * day, { type: 'integrity' })
  checked(two, 2 * hour, { type: 'integrity', status: 'partial' })
  checked(far, hour)
  expect(await health({ refresh: 'true' })).toEqual({
    status: 'degraded',
    verification: { total: 4, passedLast24h: 2, failedLast24h: 0, partialLast24h: 1, coveragePercent: 50 },
    readiness: { averageScore: 74, lowReadinessCount: 1, criticalDevicesAtRisk: 0 },
    escalations: { verificationFailures: 0, criticalVerificationFailures: 0 },
  })
  setDevice(app, two.deviceId, { tags: JSON.stringify(['Tier0']) as never })
  app.db.run(
    q.insertInto('backup_attention').values({
      ...{ id: randomUUIDv7(), org_id: org.id, device_id: two.deviceId },
      ...{ kind: 'verification_failed', details: '{}' as never, opened_at: iso(app.clock.now()) },
    }),
  )
  expect(await health()).toMatchObject({
    status: 'critical',
    readiness: { criticalDevicesAtRisk: 1 },
    escalations: { verificationFailures: 1, criticalVerificationFailures: 1 },
  })
})

test('a device that leaves service, or its organization, is not listed any more', async () => {
  const { app, admin, one, two, checked, calculate, devices, token, signInAgain } = await scene()
  await signInAgain()
  const hamburg = await holdings(app, admin.token, 'Hamburg', 'hh-1')
  checked(one, hour)
  checked(two, hour)
  await calculate()
  await app.call(decommissionDevice, { params: { id: one.deviceId } }, { token: await token() })
  const move = { params: { id: two.deviceId }, body: { orgId: hamburg.org.id, siteId: hamburg.site.id } }
  expect((await app.call(moveDeviceToOrganization, move, { token: await token() })).status).toBe(200)
  await calculate()
  expect(await devices()).toEqual([])
  expect(await devices({ orgId: hamburg.org.id, refresh: '1' })).toEqual([])
})

test('a restore that takes longer than an SLA promises is a breach until one is fast enough', async () => {
  const { app, query, one, two, checked, calculate, token, job } = await scene()
  checked(one, hour, { seconds: 3600 })
  checked(two, hour, { seconds: 600 })
  await calculate()
  const body = { name: 'Fast', rpoTargetMinutes: 5_000_000, rtoTargetMinutes: 30 }
  const targetDevices = [one.deviceId, two.deviceId]
  await app.call(createSlaConfig, { query, body: { ...body, targetDevices } }, { token: await token() })
  const events = async () =>
    (await app.call(listSlaEvents, { query: { ...query, state: 'open' } }, { token: await token() })).body.data.filter(
      ({ eventType }) => eventType === 'rto_breach',
    )
  expect(await events()).toMatchObject([
    { deviceName: 'pc-1', details: { rtoTargetMinutes: 30, estimatedRtoMinutes: 60 } },
  ])
  const dashboard = await app.call(slaDashboard, { query }, { token: await token() })
  expect(dashboard.body.data.avgRtoMinutes).toBe(35)
  for (let again = 0; again < 11; again++) checked(one, 0, { seconds: 60 })
  await calculate()
  await job('backup.sla')
  expect(await events()).toEqual([])
})

test('where a part was restored for proof, all takes as much longer as it is more, for SLAs as well', async () => {
  const { app, query, one, two, checked, calculate, devices, token } = await scene()
  const gigabyte = 1024 ** 3
  checked(one, hour, {
    seconds: 60,
    details: { sampled: true, sampledBytes: 10 * gigabyte, totalBytes: 1000 * gigabyte },
  })
  checked(two, hour, { seconds: 60, details: { sampled: true, sampledBytes: 0, totalBytes: 0 } })
  checked(two, hour, { seconds: 60, details: { sampled: false, totalBytes: 5 * gigabyte } })
  await calculate()
  expect(await devices()).toMatchObject([
    {
      ...{ deviceName: 'pc-1', readinessScore: 70, estimatedRtoMinutes: 100 },
      riskFactors: [{ code: 'rto_above_target', severity: 'high' }],
    },
    { deviceName: 'pc-2', readinessScore: 100, estimatedRtoMinutes: 1, riskFactors: [] },
  ])
  const targetDevices = [one.deviceId, two.deviceId]
  const body = { name: 'Fast', rpoTargetMinutes: 5_000_000, rtoTargetMinutes: 60, targetDevices }
  await app.call(createSlaConfig, { query, body }, { token: await token() })
  const events = await app.call(listSlaEvents, { query: { ...query, state: 'open' } }, { token: await token() })
  expect(events.body.data.filter(({ eventType }) => eventType === 'rto_breach')).toMatchObject([
    { deviceName: 'pc-1', details: { estimatedRtoMinutes: 100 } },
  ])
})

test('somebody confined to a site sees its devices only, in the numbers too', async () => {
  const { app, org, site, one, far, checked, calculate, list, devices, health } = await scene()
  checked(one, hour)
  checked(far, hour)
  await calculate()
  const { token } = await person(app, {
    email: 'site@x.test',
    scope: 'organization',
    orgId: org.id,
    siteIds: [site.id],
  })
  expect((await list({}, token)).body.data.summary.devices).toBe(1)
  expect(await devices({ deviceId: far.deviceId }, token)).toEqual([])
  expect((await health({}, token)).verification.total).toBe(1)
})

test('another company sees nothing, and makes nothing be calculated', async () => {
  const { app, org, one, checked, list } = await scene()
  checked(one, hour)
  const other = await otherCompany(app)
  expect((await list({ refresh: '1' }, other.admin.token)).status).toBe(400)
  const query = { orgId: org.id, refresh: '1' } as const
  expect((await app.call(backupHealth, { query }, { token: other.admin.token })).status).toBe(400)
  const own = { refresh: '1', deviceId: one.deviceId, orgId: other.org.id } as const
  expect((await app.call(recoveryReadiness, { query: own }, { token: other.admin.token })).body.data.devices).toEqual(
    [],
  )
  expect(app.db.statement('SELECT count(*) FROM backup_readiness').pluck().get()).toBe(0)
})

test('nothing is written of an organization whose data is to be deleted', async () => {
  const { app, org, one, checked, calculate } = await scene()
  checked(one, hour)
  setOrganization(app, org.id, { status: 'purging' })
  await calculate()
  expect(app.db.statement('SELECT count(*) FROM backup_readiness').pluck().get()).toBe(0)
})
