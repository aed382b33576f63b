import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import type { Updateable } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import type { BackupSnapshotTable } from '../../server/features/backup-snapshots/tables.ts'
import { SnapshotIndex } from '../../server/features/snapshot-index/index.ts'
import { day, hour, iso } from '../../server/platform/clock.ts'
import { readBackupMaintenance } from '../../shared/api/backup-maintenance.ts'
import { createRestore } from '../../shared/api/backup-restores.ts'
import { eventually } from '../helpers/eventually.ts'
import { otherCompany, person, siteOf } from '../helpers/factories.ts'
import { auditOf } from '../helpers/rows.ts'
import { storingDevice } from '../helpers/stored-snapshot.ts'
import { testApp } from '../helpers/test-app.ts'
import { atLength } from '../helpers/thorough.ts'

/** The data of expired snapshots goes, with the real restic, and nothing else does. */

/**
 * The restic of the appliance, which can be held up in `prune` or killed there; what devices use is another one.
 * `commands`: what it was asked to do.
 */
function controlledRestic() {
  const folder = scratchFolder()
  const at = (name: string) => join(folder, name)
  const real = process.env.RESTIC_PATH ?? '/usr/bin/restic'
  writeFileSync(
    at('restic'),
    `#!/bin/sh
echo "$*" >> ${at('calls')}
case " $* " in *" prune "*)
  if [ -e ${at('kill')} ]; then rm ${at('kill')}; kill -KILL $$; fi
  touch ${at('held')}
  while [ -e ${at('hold')} ]; do sleep 0.05; done
esac
exec ${real} "$@"
`,
    { mode: 0o755 },
  )
  writeFileSync(at('calls'), '')
  const commands = () =>
    readFileSync(at('calls'), 'utf8')
      .split('\n')
      .flatMap((line) => / --json (\w+)/.exec(line)?.[1] ?? [])
  return {
    file: at('restic'),
    commands,
    prunes: () => commands().filter((command) => command === 'prune').length,
    holdUp: () => writeFileSync(at('hold'), ''),
    isHeldUp: () => existsSync(at('held')),
    goOn: () => renameSync(at('hold'), at('gone')),
    killNext: () => writeFileSync(at('kill'), ''),
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
  const { app, index, backUp, maintain, set, rows, repository, source, device, prunes, commands } = await scene()
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
  expect(commands(), 'then nothing is due').toEqual(['snapshots', 'forget', 'prune', 'stats'])
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

atLength('a restore does not wait for maintenance, which goes on the next time', async () => {
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

atLength('killed between forget and prune, or between prune and the row, the next run goes on', async () => {
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

atLength('storage that cannot be reached is tried again; people of the organization see why it failed', async () => {
  const { app, org, token, device, config, backUp, expire, maintain, rows, repository } = await scene()
  const status = async (as = token) =>
    (await app.call(readBackupMaintenance, { query: { orgId: org.id } }, { token: as })).body
  const [old, last] = [await backUp('old'), await backUp('last')]
  expire(old.id)
  renameSync(last.folder, `${last.folder}-away`)
  await maintain()
  expect(rows()).toEqual([old.id, last.id])
  expect(repository().maintenance_error).toBe('The repository is not there. Is the storage connected?')
  expect(existsSync(last.folder), 'no new one is made').toBe(false)
  const failed = {
    ...{ deviceId: device.deviceId, deviceName: 'pc-1', configName: config.name, expiredSnapshots: 1 },
    ...{ maintainedAt: null, triedAt: iso(app.clock.now()), isRunning: false },
    error: 'The repository is not there. Is the storage connected?',
  }
  expect(await status()).toMatchObject({
    data: { engineAvailable: true, failing: 1, expiredSnapshots: 1, repositories: [failed] },
    pagination: { total: 1 },
  })
  const { admin: stranger } = await otherCompany(app)
  expect(await status(stranger.token)).toMatchObject({ code: 'backup_org_required' })
  const elsewhere = await siteOf(app, token, org.id, 'Elsewhere')
  const local = { email: 'local@x.test', orgId: org.id, siteIds: [elsewhere.id] }
  const { token: localToken } = await person(app, { ...local, scope: 'organization' })
  expect(await status(localToken)).toMatchObject({
    data: { failing: 0, expiredSnapshots: 0, storedBytes: 0, repositories: [] },
    pagination: { total: 0 },
  })
  renameSync(`${last.folder}-away`, last.folder)
  await maintain()
  expect(rows()).toEqual([last.id])
  expect(repository().maintenance_error).toBeNull()
  expect((await status()).data).toMatchObject({ failing: 0, expiredSnapshots: 0, storedBytes: bytesIn(last.folder) })
})

test('a lock that a killed run has left goes; one of this computer that is in use stays, and the next run gets its turn', async () => {
  const { backUp, expire, maintain, rows, repository } = await scene()
  const [old, last] = [await backUp('old'), await backUp('last')]
  expire(old.id)
  const locks = () => readdirSync(join(last.folder, 'locks'))
  // Waits for what is never written, with a lock: as a run that has outlived an appliance that was killed.
  const other = last.engine.start('backup', '--stdin')
  onTestFinished(() => void other.kill('SIGKILL'))
  await eventually(() => expect(locks()).toHaveLength(1))
  await maintain()
  expect(rows()).toEqual([old.id, last.id])
  expect(repository().maintenance_error).toBe('Repository is locked by another operation')
  expect(locks()).toHaveLength(1)
  other.kill('SIGKILL')
  await once(other, 'close')
  expect(locks(), 'left behind').toHaveLength(1)
  await maintain()
  expect([rows(), locks()]).toEqual([[last.id], []])
  await last.engine.ok('check')
})

test('ten runs at once are one', async () => {
  const { backUp, expire, maintain, rows, prunes } = await scene()
  const [old, last] = [await backUp('old'), await backUp('last')]
  expire(old.id)
  await Promise.all(Array.from({ length: 10 }, maintain))
  expect([prunes(), rows()]).toEqual([1, [last.id]])
})

atLength(
  'protection that comes after a snapshot expired still counts, and so does a storage that is turned off',
  async () => {
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
  },
)

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

test('an index that is damaged keeps nothing from being deleted', async () => {
  const { app, index, backUp, expire, maintain, rows } = await scene()
  const [old, last] = [await backUp('old'), await backUp('last')]
  expire(old.id)
  writeFileSync(join(app.dataDir, 'backup-index', `${last.repositoryId}.db`), Buffer.alloc(8192, 'x'))
  await maintain()
  expect(rows()).toEqual([last.id])
  await expect(index.indexed(last.repositoryId)).rejects.toThrow()
})

test('the names of files of a repository that is gone go with the next maintenance', async () => {
  const { index, backUp, maintain } = await scene()
  const kept = await backUp('kept')
  const gone = randomUUID()
  const listing = Readable.from([gzipSync(await kept.engine.ok('ls', '--json', kept.snapshotId))])
  await index.store(gone, { id: kept.snapshotId, time: 1 }, listing)
  expect((await index.repositories()).sort()).toEqual([kept.repositoryId, gone].sort())
  await maintain()
  expect(await index.repositories()).toEqual([kept.repositoryId])
})

test('access to the store that has expired is removed', async () => {
  const { app, backUp } = await scene()
  const kept = await backUp('kept')
  const credential = { id: randomUUID(), repository_id: kept.repositoryId, command_id: 'x', mode: 'read' } as const
  const at = iso(app.clock.now() - hour)
  const expired = { ...credential, secret_hash: '', created_at: at, expires_at: at }
  app.db.run(q.insertInto('backup_store_credentials').values(expired))
  await app.app.jobs.runNow('backup-store.clean')
  expect(app.rowCounts().backup_store_credentials).toBe(0)
  expect(existsSync(kept.folder)).toBe(true)
})
