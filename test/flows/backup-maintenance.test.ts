import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Updateable } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import type { BackupSnapshotTable } from '../../server/features/backup-snapshots/tables.ts'
import { day, hour, iso } from '../../server/platform/clock.ts'
import { readBackupFolder } from '../../shared/api/backup-snapshots.ts'
import { eventually } from '../helpers/eventually.ts'
import { auditOf } from '../helpers/rows.ts'
import { storingDevice } from '../helpers/stored-snapshot.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** The data of expired snapshots goes, with the real restic, and nothing else does. */

/**
 * The restic of the appliance, which can be held up in `prune` or killed there; what devices use is another one.
 * `calls` counts how often it was asked to prune.
 */
function controlledRestic() {
  const folder = scratchFolder()
  const [file, hold, held, kill, calls] = ['restic', 'hold', 'held', 'kill', 'calls'].map((name) => join(folder, name))
  const real = process.env.RESTIC_PATH ?? '/usr/bin/restic'
  writeFileSync(
    file ?? '',
    `#!/bin/sh
case " $* " in *" prune "*)
  echo prune >> ${calls}
  if [ -e ${kill} ]; then rm ${kill}; kill -KILL $$; fi
  touch ${held}
  while [ -e ${hold} ]; do sleep 0.05; done
esac
exec ${real} "$@"
`,
  )
  chmodSync(file ?? '', 0o755)
  return {
    file: file ?? '',
    holdUp: () => writeFileSync(hold ?? '', ''),
    isHeldUp: () => existsSync(held ?? ''),
    goOn: () => renameSync(hold ?? '', join(folder, 'gone')),
    killNext: () => writeFileSync(kill ?? '', ''),
    prunes: () => (existsSync(calls ?? '') ? readFileSync(calls ?? '', 'utf8').trim().split('\n').length : 0),
  }
}

async function scene(env: Record<string, string> = {}) {
  const controlled = controlledRestic()
  const app = await testApp({ logs: true, env: { RESTIC_PATH: controlled.file, ...env } })
  onTestFinished(() => app[Symbol.asyncDispose]())
  const device = await storingDevice(app)
  const source = join(scratchFolder(), 'work')
  mkdirSync(source)
  /** One with a megabyte that no other has. */
  const backUp = async (name: string) => {
    const content = Buffer.alloc(1024 * 1024, `${name} ${Math.random()} `)
    writeFileSync(join(source, 'file'), content)
    const made = await device.backUp(source)
    app.clock.advance(1000)
    return { ...made, content }
  }
  const maintain = async () => {
    const { lastOutcome } = await app.app.jobs.runNow('backup.maintain')
    expect(lastOutcome).toBe('success')
  }
  const set = (id: string, values: Updateable<BackupSnapshotTable>) =>
    app.db.run(q.updateTable('backup_snapshots').set(values).where('id', '=', id))
  const expire = (...ids: string[]) => {
    for (const id of ids) set(id, { expired_at: iso(app.clock.now()) })
    app.clock.advance(48 * hour)
  }
  const rows = () => app.db.all(q.selectFrom('backup_snapshots').select('id').orderBy('timestamp')).map(({ id }) => id)
  const repository = () => app.db.one(q.selectFrom('backup_repositories').selectAll())
  return { ...device, ...controlled, app, source, backUp, maintain, set, expire, rows, repository }
}

const snapshotsOf = async (engine: { ok: (...args: string[]) => Promise<string> }) =>
  (JSON.parse(await engine.ok('snapshots', '--json')) as { id: string }[]).map(({ id }) => id)

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

const indexed = async (app: TestApp, token: string, id: string) =>
  (await app.call(readBackupFolder, { params: { id }, query: { path: '/' } }, { token })).status

test('two days after it expired the data of a snapshot goes; one on legal hold can be restored byte for byte', async () => {
  const { app, backUp, maintain, set, rows, repository, source, device, prunes } = await scene()
  const [held, old, last] = [await backUp('held'), await backUp('old'), await backUp('last')]
  const { folder, engine } = last
  const soon = iso(app.clock.now() + 1)
  for (const { id } of [held, old, last]) set(id, { expires_at: soon })
  set(held.id, { legal_hold: 1, legal_hold_reason: 'Case 12', legal_hold_source: 'manual' })
  app.clock.advance(1000)
  await app.app.jobs.runNow('backup.expire')
  const before = bytesIn(folder)

  app.clock.advance(48 * hour - 1)
  await maintain()
  expect(prunes()).toBe(0)
  expect(rows()).toEqual([held.id, old.id, last.id])
  app.clock.advance(1)
  await maintain()
  expect(prunes()).toBe(1)
  expect(rows()).toEqual([held.id, last.id])
  expect(await snapshotsOf(engine)).toEqual([held.snapshotId, last.snapshotId])
  const after = bytesIn(folder)
  expect(before - after).toBeGreaterThan(0)
  expect(repository()).toMatchObject({
    stored_bytes: after,
    last_prune_at: iso(app.clock.now()),
    maintenance_error: null,
    lock_until: null,
  })
  expect(auditOf(app, 'backup.snapshot.delete')).toMatchObject([
    { resource_id: device.deviceId, details: { snapshots: 1, storedBytes: after } },
  ])
  const target = scratchFolder()
  await engine.ok('restore', held.snapshotId, '--target', target, '--verify')
  expect(readFileSync(join(target, source, 'file')).equals(held.content)).toBe(true)
  await engine.ok('check', '--read-data')
  await maintain()
  expect(prunes(), 'nothing is due').toBe(1)
})

test('what expired is no longer found among the files, and the rest is', async () => {
  const { app, token, backUp, expire, maintain } = await scene()
  const [old, last] = [await backUp('old'), await backUp('last')]
  expire(old.id)
  await maintain()
  expect(await app.call(readBackupFolder, { params: { id: old.id }, query: { path: '/' } })).toMatchObject({
    status: 401,
  })
  expect([await indexed(app, token, old.id), await indexed(app, token, last.id)]).toEqual([404, 200])
})
