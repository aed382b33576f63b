import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { RepositoryLocks } from '../../server/features/backup-storage/index.ts'
import { hour, minute } from '../../server/platform/clock.ts'
import { createRestore } from '../../shared/api/backup-restores.ts'
import { listingPath } from '../../shared/device/backup.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { company } from '../helpers/factories.ts'
import { connect, listening } from '../helpers/fake-device.ts'
import { setDevice } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'

/** Backups and restores beside maintenance, which has a repository for itself. */

const snapshotId = 'ab'.repeat(32)
const time = '2026-03-01T08:00:00Z'
const listing = [
  { time, tree: 'x', paths: ['/home'], hostname: 'h', id: snapshotId, short_id: 'abababab', struct_type: 'snapshot' },
  { name: 'home', type: 'dir', path: '/home', mtime: time, struct_type: 'node' },
  { name: 'a.txt', type: 'file', path: '/home/a.txt', size: 100, mtime: time, struct_type: 'node' },
]

/** A device that was backed up once. */
async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { admin, device } = await company(app)
  const { token } = admin
  const origin = await listening(app)
  const operator = backupOperator(app, token)
  await operator.storage()
  setDevice(app, device.deviceId, { backup_version: 'restic/0.18.0' })
  const socket = await connect(origin, device)
  const finish = async (commandId: string, result: object) => {
    socket.send({ type: 'command_result', commandId, status: 'completed', result })
    await socket.settled()
  }
  const { id } = (await operator.run(device.deviceId)).body
  await socket.frame((frame) => frame.id === id)
  await fetch(`${origin}/api/v1${listingPath(device.agentId, id, snapshotId)}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${device.authToken}`, 'content-type': 'application/gzip' },
    body: new Uint8Array(gzipSync(listing.map((node) => `${JSON.stringify(node)}\n`).join(''))),
  })
  await finish(id, { status: 'completed', snapshotId, filesBackedUp: 1, bytesBackedUp: 100 })
  const [snapshot] = await operator.snapshots()
  const restore = async () => {
    const asked = await app.call(createRestore, { body: { snapshotId: snapshot?.id ?? '' } }, { token })
    expect(asked.status, JSON.stringify(asked.body)).toBe(201)
    return asked.body
  }
  // Sessions end while hours pass.
  const statusOf = (table: 'backup_jobs' | 'restore_jobs', rowId: string) =>
    app.db.one(q.selectFrom(table).select('status').where('id', '=', rowId)).status
  const repository = app.db.one(q.selectFrom('backup_repositories').selectAll())
  const locks = app.app.locks
  const beat = () => setDevice(app, device.deviceId, { last_seen_at: new Date(app.clock.now()).toISOString() })
  return { app, device, socket, finish, restore, statusOf, locks, repositoryId: repository.id, beat, ...operator }
}

const taken = (locks: RepositoryLocks, repositoryId: string) => {
  const lock = locks.take(repositoryId)
  if (!lock) throw new Error('the repository is in use')
  return lock
}

test('a backup that is due during maintenance waits, for as long as it takes, and begins right after it', async () => {
  const { app, device, socket, locks, repositoryId, run, statusOf, beat } = await scene()
  const lock = taken(locks, repositoryId)
  const { id, status } = (await run(device.deviceId)).body
  expect(status).toBe('pending')
  app.clock.advance(3 * hour)
  beat()
  await app.app.jobs.runNow('backup.watch')
  expect(statusOf('backup_jobs', id)).toBe('pending')
  expect(socket.frames.some((frame) => frame.id === id)).toBe(false)
  lock.release()
  expect(await socket.frame((frame) => frame.id === id)).toMatchObject({ type: 'backup_run' })
  expect(statusOf('backup_jobs', id)).toBe('running')
})

test('maintenance does not begin while a backup or a restore runs there, or the appliance reads', async () => {
  const { device, socket, finish, locks, repositoryId, run, restore } = await scene()
  const backup = (await run(device.deviceId)).body
  expect(backup.status).toBe('pending')
  await socket.frame((frame) => frame.id === backup.id)
  expect(locks.take(repositoryId)).toBeNull()
  await finish(backup.id, { status: 'failed', error: 'disk full' })
  const { id } = await restore()
  expect(locks.take(repositoryId)).toBeNull()
  await finish(id, { status: 'completed', filesRestored: 1 })
  const readers = [locks.read(repositoryId), locks.read(repositoryId)]
  readers[0]?.release()
  readers[0]?.release()
  expect(locks.take(repositoryId)).toBeNull()
  readers[1]?.release()
  const lock = taken(locks, repositoryId)
  expect(locks.read(repositoryId)).toBeNull()
  lock.release()
  expect(locks.read(repositoryId)).not.toBeNull()
})

test('of ten that want a repository for themselves one gets it', async () => {
  const { locks, repositoryId } = await scene()
  const all = Array.from({ length: 10 }, () => locks.take(repositoryId))
  expect(all.filter((lock) => lock !== null)).toHaveLength(1)
})

test('a restore asks maintenance to end, and begins when it has', async () => {
  const { app, socket, locks, repositoryId, restore, statusOf, beat } = await scene()
  const lock = taken(locks, repositoryId)
  expect(lock.signal.aborted).toBe(false)
  const { id, status } = await restore()
  expect(status).toBe('pending')
  expect(lock.signal.aborted).toBe(true)
  app.clock.advance(hour)
  beat()
  await app.app.jobs.runNow('restores.watch')
  expect(statusOf('restore_jobs', id)).toBe('pending')
  lock.release()
  expect(await socket.frame((frame) => frame.id === id)).toMatchObject({ type: 'backup_restore' })
})

test('after a crash in maintenance the repository is free when the lease runs out, and what waited begins', async () => {
  const { app, device, socket, repositoryId, run, job, beat } = await scene()
  // Another process, which was killed: its lease stays, and nothing renews it.
  const killed = new RepositoryLocks(app)
  taken(killed, repositoryId)
  killed.stop()
  const { id } = (await run(device.deviceId)).body
  app.clock.advance(4 * minute)
  beat()
  await app.app.jobs.runNow('backup.watch')
  expect((await job(id)).status).toBe('pending')
  app.clock.advance(minute)
  await app.app.jobs.runNow('backup.watch')
  await socket.frame((frame) => frame.id === id)
  expect((await job(id)).status).toBe('running')
})
