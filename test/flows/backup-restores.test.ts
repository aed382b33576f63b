import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { day, minute } from '../../server/platform/clock.ts'
import {
  cancelRestore,
  createRestore,
  listRestores,
  previewRestore,
  type RestoreJob,
  readRestore,
} from '../../shared/api/backup-restores.ts'
import { listingPath } from '../../shared/device/backup.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { company, enrolledDevice, otherCompany, person, siteOf } from '../helpers/factories.ts'
import { connect, fakeDevice, listening } from '../helpers/fake-device.ts'
import { auditOf, setDevice } from '../helpers/rows.ts'
import { passFactor } from '../helpers/sessions.ts'
import { comparedSnapshots } from '../helpers/tasks.ts'
import { testApp } from '../helpers/test-app.ts'

/** The life of a restore, as a device on a socket lives it. */

const snapshotId = 'ab'.repeat(32)
const time = '2026-03-01T08:00:00Z'
const listing = [
  { time, tree: 'x', paths: ['/home'], hostname: 'h', id: snapshotId, short_id: 'abababab', struct_type: 'snapshot' },
  { name: 'home', type: 'dir', path: '/home', mtime: time, struct_type: 'node' },
  { name: 'a [1].txt', type: 'file', path: '/home/a [1].txt', size: 100, mtime: time, struct_type: 'node' },
  { name: 'docs', type: 'dir', path: '/home/docs', mtime: time, struct_type: 'node' },
  { name: 'b.txt', type: 'file', path: '/home/docs/b.txt', size: 50, mtime: time, struct_type: 'node' },
  { name: 'c.txt', type: 'file', path: '/home/docs/c.txt', size: 25, mtime: time, struct_type: 'node' },
]
const lines = (nodes: object[] = listing) => gzipSync(nodes.map((node) => `${JSON.stringify(node)}\n`).join(''))

async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { admin, org, site, key, device } = await company(app)
  const origin = await listening(app)
  const operator = backupOperator(app, admin.token)
  const config = await operator.storage()
  setDevice(app, device.deviceId, { backup_version: 'restic/0.18.0' })
  const socket = await connect(origin, device)
  const send = (jobId: string, body: Buffer, sender = device, id = snapshotId) =>
    fetch(`${origin}/api/v1${listingPath(sender.agentId, jobId, id)}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${sender.authToken}`, 'content-type': 'application/gzip' },
      body: new Uint8Array(body),
    })
  const token = admin.token
  const ask = (body: InputOf<typeof createRestore>['body'], as = token) =>
    app.call(createRestore, { body }, { token: as })
  const read = async (id: string): Promise<RestoreJob> =>
    (await app.call(readRestore, { params: { id } }, { token })).body.data
  const cancel = (id: string, as = token) => app.call(cancelRestore, { params: { id } }, { token: as })
  const finish = async (commandId: string, result: object, status = 'completed') => {
    socket.send({ type: 'command_result', commandId, status, result })
    await socket.settled()
  }
  const backedUp = async (isListed = true) => {
    const { id } = (await operator.run(device.deviceId)).body
    await socket.frame((frame) => frame.id === id)
    if (isListed) expect((await send(id, lines())).status).toBe(200)
    await finish(id, { status: 'completed', snapshotId, filesBackedUp: 3, bytesBackedUp: 175 })
    await comparedSnapshots(app)
    const [snapshot] = await operator.snapshots()
    return { jobId: id, snapshot: snapshot?.id ?? '' }
  }
  const kept = (id: string) => app.db.one(q.selectFrom('restore_jobs').selectAll().where('id', '=', id))
  const watch = () => app.app.jobs.runNow('restores.watch')
  const made = { ask, read, cancel, finish, backedUp, kept, watch, send }
  return { app, admin, org, site, key, device, origin, config, socket, ...made, run: operator.run }
}

const restored = {
  status: 'completed',
  snapshotId,
  filesRestored: 2,
  bytesRestored: 75,
  filesFailed: 0,
  failedFiles: [],
}

test('ticked files and folders go to the device with what restic needs, and come back with what became of each', async () => {
  const { app, device, socket, ask, read, finish, backedUp } = await scene()
  const { snapshot } = await backedUp()
  const { status, body } = await ask({
    snapshotId: snapshot,
    restoreType: 'selective',
    selectedPaths: ['/home/docs', '/home/docs/b.txt'],
    targetPath: '/srv/back',
    existing: 'keep',
  })
  expect(status, JSON.stringify(body)).toBe(201)
  expect(body).toMatchObject({
    status: 'running',
    commandId: body.id,
    snapshotId: snapshot,
    targetPath: '/srv/back',
    expectedFiles: 2,
    expectedBytes: 75,
    resultDetails: null,
  })
  const { type, payload } = await socket.frame(({ id }) => id === body.id)
  expect([type, payload]).toMatchObject([
    'backup_restore',
    {
      restoreJobId: body.id,
      snapshotId,
      paths: ['/home/docs', '/home/docs/b.txt'],
      target: { to: 'folder', path: '/srv/back' },
      existing: 'keep',
      expected: { files: 2, bytes: 75 },
      engine: { kind: 'restic', init: false, host: device.deviceId },
    },
  ])
  socket.send({
    type: 'backup_progress',
    commandId: body.id,
    progress: { phase: 'restoring', current: 50, filesDone: 1 },
  })
  await socket.settled()
  expect(await read(body.id)).toMatchObject({ restoredSize: 50, restoredFiles: 1, progress: { phase: 'restoring' } })
  await finish(body.id, { ...restored, filesKept: 1 })
  expect(await read(body.id)).toMatchObject({
    status: 'completed',
    restoredFiles: 2,
    restoredSize: 75,
    progress: null,
    resultDetails: { filesRestored: 2, filesKept: 1 },
  })
  expect(auditOf(app, 'backup.restore.create').at(-1)?.details).toMatchObject({ paths: 2, existing: 'keep' })
})

test('without a target nothing of the original is touched; with inPlace it goes to where it was', async () => {
  const { socket, ask, finish, backedUp } = await scene()
  const { snapshot } = await backedUp()
  const targets: unknown[] = []
  for (const more of [
    {},
    { inPlace: true },
    { targetPath: '/', inPlace: true },
    { targetPath: '/etc/x', inPlace: true },
  ]) {
    const { id } = (await ask({ snapshotId: snapshot, ...more })).body
    const { payload } = await socket.frame((frame) => frame.id === id)
    targets.push((payload as { target: unknown }).target)
    await finish(id, restored)
  }
  expect(targets).toEqual([{ to: 'staging' }, { to: 'original' }, { to: 'original' }, { to: 'folder', path: '/etc/x' }])
})

test.each([
  [{ targetPath: 'relative' }, 'targetPath'],
  [{ targetPath: '/srv/../etc' }, 'targetPath'],
  [{ targetPath: '/' }, 'targetPath'],
  [{ targetPath: '/etc' }, 'targetPath'],
  [{ targetPath: '/usr/' }, 'targetPath'],
  [{ targetPath: 'a\0b' }, 'targetPath'],
  [{ restoreType: 'selective' }, 'restore_paths_required'],
  [{ restoreType: 'selective', selectedPaths: ['/home/no'] }, 'restore_path_missing'],
  [{ restoreType: 'selective', selectedPaths: ['/home/a 1.txt'] }, 'restore_path_missing'],
  [{ deviceId: randomUUID() }, 'restore_target_not_found'],
  [{ snapshotId: randomUUID() }, 'backup_snapshot_not_found'],
] as const)('%o is refused, and leaves no row and no command', async (more, word) => {
  const { app, socket, ask, backedUp } = await scene()
  const { snapshot } = await backedUp()
  const before = app.rowCounts()
  const frames = socket.frames.length
  const { status, body } = await ask({ snapshotId: snapshot, ...more } as never)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(JSON.stringify(body)).toContain(word)
  expect(app.rowCounts()).toEqual(before)
  expect(socket.frames).toHaveLength(frames)
})

test('a snapshot whose files are not known is restored as a whole only', async () => {
  const { ask, backedUp } = await scene()
  const { snapshot } = await backedUp(false)
  const some = await ask({ snapshotId: snapshot, restoreType: 'selective', selectedPaths: ['/home'] })
  expect([some.status, some.body.error]).toEqual([
    409,
    'Selective restore is unavailable for snapshots without indexed files',
  ])
  expect((await ask({ snapshotId: snapshot })).body).toMatchObject({ status: 'running', expectedFiles: null })
})

test('the preview says how much it is, and what is missing', async () => {
  const { app, admin, backedUp } = await scene()
  const { snapshot } = await backedUp()
  const preview = async (body: object) =>
    (await app.call(previewRestore, { body: { snapshotId: snapshot, ...body } }, { token: admin.token })).body.data
  expect(await preview({})).toMatchObject({ files: 3, bytes: 175, missing: [], deviceOnline: true })
  expect(await preview({ restoreType: 'selective', selectedPaths: ['/home/docs', '/no'] })).toMatchObject({
    files: 2,
    bytes: 75,
    missing: ['/no'],
  })
})

test.each([
  [{ ...restored, status: 'partial', failedFiles: [{ path: '/x', error: 'damaged' }] }, 'failed', 'partial', null],
  [{ ...restored, status: 'failed', error: 'first\nsecond' }, 'failed', 'failed', 'first'],
  [{}, 'failed', 'failed', 'Restore failed'],
  [restored, 'completed', 'completed', null],
])('what %o becomes', async (result, sent, status, errorSummary) => {
  const { ask, read, finish, backedUp } = await scene()
  const { snapshot } = await backedUp()
  const { id } = (await ask({ snapshotId: snapshot })).body
  await finish(id, result, sent)
  expect(await read(id)).toMatchObject({ status, errorSummary })
})

test('a canceled restore is told to stop and stays canceled', async () => {
  const { socket, ask, read, cancel, finish, backedUp } = await scene()
  const { snapshot } = await backedUp()
  const { id } = (await ask({ snapshotId: snapshot })).body
  expect((await cancel(id)).body.data.status).toBe('cancelled')
  const stop = await socket.frame(({ type }) => type === 'backup_stop')
  expect(stop.payload).toMatchObject({ jobId: id })
  await finish(id, restored)
  expect((await read(id)).status).toBe('cancelled')
  expect((await cancel(id)).body.code).toBe('restore_finished')
})

test('silence for half an hour ends it, and the result that comes later says what really happened', async () => {
  const { app, ask, finish, backedUp, kept, watch } = await scene()
  const { snapshot } = await backedUp()
  const { id } = (await ask({ snapshotId: snapshot })).body
  app.clock.advance(31 * minute)
  await watch()
  expect(kept(id)).toMatchObject({ status: 'failed', timed_out_by_server: 1 })
  expect(kept(id).result).toContain('no response from agent after 30 minutes')
  await finish(id, restored)
  expect(kept(id)).toMatchObject({ status: 'completed', timed_out_by_server: 0 })
})

test('a restore may take days, as long as the device says how far it is, whatever is done to the clock', async () => {
  const { app, origin, socket, ask, finish, backedUp, kept, watch } = await scene()
  const { snapshot } = await backedUp()
  const { id } = (await ask({ snapshotId: snapshot })).body
  const { payload } = await socket.frame((frame) => frame.id === id)
  const { place } = (payload as { engine: { place: { path: string; username: string; password: string } } }).engine
  const authorization = `Basic ${btoa(`${place.username}:${place.password}`)}`
  const access = async () => (await fetch(`${origin}${place.path}data/`, { headers: { authorization } })).status
  const report = async (current: number) => {
    socket.send({ type: 'backup_progress', commandId: id, progress: { phase: 'restoring', current } })
    await socket.settled()
  }
  for (let minutes = 0; minutes < 60 * 60; minutes += 20) {
    app.clock.advance(20 * minute)
    await report(minutes)
  }
  await watch()
  expect([await access(), kept(id).status]).toEqual([200, 'running'])
  for (const jump of [-day, 2 * day]) {
    app.clock.jump(jump)
    await watch()
    expect(kept(id).status).toBe('running')
    app.clock.advance(minute)
    await report(5000)
    expect([await access(), kept(id).restored_size]).toEqual([200, 5000])
  }
  app.clock.jump(-day)
  app.clock.advance(31 * minute)
  await watch()
  expect(kept(id)).toMatchObject({ status: 'failed', timed_out_by_server: 1 })
  await finish(id, restored)
  expect([await access(), kept(id).status]).toEqual([401, 'completed'])
})

test('from one site to another only with the right to do so, and never from one organization to another', async () => {
  const { app, admin, org, device, key, origin, ask, backedUp } = await scene()
  const { snapshot } = await backedUp()
  const other = await enrolledDevice(app, key.key, 'pc-2')
  const far = await siteOf(app, admin.token, org.id, 'Far')
  setDevice(app, other.deviceId, { site_id: far.id, status: 'online', backup_version: 'restic/0.18.0' })
  await connect(origin, other)
  const before = app.rowCounts()
  const technician = await person(app, {
    email: 't@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    role: 'Partner Technician',
  })
  passFactor(app, technician.token)
  const toOther = { snapshotId: snapshot, deviceId: other.deviceId }
  expect(await ask(toOther, technician.token)).toMatchObject({ status: 403, body: { code: 'site_access_denied' } })
  expect({ ...app.rowCounts(), sessions: 0, users: 0, partner_users: 0 }).toMatchObject({
    restore_jobs: before.restore_jobs,
  })
  expect((await ask({ snapshotId: snapshot }, technician.token)).status).toBe(201)
  expect((await ask(toOther)).status).toBe(201)
  const confined = await person(app, { email: 's@x.test', scope: 'organization', orgId: org.id, siteIds: [far.id] })
  passFactor(app, confined.token)
  expect((await ask(toOther, confined.token)).status).toBe(403)
  const stranger = await otherCompany(app)
  passFactor(app, stranger.admin.token)
  expect(await ask({ snapshotId: snapshot }, stranger.admin.token)).toMatchObject({ status: 404 })
  const theirs = { snapshotId: snapshot, deviceId: stranger.device.deviceId }
  expect((await ask(theirs)).body.error).toBe('Target device not found')
  expect(device.deviceId).toBeTruthy()
})

test('to where the files were only on a device whose system has such folders', async () => {
  const { app, key, origin, ask, backedUp } = await scene()
  const { snapshot } = await backedUp()
  const other = await enrolledDevice(app, key.key, 'pc-2')
  setDevice(app, other.deviceId, { os_type: 'windows', status: 'online', backup_version: 'restic/0.18.0' })
  await connect(origin, other)
  const before = app.rowCounts()
  const toOther = { snapshotId: snapshot, deviceId: other.deviceId }
  expect((await ask({ ...toOther, inPlace: true })).body.code).toBe('restore_other_system')
  expect(app.rowCounts()).toEqual(before)
  expect((await ask({ ...toOther, targetPath: 'D:\\Back' })).status).toBe(201)
})

test('lists are of the organization, newest first, by status and device', async () => {
  const { app, admin, device, ask, finish, backedUp } = await scene()
  const { snapshot } = await backedUp()
  const first = (await ask({ snapshotId: snapshot })).body.id
  await finish(first, restored)
  app.clock.advance(1000)
  const second = (await ask({ snapshotId: snapshot })).body.id
  const list = async (query: object) =>
    (await app.call(listRestores, { query } as never, { token: admin.token })).body.data.map(({ id }) => id)
  expect(await list({})).toEqual([second, first])
  expect(await list({ status: 'completed', deviceId: device.deviceId })).toEqual([first])
  expect(await list({ snapshotId: snapshot, limit: 1 })).toEqual([second])
  expect(await list({ limit: 1, page: 2 })).toEqual([first])
  const third = await app.call(listRestores, { query: { limit: '2', page: '2' } }, { token: admin.token })
  expect(third.body).toEqual({ data: [], pagination: { page: 2, limit: 2, total: 2 } })
})

test('only the device whose backup runs may say which files a snapshot has', async () => {
  const { app, key, socket, run, device, send, finish, backedUp } = await scene()
  const other = await enrolledDevice(app, key.key, 'pc-2')
  const { id } = (await run(device.deviceId)).body
  await socket.frame((frame) => frame.id === id)
  expect((await send(id, lines(), other)).status).toBe(404)
  expect((await send(id, Buffer.from('no gzip'))).status).toBe(422)
  expect((await send(id, lines([{ nonsense: true }]))).status).toBe(422)
  expect((await send(id, lines(), device, 'cd'.repeat(31))).status).toBe(404)
  expect((await send(id, lines())).status).toBe(200)
  await finish(id, { status: 'failed', error: 'x' }, 'failed')
  expect((await send(id, lines())).status).toBe(404)
  const { jobId } = await backedUp()
  expect((await send(jobId, lines())).status).toBe(404)
  expect((await fakeDevice(app, device).beat()).status).toBe(200)
})
