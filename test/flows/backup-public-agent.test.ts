import { expect, onTestFinished, test } from 'vitest'
import { createRestore } from '../../shared/api/backup-restores.ts'
import { searchBackedUpFiles } from '../../shared/api/backup-snapshots.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { connect, listening } from '../helpers/fake-device.ts'
import { setDevice } from '../helpers/rows.ts'
import { policyScene } from './policy-kit.ts'

/** Devices with the unmodified public agent, which makes its backups by itself. */

const s3 = {
  bucket: 'backups',
  region: 'eu-central-1',
  endpoint: 'https://s3.example.test',
  accessKey: 'AKIA',
  secretKey: 'very secret',
}

async function scene(storage: object) {
  const { app, admin, org, one, policy } = await policyScene()
  const operator = backupOperator(app, admin.token)
  const config = await operator.storage(storage, org.id)
  const settings = { backupMode: 'file', targets: { paths: ['{userFolders}', '/srv'], excludes: [] } }
  await policy('All', settings, { level: 'organization', targetId: org.id })
  setDevice(app, one.deviceId, { status: 'online', backup_version: '0.65.1' })
  const socket = await connect(await listening(app), one)
  onTestFinished(() => socket.close().catch(() => {}))
  return { app, admin, one, config, socket, ...operator }
}

const result = {
  id: 'x',
  startedAt: '2026-03-01T09:00:00Z',
  completedAt: '2026-03-01T09:01:00Z',
  status: 'completed',
  snapshot: { id: 'snapshot-20260301-090000', timestamp: '2026-03-01T09:01:00Z', size: 99, files: [] },
  filesBackedUp: 4,
  bytesBackedUp: 99,
  error: {},
}

test('it backs up to S3 and restores from it, in the words that it knows', async () => {
  const { app, admin, one, config, socket, run, job, snapshots } = await scene({ provider: 's3', details: s3 })
  const { id } = (await run(one.deviceId)).body
  const frame = await socket.frame((one) => one.id === id)
  expect([frame.type, frame.payload]).toEqual([
    'backup_run',
    {
      jobId: id,
      configId: config.id,
      provider: 's3',
      providerConfig: { ...s3, prefix: '' },
      storageEncryption: { required: false, mode: 'disabled' },
      paths: ['/home', '/root', '/srv'],
      excludes: [],
    },
  ])
  socket.send({ type: 'command_result', commandId: id, status: 'completed', result: { started: true } })
  socket.send({ type: 'backup_progress', commandId: id, progress: { phase: 'uploading', current: 9, total: 0 } })
  await socket.settled()
  expect(await job(id)).toMatchObject({ status: 'running', transferredSize: 9, totalSize: null })
  socket.send({ type: 'command_result', commandId: id, status: 'completed', result })
  await socket.settled()
  expect(await job(id)).toMatchObject({
    status: 'completed',
    snapshotId: result.snapshot.id,
    fileCount: 4,
    errorLog: null,
  })
  const [snapshot] = await snapshots()
  // Its files are not known, which is something else than that there are none.
  const files = { params: { deviceId: one.deviceId }, query: { q: 'ledger' } }
  const found = await app.call(searchBackedUpFiles, files, { token: admin.token })
  expect(found).toMatchObject({ status: 409, body: { code: 'backup_files_unknown' } })
  const wanted = { body: { snapshotId: snapshot?.id ?? '', targetPath: '/srv/back' } }
  const restore = (await app.call(createRestore, wanted, { token: admin.token })).body
  expect((await socket.frame((one) => one.id === restore.id)).payload).toMatchObject({
    snapshotId: result.snapshot.id,
    targetPath: '/srv/back',
    selectedPaths: [],
    provider: 's3',
    providerConfig: { bucket: 'backups', secretKey: 'very secret' },
  })
})

test('a folder on the device is its own; the store of the appliance is out of its reach', async () => {
  const { one, socket, run } = await scene({ details: { path: '/mnt/share' } })
  const { id } = (await run(one.deviceId)).body
  const { payload } = await socket.frame((frame) => frame.id === id)
  expect(payload).toMatchObject({ provider: 'local', providerConfig: { path: '/mnt/share' } })

  const appliance = await scene({})
  const refused = (await appliance.run(appliance.one.deviceId)).body
  await appliance.socket.settled()
  expect(await appliance.job(refused.id)).toMatchObject({
    status: 'failed',
    errorLog: 'The agent of this device can back up to S3 or to a folder of its own only',
  })
})

test('a device without any engine says so at once, and nothing is made', async () => {
  const { app, one, run } = await scene({})
  setDevice(app, one.deviceId, { backup_version: null })
  const before = app.rowCounts()
  expect(await run(one.deviceId)).toMatchObject({ status: 409, body: { code: 'backup_engine_missing' } })
  expect(app.rowCounts()).toEqual(before)
})
