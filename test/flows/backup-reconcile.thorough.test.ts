import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import { day, hour, iso } from '../../server/platform/clock.ts'
import { readReconcile, startReconcile } from '../../shared/api/backup-maintenance.ts'
import { readBackupFolder } from '../../shared/api/backup-snapshots.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { eventually } from '../helpers/eventually.ts'
import { otherCompany, person } from '../helpers/factories.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { passFactor } from '../helpers/sessions.ts'
import { storingDevice } from '../helpers/stored-snapshot.ts'
import { testApp } from '../helpers/test-app.ts'

/** Snapshots that are listed beside those that lie in storage, with the real restic. */

async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const device = await storingDevice(app)
  const { org, token, operator } = device
  const source = join(scratchFolder(), 'work')
  mkdirSync(source)
  writeFileSync(join(source, 'report.txt'), 'the report')
  /** Made, and taken down in the list, three days ago. */
  const backUp = async () => {
    const made = await device.backUp(source)
    const timestamp = iso(app.clock.now() - 3 * day)
    app.db.run(q.updateTable('backup_snapshots').set({ timestamp }).where('id', '=', made.id))
    return made
  }
  const start = (body: InputOf<typeof startReconcile>['body'] = {}, as = token, orgId = org.id) =>
    app.call(startReconcile, { query: { orgId }, body }, { token: as })
  const last = async (as = token) =>
    (await app.call(readReconcile, { query: { orgId: org.id } }, { token: as })).body.data
  const reconcile = async (body: InputOf<typeof startReconcile>['body'] = {}) => {
    const started = await start(body)
    expect(started.status, JSON.stringify(started.body)).toBe(202)
    return eventually(async () => {
      const state = await last()
      expect(state?.state).toBe('completed')
      return state?.result
    })
  }
  return { ...device, app, source, backUp, start, last, reconcile, snapshots: () => operator.snapshots() }
}

/** By the real restic, before `at`, without the appliance knowing. */
async function unlisted(
  { app, source, device }: Pick<Awaited<ReturnType<typeof scene>>, 'app' | 'source' | 'device'>,
  { engine }: { engine: { ok: (...args: string[]) => Promise<string> } },
  ageMs: number,
  tag = 'job:none',
) {
  const time = iso(app.clock.now() - ageMs)
    .slice(0, 19)
    .replace('T', ' ')
  await engine.ok('backup', '--time', time, '--host', device.deviceId, '--tag', `x${ageMs}`, '--tag', tag, source)
  const [{ id }] = JSON.parse(await engine.ok('snapshots', '--json', '--tag', `x${ageMs}`)) as [{ id: string }]
  return id
}

test('both kinds of difference are named, older than two days only, and nothing changes until it is confirmed', async () => {
  const made = await scene()
  const { app, device, backUp, reconcile, snapshots, last } = made
  expect(await last()).toBeNull()
  const [lost, kept] = [await backUp(), await backUp()]
  const found = await unlisted(made, kept, 3 * day)
  await unlisted(made, kept, 47 * hour)
  await kept.engine.ok('forget', lost.snapshotId)
  const before = app.rowCounts()
  const result = await reconcile()
  expect(result).toEqual({
    repositories: 1,
    unreachable: [],
    findings: [
      expect.objectContaining({ kind: 'missing', id: lost.id, deviceId: device.deviceId, isProtected: false }),
      expect.objectContaining({ kind: 'unknown', id: found, deviceName: 'pc-1' }),
    ],
    adopted: 0,
    removed: 0,
  })
  expect(app.rowCounts()).toMatchObject({ backup_snapshots: before.backup_snapshots })
  expect((await snapshots()).map(({ id }) => id).sort()).toEqual([lost.id, kept.id].sort())
  expect(auditOf(app, 'backup.reconcile')).toMatchObject([{ details: { confirm: false } }])
})

test('confirmed, what is gone is no longer listed, and what was found is, with its files, and can be restored', async () => {
  const made = await scene()
  const { app, token, backUp, reconcile, snapshots } = made
  const [lost, kept] = [await backUp(), await backUp()]
  const jobId = (await snapshots()).find(({ id }) => id === lost.id)?.jobId ?? ''
  app.db.run(q.updateTable('backup_snapshots').set({ job_id: null }).where('id', '=', lost.id))
  const found = await unlisted(made, kept, 3 * day, `job:${jobId}`)
  await kept.engine.ok('forget', lost.snapshotId)
  expect(await reconcile({ confirm: true })).toMatchObject({ adopted: 1, removed: 1, findings: [] })
  const listed = await snapshots()
  expect(listed.map(({ id }) => id)).not.toContain(lost.id)
  const adopted = listed.find((one) => one.id !== kept.id)
  expect(adopted).toMatchObject({ jobId, fileCount: 1, sizeBytes: 10, createdAt: iso(app.clock.now() - 3 * day) })
  const row = app.db.one(
    q
      .selectFrom('backup_snapshots')
      .selectAll()
      .where('id', '=', adopted?.id ?? ''),
  )
  expect(row).toMatchObject({ snapshot_id: found, repository_id: kept.repositoryId, expired_at: null })
  const folder = await app.call(readBackupFolder, { params: { id: row.id }, query: { path: made.source } }, { token })
  expect(folder.body.data).toMatchObject([{ name: 'report.txt' }])
  expect(auditOf(app, 'backup.snapshot.adopt')).toMatchObject([{ details: { snapshotId: row.id } }])
  expect(auditOf(app, 'backup.snapshot.delete')).toMatchObject([{ details: { snapshotId: lost.id } }])
  expect(await reconcile({ confirm: true }), 'again').toMatchObject({ adopted: 0, removed: 0, findings: [] })
  await app.app.jobs.runNow('backup.maintain')
  expect(app.rowCounts().backup_snapshots).toBe(2)
})

test('only what is named is handled; unlisted snapshots go when that is asked for; what is protected stays listed', async () => {
  const made = await scene()
  const { app, backUp, reconcile } = made
  const [held, kept] = [await backUp(), await backUp()]
  const [first, second] = [await unlisted(made, kept, 3 * day), await unlisted(made, kept, 4 * day)]
  await kept.engine.ok('forget', held.snapshotId)
  app.db.run(q.updateTable('backup_snapshots').set({ legal_hold: 1 }).where('id', '=', held.id))
  const result = await reconcile({ confirm: true, unknown: 'delete', ids: [held.id, first] })
  expect(result).toMatchObject({
    adopted: 0,
    removed: 1,
    findings: [
      { kind: 'missing', id: held.id, isProtected: true },
      { kind: 'unknown', id: second },
    ],
  })
  const stored = JSON.parse(await kept.engine.ok('snapshots', '--json')) as { id: string }[]
  expect(stored.map(({ id }) => id).sort()).toEqual([kept.snapshotId, second].sort())
  await kept.engine.ok('check')
})

test('storage that cannot be read is named, one comparison runs at a time, and an archived organization has none', async () => {
  const { app, org, backUp, reconcile, start } = await scene()
  const { folder } = await backUp()
  renameSync(folder, `${folder}-away`)
  expect(await reconcile({ confirm: true })).toMatchObject({
    repositories: 0,
    unreachable: [{ deviceName: 'pc-1', reason: 'The repository is not there. Is the storage connected?' }],
  })
  renameSync(`${folder}-away`, folder)
  const answers = await Promise.all(Array.from({ length: 10 }, () => start()))
  expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array.from({ length: 9 }, () => 409)])
  setOrganization(app, org.id, { status: 'archived' })
  const refused = await start({ confirm: true })
  expect(refused.status).toBeGreaterThanOrEqual(400)
})

test('other tenants, people who may not, and people who see a part of the organization compare nothing', async () => {
  const { app, org, site, backUp, start, last, reconcile } = await scene()
  await backUp()
  await reconcile()
  const stranger = await otherCompany(app)
  passFactor(app, stranger.admin.token)
  const reader = await person(app, { email: 'reader@x.test', scope: 'organization', orgId: org.id, role: 'Org Viewer' })
  const local = await person(app, { email: 'local@x.test', scope: 'organization', orgId: org.id, siteIds: [site.id] })
  for (const { token } of [reader, local]) passFactor(app, token)
  const statuses = await Promise.all(
    [stranger.admin.token, reader.token, local.token].map(
      async (token) => (await start({ confirm: true }, token)).status,
    ),
  )
  expect(statuses).toEqual([400, 403, 403])
  expect(auditOf(app, 'backup.reconcile').filter(({ result }) => result === 'success')).toHaveLength(1)
  expect(await last(local.token)).toBeNull()
})
