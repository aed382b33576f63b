import { randomUUIDv7 } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { day, iso } from '../../server/platform/clock.ts'
import { setBackupQuota } from '../../shared/api/backup-quotas.ts'
import { listDeviceUsage, readRetentionSavings, readUsageForecast } from '../../shared/api/backup-usage.ts'
import { decommissionDevice } from '../../shared/api/devices.ts'
import { readHome } from '../../shared/api/home.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { otherCompany, person } from '../helpers/factories.ts'
import { passFactor } from '../helpers/sessions.ts'
import { nightly, reportScene } from './backup-report-kit.ts'
import { home } from './policy-kit.ts'

/** How backups grow, how long there is room for them, and what keeping less would save. */

const gigabyte = 1024 ** 3

async function scene() {
  const made = await reportScene()
  const { app, org, token } = made
  const as = async (given?: string) => ({ token: given ?? (await token()) })
  const { id: configId } = app.db.one(q.selectFrom('backup_configs').select('id').where('org_id', '=', org.id))
  const keys = q.selectFrom('storage_encryption_keys').select('id').where('org_id', '=', org.id)
  const dated = { created_at: iso(app.clock.now()), updated_at: iso(app.clock.now()) }
  const keyId = app.db.first(keys)?.id ?? randomUUIDv7()
  if (!app.db.first(keys))
    app.db.run(
      q.insertInto('storage_encryption_keys').values({
        ...{ id: keyId, org_id: org.id, name: 'Key', encrypted_private_key: 'x', key_hash: 'x', ...dated },
      }),
    )
  return {
    ...made,
    forecast: async (given?: string) => app.call(readUsageForecast, { query: { orgId: org.id } }, await as(given)),
    devices: async (query: InputOf<typeof listDeviceUsage>['query'] = {}, given?: string) =>
      app.call(listDeviceUsage, { query: { orgId: org.id, ...query } }, await as(given)),
    savings: async (given?: string) => app.call(readRetentionSavings, { query: { orgId: org.id } }, await as(given)),
    home: async (given?: string) => (await app.call(readHome, { query: {} }, await as(given))).body,
    /** The disk, on so many days up to today. */
    disk: (days: number, free: (daysAgo: number) => number, total = 1000 * gigabyte) => {
      app.db.run(q.deleteFrom('backup_disk_days'))
      for (let daysAgo = days - 1; daysAgo >= 0; daysAgo--)
        app.db.run(
          q.insertInto('backup_disk_days').values({
            day: iso(app.clock.now() - daysAgo * day).slice(0, 10),
            ...{ total_bytes: total, free_bytes: Math.round(free(daysAgo)), reserved_bytes: gigabyte },
          }),
        )
    },
    repository: (deviceId: string, figures: object = {}) => {
      const id = randomUUIDv7()
      const place = { org_id: org.id, config_id: configId, device_id: deviceId }
      app.db.run(
        q
          .insertInto('backup_repositories')
          .values({ id, ...place, sub_path: id, key_id: keyId, state: 'ready', ...dated, ...figures }),
      )
      return id
    },
    snapshot: (deviceId: string, repositoryId: string, daysAgo: number, size: number, more: object = {}) => {
      const id = randomUUIDv7()
      const at = iso(app.clock.now() - daysAgo * day)
      app.db.run(
        q.insertInto('backup_snapshots').values({
          ...{ id, org_id: org.id, config_id: configId, device_id: deviceId, repository_id: repositoryId },
          ...{ snapshot_id: id, timestamp: at, size, file_count: 1, label: 'Backup' },
          ...{ backup_type: 'file', backup_mode: 'file', created_at: at, updated_at: at, ...more },
        }),
      )
      return id
    },
  }
}

test('what each device takes is kept each day, and its growth counts from the first day that is known', async () => {
  const { app, one, two, goTo, job, repository, snapshot, devices } = await scene()
  goTo('2026-03-02T09:00:00Z')
  const first = repository(one.deviceId, { stored_bytes: 5 * gigabyte, is_in_store: 1 })
  const second = repository(two.deviceId, { stored_bytes: 9 * gigabyte })
  snapshot(one.deviceId, first, 1, 6 * gigabyte)
  snapshot(two.deviceId, second, 1, 12 * gigabyte)
  await job('backup.growth')
  expect((await devices()).body.data).toMatchObject([
    { deviceName: 'pc-2', storedBytes: 9 * gigabyte, growth: null },
    { deviceName: 'pc-1', storedBytes: 5 * gigabyte, newestBytes: 6 * gigabyte, snapshots: 1, growth: null },
  ])
  goTo('2026-03-20T09:00:00Z')
  snapshot(one.deviceId, first, 0, 7 * gigabyte)
  app.db.run(
    q
      .updateTable('backup_repositories')
      .set({ stored_bytes: 11 * gigabyte })
      .where('id', '=', first),
  )
  await job('backup.growth')
  await job('backup.growth')
  const { body } = await devices({ days: '30' })
  expect(body.data).toMatchObject([
    {
      ...{ deviceName: 'pc-1', storedBytes: 11 * gigabyte, newestBytes: 7 * gigabyte, filesBytes: 13 * gigabyte },
      growth: { since: '2026-03-02', storedBytes: 6 * gigabyte, newestBytes: gigabyte },
    },
    { deviceName: 'pc-2', growth: { storedBytes: 0, newestBytes: 0 } },
  ])
  expect(body.totals).toMatchObject({
    storedBytes: 20 * gigabyte,
    grownBytes: 6 * gigabyte,
    newestBytes: 19 * gigabyte,
  })
  expect((await devices({ days: '7' })).body.data, 'nothing is known of a week ago').toMatchObject([
    { growth: null },
    { growth: null },
  ])
  const names = async (query: InputOf<typeof listDeviceUsage>['query']) =>
    (await devices(query)).body.data.map(({ deviceName }) => deviceName)
  expect(await names({ sort: 'name' })).toEqual(['pc-1', 'pc-2'])
  expect(await names({ sort: 'name', sortDir: 'desc' })).toEqual(['pc-2', 'pc-1'])
  expect(await names({ sort: 'newest' })).toEqual(['pc-2', 'pc-1'])
  expect(await names({ sort: 'growth' })).toEqual(['pc-1', 'pc-2'])
  expect(await names({ search: 'PC-2' })).toEqual(['pc-2'])
  goTo('2026-06-30T09:00:00Z')
  await job('backup.growth')
  const days = app.db.all(q.selectFrom('backup_device_days').select('day').distinct())
  expect(days, 'older ones are forgotten').toEqual([{ day: '2026-06-30' }])
})

test('deduplication and compression are those of the last measurement, and a device out of service is still counted', async () => {
  const { app, one, two, repository, snapshot, devices, token } = await scene()
  const measured = { data_bytes: 4 * gigabyte, uncompressed_bytes: 10 * gigabyte, files_bytes: 30 * gigabyte }
  const id = repository(one.deviceId, { stored_bytes: 5 * gigabyte, ...measured, measured_at: iso(app.clock.now()) })
  repository(two.deviceId)
  snapshot(one.deviceId, id, 1, 6 * gigabyte)
  await app.call(decommissionDevice, { params: { id: one.deviceId } }, { token: await token() })
  const { body } = await devices({ sort: 'name' })
  expect(body.data).toMatchObject([
    { deviceName: 'pc-1', isDecommissioned: true, deduplication: 3, compression: 2.5 },
    { deviceName: 'pc-2', isDecommissioned: false, deduplication: null, compression: null, storedBytes: null },
  ])
  expect(body.totals).toMatchObject({ deduplication: 3, compression: 2.5 })
})

test('the disk is full by the trend of the last weeks, and too little history is said to be that', async () => {
  const { app, forecast, disk } = await scene()
  const left = (await forecast()).body.data.disk.freeBytes
  expect(left).toBeGreaterThan(0)
  disk(10, () => 100 * gigabyte)
  expect((await forecast()).body.data.disk.forecast).toMatchObject({ trend: 'unknown', daysKnown: 9, fullAt: null })
  disk(40, () => 100 * gigabyte)
  expect((await forecast()).body.data.disk.forecast).toMatchObject({ trend: 'steady', bytesPerDay: 0, fullAt: null })
  // One large backup in between is no trend.
  const perDay = left / 30
  disk(40, (daysAgo) => 100 * gigabyte + perDay * daysAgo + (daysAgo < 4 ? -90 * gigabyte : 0), 1e15)
  const { disk: shown } = (await forecast()).body.data
  expect(shown.forecast).toMatchObject({ trend: 'growing', daysKnown: 39 })
  const days = (at: string | null) => (Date.parse(at ?? '') - app.clock.now()) / day
  expect(days(shown.forecast.fullAt)).toBeGreaterThan(25)
  expect(days(shown.forecast.fullAt)).toBeLessThan(35)
  expect(days(shown.forecast.earliestAt)).toBeLessThanOrEqual(days(shown.forecast.fullAt))
  expect(shown.days).toHaveLength(40)
  // A disk that was made larger is another one.
  disk(40, () => 100 * gigabyte)
  app.db.run(
    q
      .updateTable('backup_disk_days')
      .set({ total_bytes: 1 })
      .where('day', '<', iso(app.clock.now() - 5 * day)),
  )
  expect((await forecast()).body.data.disk.forecast).toMatchObject({ trend: 'unknown' })
})

test('Home warns the administrator of the appliance two weeks before the disk is full, and nobody else', async () => {
  const { app, org, home, disk } = await scene()
  disk(40, (daysAgo) => (40 + daysAgo) * gigabyte)
  expect((await home()).diskFull, 'in 39 days').toBeNull()
  disk(40, (daysAgo) => (11 + daysAgo) * gigabyte)
  expect((await home()).diskFull).toEqual({ at: iso(app.clock.now() + 10 * day), isFull: false })
  const clerk = await person(app, { email: 'c@acme.test', scope: 'organization', orgId: org.id })
  expect((await home(clerk.token)).diskFull).toBeNull()
  disk(1, () => gigabyte)
  expect((await home()).diskFull).toMatchObject({ isFull: true })
})

test('a quota is reached by what the organization itself stores on the appliance', async () => {
  const { app, org, one, token, repository, forecast } = await scene()
  repository(one.deviceId, { stored_bytes: 60 * gigabyte, is_in_store: 1 })
  const body = { orgId: org.id, quotaBytes: 80 * gigabyte }
  expect((await forecast()).body.data.quota).toBeNull()
  expect((await app.call(setBackupQuota, { body }, { token: await token() })).status).toBe(200)
  const { site_id } = app.db.one(q.selectFrom('devices').select('site_id').where('id', '=', one.deviceId))
  for (let daysAgo = 30; daysAgo > 0; daysAgo--)
    app.db.run(
      q.insertInto('backup_usage_days').values({
        ...{ id: randomUUIDv7(), org_id: org.id, site_id, day: iso(app.clock.now() - daysAgo * day).slice(0, 10) },
        ...{ stored_bytes: 9e12 - daysAgo, in_store_bytes: (60 - daysAgo) * gigabyte },
      }),
    )
  const quota = (await forecast()).body.data.quota
  expect(quota).toMatchObject({ quotaBytes: 80 * gigabyte, usedBytes: 60 * gigabyte })
  expect(quota?.forecast).toMatchObject({
    trend: 'growing',
    bytesPerDay: gigabyte,
    fullAt: iso(app.clock.now() + 20 * day),
  })
})

test('what half the retention would free is estimated for each policy, without what is held', async () => {
  const { app, one, two, policy, repository, snapshot, savings, token } = await scene()
  const keeps = (keepDaily: number) => ({ ...nightly(), retention: { keepDaily } })
  await policy('Ten days', keeps(10), { level: 'device', targetId: one.deviceId })
  await policy('As little as possible', keeps(1), { level: 'device', targetId: two.deviceId })
  const first = repository(one.deviceId, { stored_bytes: 1900 })
  repository(two.deviceId, { stored_bytes: 50 })
  for (let daysAgo = 9; daysAgo >= 0; daysAgo--)
    snapshot(one.deviceId, first, daysAgo, 1000, daysAgo === 9 ? { legal_hold: 1, legal_hold_reason: 'Court' } : {})
  const session = await token()
  const before = app.rowCounts()
  expect((await savings(session)).body.data).toMatchObject([
    {
      ...{ policyName: 'Ten days', devices: 1, snapshots: 10, storedBytes: 1900, less: { keepDaily: 5 } },
      // Of the five that are too old, one is on hold; each of the nine older ones stands for a ninth of what is beyond.
      ...{ goingSnapshots: 4, savedBytes: 400 },
    },
    { policyName: 'As little as possible', less: null, goingSnapshots: 0, savedBytes: 0, storedBytes: 50 },
  ])
  expect(app.rowCounts(), 'nothing is deleted for an estimate').toEqual(before)
})

test('somebody confined to a site sees the devices there and not the disk, and a stranger nothing', async () => {
  const { app, org, one, far, repository, policy, devices, forecast, savings } = await scene()
  repository(one.deviceId, { stored_bytes: 10 })
  repository(far.deviceId, { stored_bytes: 20 })
  await policy('Nightly', home, { level: 'organization', targetId: org.id })
  const { site_id } = app.db.one(q.selectFrom('devices').select('site_id').where('id', '=', one.deviceId))
  const scope = { scope: 'organization', orgId: org.id } as const
  const confined = await person(app, { email: 's@acme.test', siteIds: [site_id], ...scope })
  const whole = await person(app, { email: 'w@acme.test', ...scope })
  const stranger = (await otherCompany(app)).admin
  for (const { token } of [confined, whole, stranger]) passFactor(app, token)
  expect((await devices({}, confined.token)).body).toMatchObject({
    data: [{ deviceName: 'pc-1' }],
    totals: { storedBytes: 10 },
  })
  expect((await savings(confined.token)).body.data).toMatchObject([{ storedBytes: 10 }])
  expect(await forecast(confined.token)).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
  expect((await forecast(whole.token)).body.data.disk, 'not what others take').toMatchObject({
    totalBytes: null,
    days: [],
  })
  for (const call of [devices({}, stranger.token), savings(stranger.token), forecast(stranger.token)])
    expect(await call).toMatchObject({ status: 400, body: { code: 'backup_org_required' } })
})
