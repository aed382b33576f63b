import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { day } from '../../server/platform/clock.ts'
import { protectionColumns } from '../../shared/api/backup-reports.ts'
import { readHome } from '../../shared/api/home.ts'
import { regrant } from '../contract/stage.ts'
import { otherCompany, person } from '../helpers/factories.ts'
import { auditOf, setDevice } from '../helpers/rows.ts'
import { failed, good, nightly, partial, reportScene } from './backup-report-kit.ts'

/** How backups stand, as people and auditors ask for it. */

async function scene() {
  const made = await reportScene()
  const { org, one, far, policy, look } = made
  // Of the two devices at the first site one is protected; the one at the branch is.
  for (const [name, device] of [
    ['Office', one],
    ['Branch', far],
  ] as const)
    await policy(name, nightly(), { level: 'device', targetId: device.deviceId })
  await look()
  /** Somebody of the organization who sees the branch only. */
  const atBranch = async () => {
    const who = { email: 'branch@x.test', scope: 'organization' as const, orgId: org.id, siteIds: [made.branch.id] }
    return made.token((await person(made.app, who)).id)
  }
  return { ...made, atBranch }
}

test('the dashboard counts what is protected, what ran, and what is kept; others see their own sites only', async () => {
  const { one, far, scheduleAt, end, dashboard, atBranch } = await scene()
  expect(await dashboard()).toEqual({
    totals: { configs: 1, policies: 2, jobs: 0, snapshots: 0 },
    jobsLast24h: { completed: 0, failed: 0, partial: 0, running: 0, queued: 0 },
    storage: { totalBytes: 0, snapshots: 0 },
    coverage: { protectedDevices: 2 },
    latestJobs: [],
    attentionItems: [],
    attentionCount: 0,
    attentionError: false,
  })
  await scheduleAt('2026-03-02T02:00:05Z')
  await end(one, good)
  await end(far, failed)
  await scheduleAt('2026-03-03T02:00:05Z')
  await end(one, partial)
  const shown = await dashboard()
  expect(shown).toMatchObject({
    totals: { policies: 2, jobs: 4, snapshots: 2 },
    // A day ago is not in the last day.
    jobsLast24h: { completed: 0, failed: 0, partial: 1 },
    storage: { totalBytes: 6000, snapshots: 2 },
  })
  // The device may have been told meanwhile.
  expect(shown.jobsLast24h.queued + shown.jobsLast24h.running).toBe(1)
  expect(shown.latestJobs.map(({ deviceName }) => deviceName)).toHaveLength(4)
  expect(shown.attentionItems.map(({ id, severity }) => [id, severity])).toEqual([
    [`backup-failing-${far.deviceId}`, 'warning'],
    [`backup-failing-${one.deviceId}`, 'warning'],
  ])
  const confined = await atBranch()
  const seen = await dashboard(confined)
  expect(seen).toMatchObject({
    totals: { policies: 1, jobs: 2, snapshots: 0 },
    jobsLast24h: { completed: 0, failed: 0, partial: 0 },
    storage: { totalBytes: 0, snapshots: 0 },
    coverage: { protectedDevices: 1 },
    attentionCount: 1,
  })
  expect(JSON.stringify(seen)).not.toContain('pc-')
})

test('two failures in a row are critical, unless a partial backup is among them', async () => {
  const { one, far, scheduleAt, end, dashboard } = await scene()
  const nights: [string, object, object][] = [
    ['02', failed, partial],
    ['03', failed, failed],
    ['04', failed, failed],
  ]
  for (const [date, ofOne, ofFar] of nights) {
    await scheduleAt(`2026-03-${date}T02:00:05Z`)
    await end(one, ofOne)
    await end(far, ofFar)
  }
  const { attentionItems } = await dashboard()
  expect(attentionItems.map(({ id, severity, title }) => [id, severity, title])).toEqual([
    [`backup-failing-${one.deviceId}`, 'critical', 'Backups of pc-1 fail'],
    [`backup-failing-${far.deviceId}`, 'warning', 'Backups of srv-1 fail'],
  ])
})

test('what needs attention and cannot be found out is no all clear; the rest is shown', async () => {
  const { app, dashboard } = await scene()
  app.db.statement('ALTER TABLE backup_attention RENAME COLUMN resolved_at TO elsewhere').run()
  const shown = await dashboard()
  expect(shown).toMatchObject({ attentionItems: [], attentionError: true, coverage: { protectedDevices: 2 } })
})

test('the status of a device says when it was backed up last, and when it will be', async () => {
  const { app, one, two, far, scheduleAt, end, status, atBranch } = await scene()
  expect((await status(one.deviceId)).body.data).toMatchObject({
    deviceId: one.deviceId,
    protected: true,
    state: 'never',
    timezone: 'UTC',
    lastJob: null,
    lastSuccessAt: null,
    lastFailureAt: null,
    nextScheduledAt: '2026-03-02T02:00:00.000Z',
  })
  expect((await status(two.deviceId)).body.data).toMatchObject({
    protected: false,
    state: 'unprotected',
    featureLinkId: null,
    configId: null,
    timezone: null,
    nextScheduledAt: null,
  })
  await scheduleAt('2026-03-02T02:00:05Z')
  await end(one, failed)
  app.clock.advance(day)
  await scheduleAt('2026-03-04T02:00:05Z')
  const id = await end(one, partial)
  const { data } = (await status(one.deviceId)).body
  expect(data).toMatchObject({
    state: 'protected',
    lastJob: { id, status: 'partial', vssMetadata: null },
    lastFailureError: 'Disk is on fire',
    nextScheduledAt: '2026-03-05T02:00:00.000Z',
  })
  expect([data.lastSuccessAt?.slice(0, 10), data.lastFailureAt?.slice(0, 10)]).toEqual(['2026-03-04', '2026-03-02'])
  const answers = [await status('no-id'), await status((await otherCompany(app)).device.deviceId)]
  expect(answers.map((answer) => [answer.status, (answer.body as { error?: string }).error])).toEqual([
    [404, 'Device not found'],
    [404, 'Device not found'],
  ])
  const confined = await atBranch()
  expect((await status(one.deviceId, confined)).status).toBe(403)
  expect((await status(far.deviceId, confined)).status).toBe(200)
})

test('a schedule whose time is outside its window has no next backup', async () => {
  const { two, policy, status } = await scene()
  const never = { ...nightly(), schedule: { ...nightly().schedule, windowStart: '05:00', windowEnd: '06:00' } }
  await policy('Never', never, { level: 'device', targetId: two.deviceId })
  expect((await status(two.deviceId)).body.data).toMatchObject({ protected: true, nextScheduledAt: null })
})

test('usage has a point for each of 3 to 90 days, by provider, and what is stored as it was on each', async () => {
  const { app, one, far, scheduleAt, end, usage, job, atBranch } = await scene()
  for (const days of ['2', '91', 'x', '7.5', '']) expect((await usage(days)).status, days).toBe(400)
  for (const days of [3, 90]) expect((await usage(String(days))).body.data.points).toHaveLength(days)
  const { data: none } = (await usage()).body
  expect(none).toMatchObject({ days: 14, start: '2026-02-16T00:00:00.000Z', providers: ['local'] })
  expect(none.points.at(-1)).toEqual({
    timestamp: '2026-03-01T00:00:00.000Z',
    totalBytes: 0,
    providers: [{ provider: 'local', bytes: 0 }],
    storedBytes: 0,
  })
  const stores = (bytes: number) => app.db.statement('UPDATE backup_repositories SET stored_bytes = ?').run(bytes)
  for (const date of ['02', '03']) {
    await scheduleAt(`2026-03-${date}T02:00:05Z`)
    await end(one, good)
    await end(far, good)
    stores(Number(date) * 100)
    await job('backup.usage')
    await job('backup.usage')
  }
  stores(999)
  const points = async (token?: string) => {
    const { data } = (await usage('3', token)).body
    return data.points.map(({ timestamp, totalBytes, storedBytes }) => [
      timestamp.slice(8, 10),
      totalBytes,
      storedBytes,
    ])
  }
  expect(await points()).toEqual([
    ['01', 0, null],
    ['02', 6000, 400],
    ['03', 12_000, 1998],
  ])
  const confined = await atBranch()
  expect(await points(confined)).toEqual([
    ['01', 0, null],
    ['02', 3000, 200],
    ['03', 6000, 999],
  ])
})

test('every device in service is listed with how it stands, in one state each, and found by state and name', async () => {
  const { app, one, two, far, scheduleAt, end, protection, policy, signInAgain, goTo, look } = await scene()
  const states = async () => {
    const { data } = await protection()
    return Object.fromEntries(data.map(({ deviceName, state }) => [deviceName, state]))
  }
  expect(await states()).toEqual({ 'pc-1': 'never', 'pc-2': 'unprotected', 'srv-1': 'never' })
  const never = async () => (await protection()).counts.find(({ state }) => state === 'never')
  expect(await never()).toEqual({ state: 'never', devices: 2, busy: 0 })
  await scheduleAt('2026-03-02T02:00:05Z')
  expect(await never()).toEqual({ state: 'never', devices: 2, busy: 2 })
  const jobId = await end(one, good)
  await end(far, failed)
  expect(await states()).toEqual({ 'pc-1': 'protected', 'pc-2': 'unprotected', 'srv-1': 'failing' })
  const { data, counts, pagination } = await protection({ state: 'protected' })
  expect(data).toEqual([
    {
      deviceId: one.deviceId,
      deviceName: 'pc-1',
      siteName: expect.any(String),
      state: 'protected',
      isBusy: false,
      policyId: expect.any(String),
      policyName: 'Office',
      configId: expect.any(String),
      configName: 'Appliance',
      lastSuccessAt: expect.stringMatching(/^2026-03-02/),
      lastResult: 'completed',
      lastJobId: jobId,
      nextScheduledAt: '2026-03-03T02:00:00.000Z',
      snapshots: 1,
      storedBytes: null,
    },
  ])
  expect(pagination).toEqual({ page: 1, limit: 50, total: 1 })
  expect(Object.fromEntries(counts.map(({ state, devices }) => [state, devices]))).toEqual({
    protected: 1,
    failing: 1,
    unprotected: 1,
    overdue: 0,
    never: 0,
    no_engine: 0,
  })
  expect((await protection({ search: 'PC' })).data.map(({ deviceName }) => deviceName)).toEqual(['pc-1', 'pc-2'])
  const second = await protection({ page: '2', limit: '2' })
  expect(second.data.map(({ deviceName }) => deviceName)).toEqual(['srv-1'])

  await signInAgain()
  await policy('Late', nightly(), { level: 'device', targetId: two.deviceId })
  setDevice(app, two.deviceId, { backup_version: null })
  // The appliance was off for two nights.
  goTo('2026-03-04T03:00:00Z')
  await look()
  expect(await states()).toEqual({ 'pc-1': 'overdue', 'pc-2': 'no_engine', 'srv-1': 'failing' })
  app.db.statement('UPDATE backup_configs SET is_active = 0').run()
  expect(await states()).toEqual({ 'pc-1': 'unprotected', 'pc-2': 'unprotected', 'srv-1': 'unprotected' })
  setDevice(app, one.deviceId, { status: 'decommissioned' })
  setDevice(app, far.deviceId, { status: 'quarantined' })
  expect(await states()).toEqual({ 'pc-2': 'unprotected' })
})

test('the first page says which devices need attention because of their backups, to those who may see these', async () => {
  const { app, one, far, scheduleAt, end, token, atBranch, look } = await scene()
  const home = async (as: string) => (await app.call(readHome, { query: {} }, { token: as })).body.backups
  expect(await home(await token())).toEqual([])
  for (const date of ['02', '03']) {
    await scheduleAt(`2026-03-${date}T02:00:05Z`)
    await end(one, failed)
    await end(far, failed)
  }
  app.clock.advance(10 * 60_000)
  await look()
  const branch = await atBranch()
  expect(await home(branch)).toEqual([{ kind: 'failed', devices: 1, only: { id: far.deviceId, name: 'srv-1' } }])
  expect(await home(await token())).toEqual([{ kind: 'failed', devices: 2, only: null }])
  regrant(app, { name: 'Org Admin', scope: 'organization' }, ['devices:read'])
  const { id } = app.db.one(q.selectFrom('users').select('id').where('email', '=', 'branch@x.test'))
  expect(await home(await token(id))).toEqual([])
})

test('the CSV file for auditors has all devices that match, runs no formula, and is recorded', async () => {
  const { app, admin, org, one, csv, protection, far, atBranch } = await scene()
  setDevice(app, one.deviceId, { display_name: '=HYPERLINK("https://evil.test")' })
  const { statusCode, headers, body } = await csv()
  expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
    200,
    'text/csv; charset=utf-8',
    'no-store',
  ])
  const [header, ...lines] = body.trimEnd().split('\n')
  expect(header).toBe(protectionColumns.join(','))
  expect(lines).toHaveLength(3)
  expect(lines.find((line) => line.includes('srv-1'))).toBe(
    `"srv-1","Berlin","Branch","never","Branch","Appliance","","","2026-03-02T02:00:00.000Z","0","","${far.deviceId}"`,
  )
  expect(body).toContain(`"'=HYPERLINK(""https://evil.test"")"`)
  expect((await csv({ state: 'unprotected' })).body.trimEnd().split('\n')).toHaveLength(2)
  expect(auditOf(app, 'backup.protection.export')).toMatchObject([
    { actor_id: admin.userId, org_id: org.id, resource_id: org.id, details: { filters: {} } },
    { details: { filters: { state: 'unprotected' } } },
  ])
  const stranger = await otherCompany(app)
  expect((await csv({}, stranger.admin.token)).statusCode).toBe(400)
  const confined = await atBranch()
  expect((await csv({}, confined)).body).not.toContain('pc-2')
  expect((await protection({}, confined)).counts.reduce((sum, { devices }) => sum + devices, 0)).toBe(1)
  expect(auditOf(app, 'backup.protection.export')).toHaveLength(3)
})
