import { expect, onTestFinished, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { hour, iso } from '../../server/platform/clock.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { company, enrolledDevice } from '../helpers/factories.ts'
import { type AgentSocket, connect, listening } from '../helpers/fake-device.ts'
import { auditOf, setDevice } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'

/** Maintenance of repositories in a folder that only their device reaches. */

const ids = ['ab'.repeat(32), 'cd'.repeat(32)]

/** A device with two snapshots, of which the older one expired two days ago. */
async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { admin, org, key, device } = await company(app)
  const origin = await listening(app)
  const operator = backupOperator(app, admin.token)
  await operator.storage({ details: { location: 'device', path: '/mnt/share' } }, org.id)
  setDevice(app, device.deviceId, { backup_version: 'restic/0.18.0' })
  const socket = await connect(origin, device)
  const finish = async (commandId: string, sent: object, at = socket) => {
    at.send({ type: 'command_result', commandId, status: 'completed', ...sent })
    await at.settled()
  }
  for (const snapshotId of ids) {
    const { id } = (await operator.run(device.deviceId)).body
    await socket.frame((frame) => frame.id === id)
    await finish(id, { result: { status: 'completed', snapshotId, filesBackedUp: 1, bytesBackedUp: 100 } })
    app.clock.advance(1000)
  }
  const change = q.updateTable('backup_snapshots').set({ expired_at: iso(app.clock.now() - 48 * hour) })
  app.db.run(change.where('snapshot_id', '=', ids[0] ?? ''))
  const maintain = () => app.app.jobs.runNow('backup.maintain')
  const asked = (at: AgentSocket = socket) => at.frame(({ type }) => type === 'backup_maintain')
  const snapshots = () =>
    app.db
      .all(q.selectFrom('backup_snapshots').select('snapshot_id').orderBy('timestamp'))
      .map((row) => row.snapshot_id)
  const repository = () => app.db.one(q.selectFrom('backup_repositories').selectAll())
  return { app, key, origin, device, socket, finish, maintain, asked, snapshots, repository, run: operator.run }
}

test('a number that no device can mean is not kept: sums over many repositories go on working', async () => {
  const { finish, maintain, asked, repository } = await scene()
  const maintenance = maintain()
  const { id } = await asked()
  await finish(String(id), { result: { storedBytes: 2 ** 63 - 1024 } })
  await maintenance
  expect(repository()).toMatchObject({ stored_bytes: 0, last_prune_at: null, lock_until: null })
})

test('the device is told what goes, and when it has done that the snapshot is gone', async () => {
  const { app, device, socket, finish, maintain, asked, snapshots, repository, run } = await scene()
  const maintenance = maintain()
  const { id, payload } = await asked()
  expect(payload).toMatchObject({
    forget: [ids[0]],
    isMeasured: true,
    engine: {
      init: false,
      host: device.deviceId,
      place: { at: 'elsewhere', url: expect.stringMatching(/^\/mnt\/share\//) },
    },
  })
  const due = (await run(device.deviceId)).body
  await socket.settled()
  expect(
    socket.frames.some((frame) => frame.id === due.id),
    'a backup waits',
  ).toBe(false)
  await finish(String(id), { result: { storedBytes: 4711 } })
  await maintenance
  expect(snapshots()).toEqual([ids[1]])
  expect(repository()).toMatchObject({
    stored_bytes: 4711,
    measured_at: iso(app.clock.now()),
    last_prune_at: iso(app.clock.now()),
    lock_until: null,
  })
  expect(auditOf(app, 'backup.snapshot.delete')).toMatchObject([{ details: { snapshots: 1, storedBytes: 4711 } }])
  await socket.frame((frame) => frame.id === due.id)
})

test('what the device refuses stays, is said to people, and is tried again', async () => {
  const { finish, maintain, asked, snapshots, repository } = await scene()
  const maintenance = maintain()
  await finish(String((await asked()).id), { status: 'failed', error: 'The repository is not there.' })
  await maintenance
  expect(snapshots()).toEqual(ids)
  expect(repository()).toMatchObject({
    maintenance_error: 'The repository is not there.',
    last_prune_at: null,
    lock_until: null,
  })
})

test('another device’s result changes nothing, and a device without a connection is left for another night', async () => {
  const { app, key, origin, socket, finish, maintain, asked, snapshots, repository } = await scene()
  const other = await connect(origin, await enrolledDevice(app, key.key, 'pc-2'))
  const maintenance = maintain()
  const { id } = await asked()
  await finish(String(id), { result: { storedBytes: 1 } }, other)
  expect(snapshots()).toEqual(ids)
  await finish(String(id), { status: 'failed', error: 'not now' })
  await maintenance
  expect(snapshots()).toEqual(ids)
  const { maintained_at } = repository()
  await socket.close()
  app.clock.advance(1000)
  await maintain()
  expect([snapshots(), repository().maintained_at]).toEqual([ids, maintained_at])
})
