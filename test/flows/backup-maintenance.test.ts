import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Updateable } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import type { BackupSnapshotTable } from '../../server/features/backup-snapshots/tables.ts'
import { SnapshotIndex } from '../../server/features/snapshot-index/index.ts'
import { day, hour, iso } from '../../server/platform/clock.ts'
import { createRestore } from '../../shared/api/backup-restores.ts'
import { eventually } from '../helpers/eventually.ts'
import { auditOf } from '../helpers/rows.ts'
import { storingDevice } from '../helpers/stored-snapshot.ts'
import { testApp } from '../helpers/test-app.ts'

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
    prunes: () =>
      existsSync(calls ?? '')
        ? readFileSync(calls ?? '', 'utf8')
            .trim()
            .split('\n').length
        : 0,
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
    for (const id of ids) set(id, { expired_at: iso(app.clock.now() - 48 * hour) })
  }
  const rows = () => app.db.all(q.selectFrom('backup_snapshots').select('id').orderBy('timestamp')).map(({ id }) => id)
  const repository = () => app.db.one(q.selectFrom('backup_repositories').selectAll())
  const index = new SnapshotIndex(join(app.dataDir, 'backup-index'))
  onTestFinished(() => index.stop())
  return { ...device, ...controlled, app, index, source, backUp, maintain, set, expire, rows, repository }
}

const snapshotsOf = async (engine: { ok: (...args: string[]) => Promise<string> }) =>
  (JSON.parse(await engine.ok('snapshots', '--json')) as { id: string }[]).map(({ id }) => id)

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

test('two days after it expired the data of a snapshot goes; one on legal hold can be restored byte for byte', async () => {
  const { app, index, backUp, maintain, set, rows, repository, source, device, prunes } = await scene()
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
  expect((await index.indexed(last.repositoryId)).map(({ id }) => id)).toEqual([last.snapshotId, held.snapshotId])
  await maintain()
  expect(prunes(), 'nothing is due').toBe(1)
})

test('maintenance leaves a repository alone in which a backup runs, and a backup that is due meanwhile waits for it', async () => {
  const { backUp, expire, maintain, rows, operator, device, socket, prunes, holdUp, isHeldUp, goOn } = await scene()
  const [old, last] = [await backUp('old'), await backUp('last')]
  const running = (await operator.run(device.deviceId)).body
  await socket.frame((frame) => frame.id === running.id)
  expire(old.id)
  await maintain()
  expect([prunes(), rows()]).toEqual([0, [old.id, last.id]])
  socket.send({ type: 'command_result', commandId: running.id, status: 'failed', error: 'the disk is full' })
  await socket.settled()

  holdUp()
  const maintenance = maintain()
  await eventually(() => expect(isHeldUp()).toBe(true))
  const due = (await operator.run(device.deviceId)).body
  await socket.settled()
  expect(socket.frames.some(({ id }) => id === due.id)).toBe(false)
  goOn()
  await maintenance
  await socket.frame((frame) => frame.id === due.id)
  expect([prunes(), rows()]).toEqual([1, [last.id]])
})

test('a restore does not wait for maintenance, which goes on the next time', async () => {
  const { app, token, backUp, expire, maintain, rows, repository, socket, holdUp, isHeldUp, goOn } = await scene()
  const [old, last] = [await backUp('old'), await backUp('last')]
  expire(old.id)
  holdUp()
  const maintenance = maintain()
  await eventually(() => expect(isHeldUp()).toBe(true))
  const { id } = (await app.call(createRestore, { body: { snapshotId: last.id } }, { token })).body
  await maintenance
  await socket.frame((frame) => frame.id === id)
  expect(rows()).toEqual([old.id, last.id])
  expect(repository()).toMatchObject({ last_prune_at: null, maintenance_error: null, lock_until: null })
  goOn()
  socket.send({ type: 'command_result', commandId: id, status: 'completed', result: { status: 'completed' } })
  await socket.settled()
  await maintain()
  expect(rows()).toEqual([last.id])
  expect(await snapshotsOf(last.engine)).toEqual([last.snapshotId])
})

test('killed between forget and prune, or between prune and the row, the next run goes on', async () => {
  const { app, index, set, backUp, expire, maintain, rows, repository, killNext } = await scene()
  const [first, second, last] = [await backUp('first'), await backUp('second'), await backUp('last')]
  expire(first.id)
  killNext()
  await maintain()
  expect(await snapshotsOf(last.engine)).toEqual([second.snapshotId, last.snapshotId])
  expect(rows()).toEqual([first.id, second.id, last.id])
  expect(repository()).toMatchObject({
    maintenance_error: expect.stringContaining('SIGKILL'),
    maintained_at: iso(app.clock.now()),
    last_prune_at: null,
  })
  await maintain()
  expect(rows()).toEqual([second.id, last.id])
  expect(repository()).toMatchObject({ maintenance_error: null, last_prune_at: iso(app.clock.now()) })

  await last.engine.ok('forget', second.snapshotId, '--prune')
  set(second.id, { expired_at: iso(app.clock.now()), objects_deleted_at: iso(app.clock.now()) })
  await maintain()
  expect(rows()).toEqual([last.id])
  expect((await index.indexed(last.repositoryId)).map(({ id }) => id)).toEqual([last.snapshotId])
  await last.engine.ok('check', '--read-data')
})

test('a snapshot that is not there any more does not keep the others, and each is named in full', async () => {
  const { app, backUp, expire, maintain, rows, set } = await scene()
  const [lost, old, odd, last] = [await backUp('lost'), await backUp('old'), await backUp('odd'), await backUp('last')]
  await last.engine.ok('forget', lost.snapshotId)
  // restic would take it for any that begins so.
  set(odd.id, { snapshot_id: last.snapshotId.slice(0, 8) })
  expire(lost.id, old.id, odd.id)
  await maintain()
  expect(rows()).toEqual([odd.id, last.id])
  expect(await snapshotsOf(last.engine)).toEqual([odd.snapshotId, last.snapshotId])
  expect(auditOf(app, 'backup.snapshot.delete')).toMatchObject([{ details: { snapshots: 2 } }])
})

test('storage that cannot be reached is tried again; people see why it failed', async () => {
  const { backUp, expire, maintain, rows, repository } = await scene()
  const [old, last] = [await backUp('old'), await backUp('last')]
  expire(old.id)
  renameSync(last.folder, `${last.folder}-away`)
  await maintain()
  expect(rows()).toEqual([old.id, last.id])
  expect(repository().maintenance_error).toBe('The repository is not there. Is the storage connected?')
  expect(existsSync(last.folder), 'no new one is made').toBe(false)
  renameSync(`${last.folder}-away`, last.folder)
  await maintain()
  expect(rows()).toEqual([last.id])
  expect(repository().maintenance_error).toBeNull()
})

test('a lock that a backup has left goes; one in use would stay, but nobody works there', async () => {
  const { backUp, expire, maintain, rows } = await scene()
  const [old, last] = [await backUp('old'), await backUp('last')]
  expire(old.id)
  const locks = () => readdirSync(join(last.folder, 'locks'))
  // Waits for what is never written, with a lock.
  const left = last.engine.start('backup', '--stdin')
  onTestFinished(() => void left.kill('SIGKILL'))
  await eventually(() => expect(locks()).toHaveLength(1))
  await maintain()
  expect(rows()).toEqual([last.id])
  expect(locks()).toEqual([])
  left.kill('SIGKILL')
  await once(left, 'close')
  await last.engine.ok('check')
})

test('ten runs at once are one', async () => {
  const { backUp, expire, maintain, rows, prunes } = await scene()
  const [old, last] = [await backUp('old'), await backUp('last')]
  expire(old.id)
  await Promise.all(Array.from({ length: 10 }, maintain))
  expect([prunes(), rows()]).toEqual([1, [last.id]])
})

test('protection that comes after a snapshot expired still counts, and so does a storage that is turned off', async () => {
  const { app, backUp, expire, maintain, rows, set, config, prunes } = await scene()
  const [held, old, last] = [await backUp('held'), await backUp('old'), await backUp('last')]
  expire(held.id, old.id)
  const turn = (isActive: 0 | 1) =>
    app.db.run(q.updateTable('backup_configs').set({ is_active: isActive }).where('id', '=', config.id))
  turn(0)
  await maintain()
  expect([prunes(), rows()]).toEqual([0, [held.id, old.id, last.id]])
  turn(1)
  set(held.id, { legal_hold: 1 })
  await maintain()
  expect(rows()).toEqual([held.id, last.id])
  expect(await snapshotsOf(last.engine)).toEqual([held.snapshotId, last.snapshotId])
})

test('a repository is pruned weekly, for what interrupted backups have left', async () => {
  const { app, backUp, maintain, prunes, repository } = await scene()
  await backUp('only')
  app.clock.advance(7 * day - 2000)
  await maintain()
  expect(prunes()).toBe(0)
  app.clock.advance(2000)
  await maintain()
  await maintain()
  expect(prunes()).toBe(1)
  expect(repository().last_prune_at).toBe(iso(app.clock.now()))
})

test('without restic on the appliance expired snapshots stay where they are, and the log says so once', async () => {
  const { app, backUp, expire, maintain, rows } = await scene({ RESTIC_PATH: '/nowhere/restic' })
  const [old, last] = [await backUp('old'), await backUp('last')]
  expire(old.id)
  await maintain()
  await maintain()
  expect(rows()).toEqual([old.id, last.id])
  expect(app.logLines.filter((line) => line.includes('no restic'))).toHaveLength(1)
})

test('what lies in the store for a device that is gone is removed after two days, and access that has expired', async () => {
  const { app, backUp } = await scene()
  const kept = await backUp('kept')
  const id = randomUUID()
  const [gone, other] = [join(app.dataDir, 'backups', id), join(app.dataDir, 'backups', 'notes')]
  for (const folder of [gone, other]) mkdirSync(join(folder, 'data'), { recursive: true })
  const credential = { id: randomUUID(), repository_id: kept.repositoryId, command_id: 'x', mode: 'read' } as const
  const at = iso(app.clock.now() - hour)
  const expired = { ...credential, secret_hash: '', created_at: at, expires_at: at }
  app.db.run(q.insertInto('backup_store_credentials').values(expired))
  const clean = () => app.app.jobs.runNow('backup-store.clean')
  await clean()
  expect(app.rowCounts().backup_store_credentials).toBe(0)
  app.clock.advance(48 * hour - 1)
  await clean()
  expect(existsSync(gone)).toBe(true)
  app.clock.advance(1)
  await clean()
  expect([gone, other, kept.folder].map((folder) => existsSync(folder))).toEqual([false, true, true])
  expect(app.rowCounts().backup_store_leftovers).toBe(0)
})
