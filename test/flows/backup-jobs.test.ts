import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { day, hour, iso, minute, second } from '../../server/platform/clock.ts'
import { sha256 } from '../../server/platform/secrets.ts'
import { updateBackupConfig } from '../../shared/api/backup-configs.ts'
import { readBackupJob } from '../../shared/api/backup-jobs.ts'
import { halfMadeRepository } from '../../shared/device/backup.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { company, enrolledDevice, otherCompany, person, siteOf } from '../helpers/factories.ts'
import { type AgentSocket, connect, fakeDevice, listening } from '../helpers/fake-device.ts'
import { setDevice } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'

/** The life of a backup, as a device on a socket lives it. */

const snapshotId = 'ab'.repeat(32)
const good = { status: 'completed', snapshotId, filesBackedUp: 3, bytesBackedUp: 3000 }

async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { admin, org, key, device } = await company(app)
  const origin = await listening(app)
  const operator = backupOperator(app, admin.token)
  const config = await operator.storage()
  setDevice(app, device.deviceId, { backup_version: 'restic/0.18.0' })
  const socket = await connect(origin, device)
  const started = async (deviceId = device.deviceId, at: AgentSocket = socket) => {
    const { status, body } = await operator.run(deviceId)
    expect(status, JSON.stringify(body)).toBe(201)
    const frame = await at.frame(({ id }) => id === body.id)
    return { id: body.id, payload: frame.payload as Record<string, never> & { engine: Record<string, never> } }
  }
  const finish = async (commandId: string, result: object, status = 'completed', at = socket) => {
    at.send({ type: 'command_result', commandId, status, result })
    await at.settled()
  }
  const report = async (commandId: string, progress: object, at = socket) => {
    at.send({ type: 'backup_progress', commandId, progress })
    await at.settled()
  }
  const watch = () => app.app.jobs.runNow('backup.watch')
  const kept = (id: string) => app.db.one(q.selectFrom('backup_jobs').selectAll().where('id', '=', id))
  return { app, admin, org, key, device, origin, socket, config, watch, kept, started, finish, report, ...operator }
}

test('a backup goes to the device with what restic needs, is followed, and leaves a snapshot', async () => {
  const { app, device, org, config, started, finish, report, job, snapshots } = await scene()
  const { id, payload } = await started()
  expect(payload).toMatchObject({
    jobId: id,
    configId: config.id,
    paths: ['{userFolders}'],
    engine: {
      kind: 'restic',
      init: true,
      host: device.deviceId,
      tags: [`job:${id}`, `device:${device.deviceId}`, `org:${org.id}`],
      place: { at: 'appliance', path: expect.stringMatching(/^\/backup-store\/[0-9a-f-]{36}\/$/) },
    },
  })
  expect(await job(id)).toMatchObject({
    status: 'running',
    deviceName: 'pc-1',
    configName: 'Appliance',
    snapshotId: null,
  })

  await report(id, {
    phase: 'uploading',
    current: 100,
    total: 1000,
    filesDone: 1,
    filesTotal: 3,
    currentFile: '/home/a',
  })
  app.clock.advance(1000)
  await report(id, { phase: 'uploading', current: 300, total: 1000, filesDone: 2, filesTotal: 3 })
  expect(await job(id)).toMatchObject({
    transferredSize: 300,
    totalSize: 1000,
    fileCount: 2,
    totalFiles: 3,
    progress: { phase: 'uploading', bytesPerSecond: 200, secondsLeft: 4 },
  })

  await finish(id, good)
  expect(await job(id)).toMatchObject({ status: 'completed', snapshotId, errorCount: 0, progress: null })
  expect(await snapshots()).toMatchObject([
    { deviceId: device.deviceId, jobId: id, backupType: 'file', sizeBytes: 3000, fileCount: 3, expiresAt: null },
  ])
  const second = await started()
  expect(second.payload.engine).toMatchObject({ init: false, password: payload.engine.password })
})

test('no secret of a backup stands in a row, in an answer or in the audit log', async () => {
  const { app, started, finish, job, jobs } = await scene()
  const { id, payload } = await started()
  const { password, place } = payload.engine as unknown as { password: string; place: { password: string } }
  await finish(id, good)
  const kept = JSON.stringify([await job(id), await jobs(), app.db.serialize().toString('latin1')])
  for (const secret of [password, place.password]) expect(kept).not.toContain(secret)
})

test('that it has begun is no result, and the first true result counts', async () => {
  const { started, finish, job, snapshots } = await scene()
  const { id } = await started()
  await finish(id, { started: true })
  expect((await job(id)).status).toBe('running')
  await finish(id, good)
  await finish(id, good)
  await finish(id, { status: 'failed', error: 'late' }, 'failed')
  expect(await job(id)).toMatchObject({ status: 'completed', errorLog: null })
  expect(await snapshots()).toHaveLength(1)
})

test('another device’s result and progress change nothing', async () => {
  const { app, key, origin, started, job, snapshots } = await scene()
  const { id } = await started()
  const other = await enrolledDevice(app, key.key, 'pc-2')
  const before = await job(id)
  const socket = await connect(origin, other)
  socket.send({ type: 'command_result', commandId: id, status: 'completed', result: good })
  socket.send({ type: 'backup_progress', commandId: id, progress: { current: 5, total: 9 } })
  await socket.settled()
  expect((await fakeDevice(app, other).finish(id, { status: 'completed', result: good })).status).toBe(404)
  expect(await job(id)).toEqual(before)
  expect(await snapshots()).toEqual([])
})

test.each([
  ['an object', { result: good }],
  ['a text', { result: JSON.stringify(good) }],
  ['JSON in JSON', { stdout: JSON.stringify(JSON.stringify(good)) }],
  [
    'the form of the public agent',
    { result: { ...good, snapshotId: undefined, snapshot: { id: snapshotId, size: 3000, files: [] }, error: {} } },
  ],
])('a result over HTTP as %s', async (_, sent) => {
  const { app, device, started, job } = await scene()
  const { id } = await started()
  const { status } = await fakeDevice(app, device).finish(id, { status: 'completed', ...sent })
  expect(status).toBe(200)
  expect(await job(id)).toMatchObject({ status: 'completed', snapshotId })
})

test.each([
  [{ status: 'partial', errorCount: 5, warning: '5 files could not be read' }, 'partial', '5 files could not be read'],
  [{ status: 'skipped', warning: 'nothing to do' }, 'completed', 'nothing to do'],
  [{ status: 'stopped' }, 'failed', 'Backup stopped'],
  [{ status: 'failed', error: 'rest:https://u:secret@box/ is gone' }, 'failed', 'rest:https://box/ is gone'],
  [{ status: 'completed', snapshotId: undefined }, 'failed', 'The device did not say which snapshot it made'],
])('what %o becomes', async (told, status, errorLog) => {
  const { started, finish, job, snapshots } = await scene()
  const { id } = await started()
  await finish(id, { ...good, ...told }, told.status === 'failed' ? 'failed' : 'completed')
  expect(await job(id)).toMatchObject({ status, errorLog })
  expect(await snapshots()).toHaveLength(status === 'partial' ? 1 : 0)
})

test('a second backup of a device that is busy is refused, and the next one begins when the first has ended', async () => {
  const { app, device, run, started, finish } = await scene()
  const { id } = await started()
  const before = app.rowCounts()
  expect(await run(device.deviceId)).toMatchObject({ status: 409, body: { code: 'backup_already_running' } })
  expect(app.rowCounts()).toEqual(before)
  await finish(id, good)
  await started()
})

test('ten at once make one backup', async () => {
  const { device, run, jobs } = await scene()
  const answers = await Promise.all(Array.from({ length: 10 }, () => run(device.deviceId)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)])
  expect(await jobs()).toHaveLength(1)
})

test('a canceled backup stays canceled, the device is told, and a snapshot it made all the same can be restored', async () => {
  const { socket, started, finish, cancel, job, snapshots } = await scene()
  const { id } = await started()
  expect(await cancel(id)).toMatchObject({ status: 200, body: { status: 'cancelled', errorLog: 'Cancelled by user' } })
  const stop = await socket.frame(({ type }) => type === 'backup_stop')
  expect(stop.payload).toEqual({ reason: 'cancelled', jobId: id })
  expect((await cancel(id)).body.code).toBe('backup_job_finished')
  await finish(id, good)
  expect((await job(id)).status).toBe('cancelled')
  expect(await snapshots()).toHaveLength(1)
})

test('canceling a backup of a device that lost its connection says so, and no later backup is stopped by it', async () => {
  const { app, device, origin, socket, started, cancel } = await scene()
  const { id } = await started()
  await socket.close()
  const { status, body } = await cancel(id)
  expect([status, body.warning]).toEqual([200, expect.stringContaining('could not be told')])
  const again = await connect(origin, device)
  await fakeDevice(app, device).beat({ backupVersion: 'restic/0.18.0' })
  const next = await started(device.deviceId, again)
  expect(again.frames.filter(({ type }) => type === 'backup_stop')).toEqual([])
  expect(next.id).not.toBe(id)
})

test('without a connection a backup waits, and goes out with the next one', async () => {
  const { device, origin, socket, run, job } = await scene()
  await socket.close()
  const { status, body } = await run(device.deviceId)
  expect([status, body.status]).toEqual([201, 'pending'])
  const again = await connect(origin, device)
  await again.frame(({ id }) => id === body.id)
  expect((await job(body.id)).status).toBe('running')
})

test('a backup of which nothing is heard fails, and a late good result says what really happened', async () => {
  const { app, device, started, finish, report, watch, kept } = await scene()
  const { id } = await started()
  await report(id, { current: 1, total: 10 })
  app.clock.advance(14 * minute)
  await fakeDevice(app, device).beat({ backupVersion: 'restic/0.18.0' })
  await watch()
  expect(kept(id).status).toBe('running')
  app.clock.advance(2 * minute)
  await fakeDevice(app, device).beat({ backupVersion: 'restic/0.18.0' })
  await watch()
  expect(kept(id)).toMatchObject({
    status: 'failed',
    error_log: '[stale-backup-reaper] Backup stalled: no progress reported for 15 minutes',
  })
  await finish(id, { status: 'failed', error: 'bad news' }, 'failed')
  expect(kept(id).error_log).toContain('stalled')
  await finish(id, good)
  expect(kept(id)).toMatchObject({ status: 'completed', error_log: null, snapshot_id: snapshotId })
})

test('a device that goes offline ends its backup after ten minutes, a backup that nobody fetches after an hour', async () => {
  const { app, device, socket, started, run, watch, kept } = await scene()
  const { id } = await started()
  await socket.close()
  app.clock.advance(11 * minute)
  await watch()
  expect(kept(id).error_log).toBe('[stale-backup-reaper] Device went offline during backup')
  await fakeDevice(app, device).beat({ backupVersion: 'restic/0.18.0' })
  const waiting = (await run(device.deviceId)).body.id
  app.clock.advance(59 * minute)
  await watch()
  expect(kept(waiting).status).toBe('pending')
  app.clock.advance(2 * minute)
  await watch()
  expect(kept(waiting).error_log).toBe('[stale-backup-reaper] Backup dispatch never completed')
})

test('silence for 24 hours without any progress is the end, and a result after that is not taken', async () => {
  const { app, device, started, finish, watch, kept } = await scene()
  const { id } = await started()
  for (let passed = 0; passed <= 24; passed++) {
    await watch()
    app.clock.advance(hour)
    await fakeDevice(app, device).beat({ backupVersion: 'restic/0.18.0' })
  }
  await watch()
  expect(kept(id).error_log).toBe('[stale-backup-reaper] Backup timed out (no completion after 24h)')
  await finish(id, good)
  expect(kept(id).status).toBe('failed')
  expect(app.rowCounts().backup_snapshots).toBe(0)
})

test('a repository that was used is never made anew, and one that its key does not open is marked', async () => {
  const { app, started, finish } = await scene()
  const state = () => app.db.statement('SELECT state FROM backup_repositories').pluck().get()
  await finish((await started()).id, { status: 'failed', error: 'no network' }, 'failed')
  expect(state()).toBe('new')
  await finish((await started()).id, good)
  expect(state()).toBe('ready')
  await finish((await started()).id, { status: 'failed', error: 'Repository key rejected' }, 'failed')
  expect(state()).toBe('broken')
  const { payload } = await started()
  expect(payload.engine.init).toBe(false)
})

test('where a repository was only half made, the next backup makes it in another folder, and one in use stays', async () => {
  const { app, started, finish } = await scene()
  const row = () =>
    app.db.statement('SELECT sub_path, key_id, state FROM backup_repositories').get() as Record<string, string>
  const halfMade = { status: 'failed', error: halfMadeRepository }
  const { id, payload } = await started()
  const before = row()
  await finish(id, { ...halfMade, error: 'no network' }, 'failed')
  expect(row()).toEqual(before)
  await finish((await started()).id, halfMade, 'failed')
  const after = row()
  expect(after).toEqual({ ...before, sub_path: expect.stringMatching(new RegExp(`^${before.sub_path}-[0-9a-f]{8}$`)) })
  const next = await started()
  // The password follows from the name of the folder.
  expect(next.payload.engine).toMatchObject({
    init: true,
    password: expect.not.stringMatching(String((payload.engine as Record<string, unknown>).password)),
  })
  await finish(next.id, good)
  await finish((await started()).id, halfMade, 'failed')
  expect(row()).toEqual({ ...after, state: 'ready' })
})

test('refused: no storage, storage turned off, an unknown, offline, foreign or decommissioned device', async () => {
  const { app, admin, device, config, run, jobs } = await scene()
  const other = await otherCompany(app)
  const before = app.rowCounts()
  expect((await run(randomUUID())).status).toBe(404)
  expect((await backupOperator(app, other.admin.token).run(device.deviceId)).status).toBe(404)
  app.db.statement(`UPDATE devices SET status = 'offline'`).run()
  expect((await run(device.deviceId)).body.code).toBe('backup_device_offline')
  app.db.statement(`UPDATE devices SET status = 'decommissioned'`).run()
  expect((await run(device.deviceId)).status).toBeGreaterThanOrEqual(400)
  app.db.statement(`UPDATE devices SET status = 'online'`).run()
  expect({ ...app.rowCounts(), audit_logs: 0 }).toEqual({ ...before, audit_logs: 0 })
  const off = { params: { id: config.id }, body: { enabled: false } }
  await app.call(updateBackupConfig, off as never, { token: admin.token })
  expect((await run(device.deviceId)).body.code).toBe('backup_no_config')
  expect(await jobs()).toEqual([])
})

test('lists: by status with its other names, by device, by day; nonsense is refused or ignored', async () => {
  const { app, admin, device, started, finish, jobs, run } = await scene()
  const first = await started()
  await finish(first.id, good)
  app.db.statement('UPDATE backup_jobs SET created_at = ?').run(iso(app.clock.now() - day))
  const second = (await run(device.deviceId)).body
  expect((await jobs()).map(({ id }) => id)).toEqual([second.id, first.id])
  expect((await jobs({ status: 'completed' })).map(({ id }) => id)).toEqual([first.id])
  expect(await jobs({ status: 'queued' })).toHaveLength((await jobs({ status: 'pending' })).length)
  expect((await jobs({ date: new Date(app.clock.now()).toISOString().slice(0, 10) })).map(({ id }) => id)).toEqual([
    second.id,
  ])
  expect(await jobs({ device: device.deviceId })).toHaveLength(2)
  expect(await jobs({ from: 'banana' })).toHaveLength(2)
  const list = (query: string, token = admin.token) =>
    app.inject({ url: `/api/v1/backup/jobs?${query}`, headers: { authorization: `Bearer ${token}` } })
  expect((await list('status=banana')).statusCode).toBe(400)
  expect((await list(`deviceId=${randomUUID()}`)).json().error).toBe('Device not found or access denied')
  const other = await otherCompany(app)
  const refused = await list(`orgId=${(await jobs())[0]?.deviceId}`)
  expect([refused.statusCode, refused.json().error]).toEqual([400, 'orgId is required for this scope'])
  expect((await app.call(readBackupJob, { params: { id: first.id } }, { token: other.admin.token })).status).toBe(404)
})

test('somebody confined to another site sees none of it', async () => {
  const { app, org, started, finish, admin } = await scene()
  const { id } = await started()
  await finish(id, good)
  const elsewhere = await siteOf(app, admin.token, org.id, 'Elsewhere')
  const confined = await person(app, {
    email: 's@x.test',
    scope: 'organization',
    orgId: org.id,
    role: 'Org Admin',
    siteIds: [elsewhere.id],
  })
  const theirs = backupOperator(app, confined.token)
  expect(await theirs.jobs()).toEqual([])
  expect(await theirs.snapshots()).toEqual([])
  expect((await app.call(readBackupJob, { params: { id } }, { token: confined.token })).status).toBe(403)
  expect((await theirs.cancel(id)).status).toBe(403)
})

test('a device that was told to stop may still clean up, but add nothing, until it has stopped', async () => {
  const { app, origin, started, finish, cancel } = await scene()
  const { id, payload } = await started()
  const { place } = payload.engine as unknown as { place: { path: string; username: string; password: string } }
  const authorization = `Basic ${btoa(`${place.username}:${place.password}`)}`
  const call = async (method: string, kind: string) => {
    const url = `${origin}${place.path}${kind}/${sha256(kind)}`
    return (await fetch(url, { method, headers: { authorization }, ...(method === 'POST' && { body: kind }) })).status
  }
  expect([await call('POST', 'locks'), await call('POST', 'data')]).toEqual([200, 200])
  expect((await cancel(id)).status).toBe(200)
  expect([await call('POST', 'snapshots'), await call('GET', 'data'), await call('DELETE', 'locks')]).toEqual([
    403, 200, 200,
  ])
  await finish(id, { status: 'stopped' }, 'failed')
  expect(await call('GET', 'data')).toBe(401)

  const unheard = await started()
  await cancel(unheard.id)
  app.clock.advance(3 * minute)
  expect(
    app.db
      .statement('SELECT count(*) FROM backup_store_credentials WHERE expires_at > ?')
      .pluck()
      .get(iso(app.clock.now())),
  ).toBe(0)
})

test('a snapshot of a backup that was cut off is known once the next one has found it', async () => {
  const { app, key, origin, started, finish, job, snapshots } = await scene()
  const lost = await started()
  await finish(lost.id, { status: 'failed', error: 'agent restarted' }, 'failed')
  const other = await enrolledDevice(app, key.key, 'pc-2')
  setDevice(app, other.deviceId, { backup_version: 'restic/0.18.0' })
  const otherSocket = await connect(origin, other)
  const foreign = await started(other.deviceId, otherSocket)
  await finish(foreign.id, { status: 'failed' }, 'failed', otherSocket)
  app.clock.advance(minute)
  const next = await started()
  const found = [lost.id, foreign.id, next.id, randomUUID()].map((jobId, n) => ({
    jobId,
    snapshotId: `${n}`.repeat(64),
  }))
  await finish(next.id, { ...good, recovered: found })
  await finish(next.id, { ...good, recovered: found })
  const endedAt = (await job(lost.id)).completedAt
  expect((await snapshots()).map(({ jobId, createdAt }) => [jobId, createdAt === endedAt])).toEqual([
    [next.id, false],
    [lost.id, true],
  ])
  expect(await job(lost.id)).toMatchObject({ status: 'failed', snapshotRowId: expect.any(String) })
})

test('a job has one snapshot at most, however many a device claims', async () => {
  const { app, started, finish } = await scene()
  const stored = () => app.db.all(q.selectFrom('backup_snapshots').select(['job_id', 'snapshot_id']).orderBy('id'))
  const claims = Array.from({ length: 5 }, (_, n) => `${n}`.repeat(64))
  const lost = await started()
  await finish(lost.id, { status: 'failed', error: 'agent restarted' }, 'failed')
  for (const snapshotId of claims) await finish(lost.id, { ...good, snapshotId })
  expect(stored()).toEqual([{ job_id: lost.id, snapshot_id: claims[0] }])
  const next = await started()
  const recovered = claims.map((snapshotId) => ({ jobId: lost.id, snapshotId: snapshotId.replace(/./g, 'a') }))
  for (const snapshotId of claims.toReversed()) await finish(next.id, { ...good, snapshotId, recovered })
  expect(stored().map(({ job_id }) => job_id)).toEqual([lost.id, next.id])
})

test('a clock that is set is no silence of a device, and hides none', async () => {
  const { app, device, started, report, watch, kept } = await scene()
  const { id } = await started()
  await report(id, { current: 1, total: 10 })
  const beat = () => fakeDevice(app, device).beat({ backupVersion: 'restic/0.18.0' })
  for (const jump of [-day, 2 * day]) {
    app.clock.jump(jump)
    await beat()
    await watch()
    expect(kept(id).status).toBe('running')
    app.clock.advance(11 * second)
    await report(id, { current: 2, total: 10 })
    expect(kept(id).last_progress_at).toBe(iso(app.clock.now()))
  }
  app.clock.jump(-day)
  app.clock.advance(16 * minute)
  await beat()
  await watch()
  expect(kept(id).error_log).toContain('stalled')
})

test('the result of a backup that runs counts, whatever the clock says', async () => {
  const { app, started, finish, kept } = await scene()
  const { id } = await started()
  app.clock.jump(3 * day)
  await finish(id, good)
  expect(kept(id)).toMatchObject({ status: 'completed', snapshot_id: snapshotId })
})

test('a backup may take days, as long as the device says how far it is', async () => {
  const { app, origin, started, report, watch, finish, kept } = await scene()
  const { id, payload } = await started()
  const { place } = payload.engine as unknown as { place: { path: string; username: string; password: string } }
  const authorization = `Basic ${btoa(`${place.username}:${place.password}`)}`
  const status = async () => (await fetch(`${origin}${place.path}data/`, { headers: { authorization } })).status
  for (let minutes = 0; minutes < 60 * 60; minutes += 10) {
    app.clock.advance(10 * minute)
    await report(id, { current: minutes, total: 10_000 })
  }
  await watch()
  expect([await status(), kept(id).status]).toEqual([200, 'running'])
  await finish(id, good)
  expect([await status(), kept(id).status]).toEqual([401, 'completed'])
})
