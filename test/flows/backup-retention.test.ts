import { randomBytes, randomUUIDv7 } from 'node:crypto'
import type { Updateable } from 'kysely'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { Snapshots } from '../../server/features/backup-snapshots/snapshots.ts'
import type { BackupSnapshotTable } from '../../server/features/backup-snapshots/tables.ts'
import { day, iso } from '../../server/platform/clock.ts'
import type { BackupMode, BackupRetention } from '../../shared/backup-plan.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { home, policyScene } from './policy-kit.ts'

/** When snapshots expire, and what keeps them. */

async function scene(settings: object = {}) {
  const made = await policyScene()
  const { app, org, one, storage, policy, unlink } = made
  const config = await storage({ isDefault: true })
  const at = { level: 'organization', targetId: org.id } as const
  const assigned = await policy('Daily', { ...home, ...settings }, at)
  const snapshots = new Snapshots({ ...app, devices: { find: () => expect.unreachable() } })
  const taken = (retention: BackupRetention = {}, mode: BackupMode = 'file', configId = config.id) => {
    // Each has its own time.
    app.clock.advance(1)
    return snapshots.record({
      orgId: org.id,
      deviceId: one.deviceId,
      configId,
      repositoryId: null,
      keyId: null,
      jobId: null,
      snapshotId: randomBytes(32).toString('hex'),
      mode,
      label: 'Backup',
      bytes: 1,
      files: 1,
      retention,
      protection: { legalHold: null, immutability: null },
    })
  }
  const set = (id: string, values: Updateable<BackupSnapshotTable>) =>
    app.db.run(q.updateTable('backup_snapshots').set(values).where('id', '=', id))
  const kept = () =>
    app.db
      .all(q.selectFrom('backup_snapshots').select('id').where('expired_at', 'is', null).orderBy('timestamp'))
      .map(({ id }) => id)
  const run = async () => {
    expect(await app.app.jobs.runNow('backup.expire')).toMatchObject({ lastOutcome: 'success' })
    return kept()
  }
  const stopAssigning = () => unlink(assigned.id, assigned.linkId)
  return { ...made, config, taken, set, kept, run, stopAssigning }
}

test('a snapshot expires when its time is over, not a moment before, and the organization’s log says so', async () => {
  const { app, org, taken, run } = await scene()
  const old = taken({ retentionDays: 7 })
  const expiresAt = app.clock.now() + 7 * day
  const last = taken({ retentionDays: 7 })
  app.clock.advance(expiresAt - app.clock.now() - 1)
  expect(await run()).toEqual([old, last])
  expect(auditOf(app, 'backup.snapshot.expire')).toEqual([])
  app.clock.advance(1)
  expect(await run()).toEqual([last])
  expect(auditOf(app, 'backup.snapshot.expire')).toMatchObject([
    { org_id: org.id, actor_type: 'system', details: { snapshots: 1, because: 'age' } },
  ])
  await run()
  expect(auditOf(app, 'backup.snapshot.expire')).toHaveLength(1)
})

test('the last one of each kind in each storage stays, however old it is', async () => {
  const { app, storage, taken, run } = await scene()
  const other = await storage({ name: 'Other' })
  const soon = { retentionDays: 1 }
  taken(soon)
  const kept = [taken(soon), taken(soon, 'system_image'), taken(soon, 'file', other.id)]
  app.clock.advance(400 * day)
  expect(await run()).toEqual(kept)
})

test('sons, fathers and grandfathers: after ten weeks of daily backups those are there that the policy keeps', async () => {
  const { app, taken, run } = await scene()
  const retention = { keepDaily: 3, keepWeekly: 2, keepMonthly: 2 }
  // A Sunday; until the tenth Sunday after it, 10 May.
  const start = Date.parse('2026-03-01T03:00:00.000Z')
  app.clock.advance(start - app.clock.now())
  const dates = new Map<string, string>()
  for (let n = 0; n <= 70; n++) {
    app.clock.advance(start + n * day - app.clock.now())
    dates.set(taken(retention), iso(start + n * day).slice(0, 10))
    if (n % 10 === 0) await run()
  }
  const left = (await run()).map((id) => dates.get(id))
  expect(left).toEqual(['2026-03-31', '2026-04-30', '2026-05-03', '2026-05-08', '2026-05-09', '2026-05-10'])
})

test('beyond as many versions as the policy keeps now the oldest expire, in each storage by itself', async () => {
  const { app, storage, taken, run, stopAssigning } = await scene({ retention: { maxVersions: 2 } })
  const other = await storage({ name: 'Other' })
  const here = [taken(), taken(), taken(), taken()]
  const there = [taken({}, 'file', other.id), taken({}, 'file', other.id)]
  expect(await run()).toEqual([...here.slice(2), ...there])
  expect(auditOf(app, 'backup.snapshot.expire')).toMatchObject([{ details: { snapshots: 2, because: 'versions' } }])
  const newest = taken()
  await stopAssigning()
  expect(await run()).toEqual([...here.slice(2), ...there, newest])
})

test('legal hold and immutability keep a snapshot over its time, over the number of versions, and without the policy', async () => {
  const { app, taken, set, run, stopAssigning } = await scene({ retention: { maxVersions: 1, retentionDays: 1 } })
  const held = taken({ retentionDays: 1 })
  const immutable = taken({ retentionDays: 1 })
  taken({ retentionDays: 1 })
  const last = taken({ retentionDays: 1 })
  set(held, { legal_hold: 1, legal_hold_reason: 'Case 12', legal_hold_source: 'policy' })
  const until = app.clock.now() + 30 * day
  set(immutable, { is_immutable: 1, immutable_until: iso(until), immutability_enforcement: 'application' })
  expect(await run()).toEqual([held, immutable, last])
  app.clock.advance(until - 1 - app.clock.now())
  expect(await run()).toEqual([held, immutable, last])
  await stopAssigning()
  app.clock.advance(1)
  expect(await run()).toEqual([held, last])
  app.clock.advance(4000 * day)
  expect(await run()).toEqual([held, last])
  set(held, { legal_hold: 0 })
  expect(await run()).toEqual([last])
})

test('a snapshot whose check failed pushes out no older one, neither by number nor as the last of its kind', async () => {
  const { app, org, one, taken, run } = await scene({ retention: { maxVersions: 2, retentionDays: 1 } })
  const checked = (snapshotId: string, status: 'passed' | 'failed') => {
    app.clock.advance(1)
    const now = iso(app.clock.now())
    app.db.run(
      q.insertInto('backup_verifications').values({
        ...{ id: randomUUIDv7(), org_id: org.id, device_id: one.deviceId, repository_id: null, backup_job_id: null },
        ...{ snapshot_id: snapshotId, snapshot_taken_at: now, verification_type: 'integrity', status },
        ...{ source: 'post_backup', requested_by: null, ran_on: 'appliance', subset: null, dispatched_at: null },
        ...{ started_at: now, completed_at: now, last_progress_at: null, restore_time_seconds: null },
        ...{ size_bytes: null, details: null, created_at: now, updated_at: now },
      }),
    )
  }
  const good = [taken(), taken()]
  const claimed = [taken(), taken(), taken()]
  for (const id of claimed) checked(id, 'failed')
  expect(await run()).toEqual([...good, ...claimed])
  // One that is not checked yet counts.
  const unchecked = taken()
  expect(await run()).toEqual([good[1], ...claimed, unchecked])
  checked(unchecked, 'failed')
  expect(await run()).toEqual([good[1], ...claimed, unchecked])
  const newest = taken()
  checked(unchecked, 'passed')
  expect(await run(), 'what came before two sound ones goes, the damaged as well').toEqual([unchecked, newest])
  const old = taken({ retentionDays: 1 }, 'system_image')
  const lost = taken({ retentionDays: 1 }, 'system_image')
  checked(lost, 'failed')
  app.clock.advance(2 * day)
  expect(await run()).toEqual(expect.arrayContaining([old, lost]))
})

test('what a restore reads stays until that has ended', async () => {
  const { app, org, one, taken, run } = await scene()
  const read = taken({ retentionDays: 1 })
  const last = taken({ retentionDays: 1 })
  const now = iso(app.clock.now())
  const restore = { id: randomUUIDv7(), org_id: org.id, snapshot_id: read, snapshot_taken_at: now }
  app.db.run(
    q.insertInto('restore_jobs').values({
      ...{ ...restore, device_id: one.deviceId, restore_type: 'full', selected_paths: '[]' as never, in_place: 0 },
      ...{ existing_files: 'keep', status: 'running', created_at: now, updated_at: now },
    }),
  )
  app.clock.advance(2 * day)
  expect(await run()).toEqual([read, last])
  app.db.run(q.updateTable('restore_jobs').set({ status: 'completed' }))
  expect(await run()).toEqual([last])
})

test('nothing expires in an organization that is archived; when it is back, what is overdue does', async () => {
  const { app, org, taken, run } = await scene()
  const [old, last] = [taken({ retentionDays: 1 }), taken({ retentionDays: 1 })]
  app.clock.advance(10 * day)
  setOrganization(app, org.id, { status: 'archived' })
  expect(await run()).toEqual([old, last])
  setOrganization(app, org.id, { status: 'active' })
  expect(await run()).toEqual([last])
})

test('thousands expire in pieces, all of them, and nothing of another device', async () => {
  const { app, taken, run } = await scene()
  app.db.transaction(() => {
    for (let n = 0; n < 3000; n++) taken({ retentionDays: 1 })
  })
  const last = taken({ retentionDays: 1 })
  app.clock.advance(3 * day)
  expect(await run()).toEqual([last])
  const counts = auditOf(app, 'backup.snapshot.expire').map(({ details }) => Number(details.snapshots))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3000)
  expect(counts.length).toBeGreaterThan(1)
})
