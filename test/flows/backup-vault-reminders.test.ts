import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import { day, hour } from '../../server/platform/clock.ts'
import { createVault } from '../../shared/api/backup-vaults.ts'
import { good, nightly, reportScene } from './backup-report-kit.ts'

/** A second copy that has waited too long for its disk, or that fails, needs attention. */

async function scene() {
  const made = await reportScene()
  const { app, org, one, policy, scheduleAt, end, token } = made
  await policy('Nightly', nightly(), { level: 'device', targetId: one.deviceId })
  await made.look()
  const vaultPath = join(scratchFolder(), 'disk')
  const body = { place: 'appliance', vaultPath, vaultType: 'local' }
  const created = await app.call(createVault, { body, query: { orgId: org.id } } as never, { token: await token() })
  expect(created.status).toBe(201)
  await scheduleAt('2026-03-02T02:00:05Z')
  await end(one, good)
  return made
}

test('after eight days without its disk it is late, which is said and mailed once, until somebody turns it off', async () => {
  const { app, one, two, job, mail, mails, problems } = await scene()
  const look = async () => {
    await job('backup.sync-copies')
    await job('backup.watch-copies')
    await mail()
  }
  app.clock.advance(7 * day)
  await look()
  expect(problems(one)).not.toContain('copy_late')
  expect(mails('backup-copy-late')).toEqual([])
  app.clock.advance(day)
  await look()
  await look()
  expect(problems(one)).toContain('copy_late')
  expect(problems(two)).not.toContain('copy_late')
  expect(mails('backup-copy-late')).toMatchObject([{ to: 'ops@acme.test', data: { count: 1 } }])
  expect(app.db.all(q.selectFrom('backup_vaults').select(['waiting_for', 'last_sync_status']))).toEqual([
    { waiting_for: 'medium', last_sync_status: 'pending' },
  ])
  app.db.run(q.updateTable('backup_vaults').set({ is_active: 0 }))
  await look()
  expect(problems(one)).not.toContain('copy_late')
})

test('one that fails or is damaged needs attention and is mailed once, until it no longer does', async () => {
  const { app, one, job, mail, mails, problems, dashboard } = await scene()
  await job('backup.watch-copies')
  const change = (error: string | null) => app.db.run(q.updateTable('backup_vault_repositories').set({ error }))
  change('The storage is full')
  await job('backup.watch-copies')
  expect(problems(one)).toContain('copy_failed')
  const { attentionItems } = await dashboard()
  expect(attentionItems.find(({ kind }) => kind === 'copy_failed')).toMatchObject({ severity: 'critical' })
  const mailed = { to: 'ops@acme.test', data: { count: 1 } }
  for (let time = 0; time < 3; time++) {
    await mail()
    app.clock.advance(hour)
    await job('backup.watch-copies')
  }
  expect(mails('backup-copy-failed')).toMatchObject([mailed])
  expect(mails('backup-copy-late')).toEqual([])
  change(null)
  await job('backup.watch-copies')
  await mail()
  expect(problems(one)).not.toContain('copy_failed')
  expect(mails('backup-copy-failed')).toHaveLength(1)
  app.db.run(q.updateTable('backup_vault_repositories').set({ damage: 'Pack ab is damaged' }))
  await job('backup.watch-copies')
  await mail()
  expect(problems(one)).toContain('copy_failed')
  expect(mails('backup-copy-failed')).toMatchObject([mailed, mailed])
})
