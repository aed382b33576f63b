import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import { hour, iso } from '../../server/platform/clock.ts'
import { protectedDevice } from '../flows/backup-agent-kit.ts'
import { sshServer } from '../helpers/ssh-server.ts'

/** Maintenance of storage that is not the appliance’s own, with the real agent and the real restic. */

const onThisMachine = { OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' }

test.each([
  ['a server with SSH, by the appliance', async () => ({ provider: 'sftp', details: (await sshServer()).details })],
  ['a folder on the device, by the device', async () => ({ provider: 'local', details: { path: scratchFolder() } })],
])('%s: what expired goes, the rest can be restored, and it is known how much is stored', async (_, storage) => {
  const scene = await protectedDevice({ storage: await storage(), env: onThisMachine })
  const { app, source, folder, backedUp, restored, snapshots } = scene
  writeFileSync(join(source, 'large'), randomBytes(3_000_000))
  expect(await backedUp()).toMatchObject({ status: 'completed' })
  writeFileSync(join(source, 'large'), randomBytes(2_000_000))
  expect(await backedUp()).toMatchObject({ status: 'completed' })
  const [newest, oldest] = await snapshots()
  const repository = () => app.db.one(q.selectFrom('backup_repositories').selectAll())
  const maintain = () => app.app.jobs.runNow('backup.maintain')

  app.db.run(
    q
      .updateTable('backup_snapshots')
      .set({ expired_at: iso(app.clock.now() - 48 * hour) })
      .where('id', '=', oldest?.id ?? ''),
  )
  expect(await maintain()).toMatchObject({ lastOutcome: 'success' })
  expect(repository()).toMatchObject({ maintenance_error: null, lock_until: null, measured_at: iso(app.clock.now()) })
  expect(repository().stored_bytes).toBeGreaterThan(2_000_000)
  expect(repository().stored_bytes, 'the data of the first one is gone').toBeLessThan(3_000_000)
  expect(app.rowCounts().backup_snapshots).toBe(1)

  const targetPath = join(folder, 'back')
  expect(await restored({ snapshotId: newest?.id, restoreType: 'full', targetPath })).toMatchObject({
    status: 'completed',
  })
  expect(await backedUp()).toMatchObject({ status: 'completed' })
})
