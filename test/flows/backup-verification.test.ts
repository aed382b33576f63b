import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { day, minute } from '../../server/platform/clock.ts'
import { backupDashboard } from '../../shared/api/backup-reports.ts'
import {
  listVerifications,
  summarizeVerifications,
  type Verification,
  verifyBackup,
} from '../../shared/api/backup-verification.ts'
import { decommissionDevice } from '../../shared/api/devices.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { company, enrolledDevice, otherCompany, person, siteOf } from '../helpers/factories.ts'
import { connect, listening } from '../helpers/fake-device.ts'
import { liveStream } from '../helpers/live-stream.ts'
import { auditOf, setDevice } from '../helpers/rows.ts'
import { passFactor, sessionOf } from '../helpers/sessions.ts'
import { comparedSnapshots } from '../helpers/tasks.ts'
import { testApp } from '../helpers/test-app.ts'

/** The life of a check that a device makes: its backups lie in a folder that only it reaches. */

const snapshotId = 'ab'.repeat(32)
const checksum = { path: '/srv/a.txt', size: 1, mtime: '2026-03-01T08:00:00Z', sha256: 'cd'.repeat(32) }

async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { admin, org, site, key, device } = await company(app)
  const origin = await listening(app)
  const operator = backupOperator(app, admin.token)
  await operator.storage({ details: { location: 'device', path: '/mnt/share' } }, org.id)
  setDevice(app, device.deviceId, { backup_version: 'restic/0.18.0' })
  const socket = await connect(origin, device)
  const token = admin.token
  const finish = async (commandId: string, result: object, status = 'completed', at = socket) => {
    at.send({ type: 'command_result', commandId, status, result })
    await at.settled()
  }
  const backedUp = async (result: object = {}) => {
    const { id } = (await operator.run(device.deviceId)).body
    await socket.frame((frame) => frame.id === id)
    await finish(id, { status: 'completed', snapshotId, filesBackedUp: 3, bytesBackedUp: 175, ...result })
    await comparedSnapshots(app)
    const [snapshot] = await operator.snapshots({ orgId: org.id })
    return { jobId: id as string, snapshot: snapshot?.id ?? '' }
  }
  type Wish = Partial<InputOf<typeof verifyBackup>['body']>
  const verify = (body: Wish = {}, as = token) =>
    app.call(verifyBackup, { query: {}, body: { deviceId: device.deviceId, ...body } }, { token: as })
  const begun = async (body: Wish = {}, as = token) => {
    const asked = await verify(body, as)
    expect(asked.status, JSON.stringify(asked.body)).toBe(201)
    const { id } = asked.body.data.verification
    return { id, frame: await socket.frame((frame) => frame.id === id) }
  }
  /** Still good after the clock was moved. */
  const anew = () => sessionOf(app, admin.userId, 'totp')
  const list = async (query: object = {}, as?: string): Promise<Verification[]> =>
    (await app.call(listVerifications, { query } as never, { token: as ?? (await anew()) })).body.data
  const one = async (id: string) => (await list()).find((found) => found.id === id)
  const kinds = async () =>
    (await app.call(backupDashboard, { query: {} }, { token: await anew() })).body.data.attentionItems.map(
      ({ kind }) => kind,
    )
  const job = (name: string) => app.app.jobs.runNow(name)
  return {
    app,
    org,
    site,
    key,
    device,
    origin,
    socket,
    token,
    anew,
    finish,
    backedUp,
    verify,
    begun,
    list,
    one,
    kinds,
    job,
  }
}

const passed = { status: 'passed', filesVerified: 3, filesFailed: 0, durationMs: 5 }
const lost = { path: '/srv/a.txt', error: 'its data in the storage is damaged or missing' }
const found = {
  ...{ status: 'failed', filesVerified: 2, filesFailed: 1, failedFiles: [lost] },
  ...{ damage: [{ kind: 'pack', id: 'ef'.repeat(32) }], reason: 'Data in the storage is damaged or missing' },
}

test('the device is asked to read the data, and what it says is kept', async () => {
  const { app, device, org, backedUp, begun, finish, one } = await scene()
  const { snapshot, jobId } = await backedUp()
  const { id, frame } = await begun()
  expect([frame.type, frame.payload]).toMatchObject([
    'backup_verify',
    { verificationId: id, snapshotId, subset: null, files: 3, engine: { kind: 'restic', init: false } },
  ])
  expect(await one(id)).toMatchObject({
    ...{ orgId: org.id, deviceId: device.deviceId, backupJobId: jobId, snapshotId: snapshot },
    ...{ verificationType: 'integrity', status: 'running', completedAt: null },
    details: { source: 'manual', ranOn: 'device', commandId: id },
  })
  await finish(id, passed)
  expect(await one(id)).toMatchObject({ status: 'passed', filesVerified: 3, filesFailed: 0 })
  expect(auditOf(app, 'backup.verification.run')).toMatchObject([
    { resource_id: device.deviceId, details: { verificationId: id, verificationType: 'integrity' } },
  ])
  expect(auditOf(app, 'backup.verification.fail')).toEqual([])
})

test('a test restore gets the checksums that the device sent with the backup, and of nothing else', async () => {
  const { app, backedUp, begun, finish, one } = await scene()
  await backedUp({ checksums: [checksum] })
  const { id, frame } = await begun({ verificationType: 'test_restore' })
  expect([frame.type, frame.payload]).toMatchObject([
    'backup_test_restore',
    { verificationId: id, snapshotId, checksums: [checksum], engine: { kind: 'restic' } },
  ])
  const result = { restoreTimeSeconds: 1.5, sizeBytes: 175, checksumsCompared: 1, cleanedUp: true, restorePath: '/x' }
  await finish(id, { ...passed, ...result })
  const check = await one(id)
  expect(check).toMatchObject({ status: 'passed', restoreTimeSeconds: 1.5, sizeBytes: 175 })
  expect(check?.details).toMatchObject({ checksumsCompared: 1, cleanedUp: true, sampled: false })
  expect(check?.details?.restorePath).toBeUndefined()
  // What is nonsense is no checksum, and the backup counts all the same.
  await backedUp({ snapshotId: 'ba'.repeat(32), checksums: [{ path: 'x' }] })
  expect(app.db.all(q.selectFrom('backup_snapshot_checksums').select('snapshot_id'))).toHaveLength(1)
})

test('what a check finds needs attention, is mailed, and is over when a later one of all data passes', async () => {
  const { app, org, origin, socket, token, anew, device, backedUp, begun, finish, one, kinds, job } = await scene()
  const { snapshot } = await backedUp()
  using stream = await liveStream(origin, token, device.deviceId)
  const { id } = await begun()
  await finish(id, found)
  expect(await one(id)).toMatchObject({
    ...{ status: 'failed', filesVerified: 2, filesFailed: 1, snapshotId: snapshot },
    details: { failedFiles: [lost], damage: [{ kind: 'pack' }], reason: found.reason },
  })
  expect(await kinds()).toContain('verification_failed')
  expect(auditOf(app, 'backup.verification.fail')).toMatchObject([
    { actor_type: 'system', org_id: org.id, details: { verificationId: id, status: 'failed', filesFailed: 1 } },
  ])
  await stream.event(({ type }) => type === 'backup.verification_failed')
  const summary = async () =>
    (await app.call(summarizeVerifications, { query: { orgId: org.id } }, { token: await anew() })).body.data
  expect(await summary()).toEqual({ devices: 1, restored: 0, proven: 0, failing: 1 })

  // A test restore says nothing of the data that it did not need.
  app.clock.advance(minute)
  const restored = await begun({ verificationType: 'test_restore' })
  await finish(restored.id, passed)
  expect(await kinds()).toContain('verification_failed')
  expect(await summary(), 'proven is no device with damage').toEqual({ devices: 1, restored: 0, proven: 0, failing: 1 })

  // As long as it is open, what is checked after a backup is all of the data.
  app.clock.advance(minute)
  await backedUp({ snapshotId: 'ba'.repeat(32) })
  await job('backup.verify-new')
  const quiet = app.db.one(q.selectFrom('backup_verifications').selectAll().where('source', '=', 'post_backup'))
  expect(quiet.subset).toBeNull()
  await socket.frame(({ id }) => id === quiet.id)
  await finish(quiet.id, passed)
  expect(await kinds()).not.toContain('verification_failed')
  await stream.event(({ type }) => type === 'backup.verification_passed')
  expect(await summary()).toEqual({ devices: 1, restored: 1, proven: 1, failing: 0 })
  app.clock.advance(31 * day)
  expect(await summary()).toEqual({ devices: 1, restored: 0, proven: 0, failing: 0 })
})

describe('what a test restore could not bring back', () => {
  const restore = { verificationType: 'test_restore' } as const
  const part = { ...passed, sampled: true, sampledBytes: 100, totalBytes: 1000 }
  const failing = async () => {
    const at = await scene()
    await at.backedUp()
    const { id, frame } = await at.begun(restore)
    expect(frame.payload).toMatchObject({ again: [] })
    await at.finish(id, { ...found, sampled: true, sampledBytes: 100, totalBytes: 1000 })
    at.app.clock.advance(minute)
    return at
  }

  test('is named to the next one, and a part that has it again outweighs the failure', async () => {
    const { begun, finish, one, kinds } = await failing()
    const { id, frame } = await begun(restore)
    expect(frame.payload).toMatchObject({ again: [lost.path] })
    expect(await kinds()).toContain('verification_failed')
    await finish(id, { ...part, restoredAgain: true })
    expect((await one(id))?.details).toMatchObject({ sampled: true, restoredAgain: true })
    expect(await kinds()).not.toContain('verification_failed')
  })

  test('is not outweighed by a part that may not have it, however often that passes', async () => {
    const { app, begun, finish, kinds } = await failing()
    for (const said of [part, { ...part, restoredAgain: false }, part]) {
      const { id, frame } = await begun(restore)
      expect(frame.payload).toMatchObject({ again: [lost.path] })
      await finish(id, said)
      expect(await kinds()).toContain('verification_failed')
      app.clock.advance(minute)
    }
    const whole = await begun(restore)
    await finish(whole.id, passed)
    expect(await kinds()).not.toContain('verification_failed')
    app.clock.advance(minute)
    expect((await begun(restore)).frame.payload).toMatchObject({ again: [] })
  })

  test('is named once more with what fails then, as far as it still fails', async () => {
    const { app, begun, finish } = await failing()
    const other = { path: '/srv/b.txt', error: lost.error }
    const fails = async (said: object) => {
      const { id } = await begun(restore)
      await finish(id, { ...found, ...part, status: 'failed', filesFailed: 1, failedFiles: [other], ...said })
      app.clock.advance(minute)
    }
    // It is not known whether it had the first one.
    await fails({})
    // There was no room for any.
    await fails({ filesVerified: 0, filesFailed: 0, failedFiles: [], sampled: false, reason: 'insufficient_space' })
    const { id, frame } = await begun(restore)
    expect(frame.payload).toMatchObject({ again: [other.path, lost.path] })
    await finish(id, { ...found, ...part, status: 'failed', failedFiles: [other], filesFailed: 1, restoredAgain: true })
    app.clock.advance(minute)
    expect((await begun(restore)).frame.payload).toMatchObject({ again: [other.path] })
  })

  test('found by a check that was given up and heard of late is not outweighed by what had begun before', async () => {
    const { app, anew, backedUp, begun, finish, kinds, job } = await scene()
    await backedUp()
    const silent = await begun(restore)
    app.clock.advance(31 * minute)
    await job('backup.verify-watch')
    const { id } = await begun(restore, await anew())
    app.clock.advance(minute)
    await finish(silent.id, found)
    app.clock.advance(minute)
    await finish(id, { ...part, restoredAgain: true })
    expect(await kinds()).toContain('verification_failed')
  })
})

test('a test restore for which the device has no room has failed, until one passes', async () => {
  const { app, backedUp, begun, finish, one, kinds } = await scene()
  await backedUp()
  const { id } = await begun({ verificationType: 'test_restore' })
  await finish(id, { status: 'failed', filesVerified: 0, filesFailed: 0, reason: 'insufficient_space' })
  expect(await one(id)).toMatchObject({ status: 'failed', details: { reason: 'insufficient_space' } })
  expect(await kinds()).toContain('verification_failed')
  app.clock.advance(minute)
  const next = await begun({ verificationType: 'test_restore' })
  await finish(next.id, { ...passed, sampled: true, restoredAgain: true })
  expect(await kinds()).not.toContain('verification_failed')
})

test('one that is partial is told as a failed one', async () => {
  const { origin, token, device, backedUp, begun, finish, one, kinds } = await scene()
  await backedUp()
  using stream = await liveStream(origin, token, device.deviceId)
  const { id } = await begun({ verificationType: 'test_restore' })
  await finish(id, { ...found, status: 'partial' })
  expect(await one(id)).toMatchObject({ status: 'partial' })
  await stream.event(({ type }) => type === 'backup.verification_failed')
  expect(stream.events.filter(({ type }) => type === 'backup.verification_passed')).toEqual([])
  expect(await kinds()).toContain('verification_failed')
})

test('after a backup a part of its data is read, once', async () => {
  const { app, socket, backedUp, finish, list, job, kinds } = await scene()
  await backedUp()
  await job('backup.verify-new')
  await socket.frame(({ type }) => type === 'backup_verify')
  const [check] = await list()
  expect(check).toMatchObject({ status: 'running', details: { source: 'post_backup', subset: '64M' } })
  await finish(check?.id ?? '', passed)
  await job('backup.verify-new')
  expect(await list()).toHaveLength(1)
  app.clock.advance(minute)
  await backedUp({ snapshotId: 'ba'.repeat(32) })
  await job('backup.verify-new')
  expect(await list()).toHaveLength(2)
  expect(await kinds()).not.toContain('verification_failed')
})

test('critical devices restore for proof once a week, and not when they are offline', async () => {
  const { app, device, key, origin, socket, backedUp, finish, list, job } = await scene()
  await backedUp()
  const other = await enrolledDevice(app, key.key, 'pc-2')
  setDevice(app, other.deviceId, { tags: '["Critical"]' as never, backup_version: 'restic/0.18.0' })
  await connect(origin, other)
  await job('backup.test-restores')
  // The critical one has no backup, and so it is none to look at.
  await socket.frame(({ type }) => type === 'backup_test_restore')
  const [check] = await list({ verificationType: 'test_restore' })
  expect(check).toMatchObject({ deviceId: device.deviceId, details: { source: 'scheduled' } })
  await finish(check?.id ?? '', passed)
  await job('backup.test-restores')
  expect(await list({ verificationType: 'test_restore' })).toHaveLength(1)
  app.clock.advance(9 * day)
  await socket.close()
  await job('backup.test-restores')
  expect(await list({ verificationType: 'test_restore' })).toHaveLength(1)
  await connect(origin, device)
  await job('backup.test-restores')
  expect(await list({ verificationType: 'test_restore' })).toHaveLength(2)
})

test('where devices are called critical, the others are not restored for proof', async () => {
  const { app, device, key, origin, backedUp, list, job } = await scene()
  await backedUp()
  const other = await enrolledDevice(app, key.key, 'pc-2')
  setDevice(app, other.deviceId, { tags: '["tills","Tier0"]' as never, backup_version: 'restic/0.18.0' })
  const { id: repositoryId, ...repository } = app.db.one(q.selectFrom('backup_repositories').selectAll())
  const snapshot = app.db.one(q.selectFrom('backup_snapshots').selectAll().where('repository_id', '=', repositoryId))
  const theirs = { device_id: other.deviceId, id: randomUUID() }
  app.db.run(q.insertInto('backup_repositories').values({ ...repository, ...theirs }))
  const id = randomUUID()
  app.db.run(
    q.insertInto('backup_snapshots').values({ ...snapshot, id, device_id: theirs.device_id, repository_id: theirs.id }),
  )
  const socket = await connect(origin, other)
  await job('backup.test-restores')
  await socket.frame(({ type }) => type === 'backup_test_restore')
  expect(await list({ deviceId: device.deviceId })).toEqual([])
  expect(await list({ deviceId: other.deviceId })).toMatchObject([{ verificationType: 'test_restore' }])
})

test.each([
  ['nothing', {}, 'completed', 'The device did not say what it found'],
  ['praise for nothing', { ...passed, filesVerified: 0 }, 'completed', 'Nothing was compared'],
  ['a stop', { ...passed, status: 'stopped', reason: undefined }, 'completed', 'The check was stopped'],
  ['a refusal', {}, 'failed', 'The device did not say what it found'],
])('%s is no proof', async (_, result, status, reason) => {
  const { backedUp, begun, finish, one } = await scene()
  await backedUp()
  const { id } = await begun()
  await finish(id, result, status)
  expect(await one(id)).toMatchObject({ status: 'failed', details: { reason } })
})

test('only the device that was asked can say what it found', async () => {
  const { app, key, origin, device, backedUp, begun, finish, one } = await scene()
  await backedUp()
  const stranger = await connect(origin, await enrolledDevice(app, key.key, 'pc-2'))
  const { id } = await begun()
  await finish(id, passed, 'completed', stranger)
  expect(await one(id)).toMatchObject({ status: 'running', deviceId: device.deviceId })
  await finish(id, found)
  // The first result counts.
  await finish(id, passed)
  expect(await one(id)).toMatchObject({ status: 'failed' })
})

test('silence for half an hour ends it, and the result that comes later says what really happened', async () => {
  const { app, socket, backedUp, begun, finish, one, job } = await scene()
  await backedUp()
  const { id } = await begun()
  for (let n = 0; n < 6; n++) {
    app.clock.advance(20 * minute)
    socket.send({ type: 'backup_progress', commandId: id, progress: { phase: 'reading' } })
    await socket.settled()
    await job('backup.verify-watch')
  }
  expect((await one(id))?.status).toBe('running')
  app.clock.advance(31 * minute)
  await job('backup.verify-watch')
  expect(await one(id)).toMatchObject({
    status: 'failed',
    details: { reason: 'Verification timed out after 30 minutes' },
  })
  expect(await socket.frame(({ type }) => type === 'backup_stop')).toMatchObject({ payload: { jobId: id } })
  await finish(id, passed)
  expect((await one(id))?.status).toBe('passed')
})

test('a device that leaves service takes its check with it, which is no finding', async () => {
  const { app, token, device, socket, backedUp, begun, one, kinds } = await scene()
  await backedUp()
  const { id } = await begun()
  const call = { params: { id: device.deviceId }, body: {} }
  expect((await app.call(decommissionDevice, call as never, { token })).status).toBe(200)
  expect(await one(id)).toMatchObject({
    status: 'failed',
    details: { reason: 'Canceled because the device left service' },
  })
  expect(await socket.closed).toBe(4001)
  expect(await kinds()).not.toContain('verification_failed')
  expect(auditOf(app, 'backup.verification.fail')).toEqual([])
})

test('while the repository is maintained a check waits, and maintenance waits for a check', async () => {
  const { app, socket, backedUp, verify, one } = await scene()
  await backedUp()
  const { id: repositoryId } = app.db.one(q.selectFrom('backup_repositories').select('id'))
  const lock = app.app.locks.take(repositoryId)
  const { id } = (await verify()).body.data.verification
  await socket.settled()
  expect((await one(id))?.status).toBe('pending')
  lock?.release()
  await socket.frame((frame) => frame.id === id)
  expect(app.app.locks.take(repositoryId)).toBeNull()
})

test('of ten who ask at once one gets a check', async () => {
  const { app, backedUp, verify } = await scene()
  await backedUp()
  const answers = await Promise.all(Array.from({ length: 10 }, () => verify()))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  expect(app.rowCounts().backup_verifications).toBe(1)
  expect(auditOf(app, 'backup.verification.run')).toHaveLength(1)
})

test('who asks while a check of the kind is under way is told which, and nothing else happens', async () => {
  const { app, socket, backedUp, verify, list, job } = await scene()
  await backedUp()
  await job('backup.verify-new')
  await socket.frame(({ type }) => type === 'backup_verify')
  const [quick] = await list()
  const before = app.rowCounts()
  const refused = await verify()
  expect([refused.status, refused.body]).toMatchObject([
    409,
    {
      code: 'verification_running',
      verification: {
        ...{ id: quick?.id, source: 'post_backup', ranOn: 'device', subset: '64M', startedAt: quick?.startedAt },
      },
    },
  ])
  expect(app.rowCounts()).toEqual(before)
  expect((await verify({ verificationType: 'test_restore' })).status).toBe(201)
})

test.each([
  ['an unknown snapshot', { snapshotId: randomUUID() }, 400, 'Snapshot not found for organization'],
  ['an unknown backup', { backupJobId: randomUUID() }, 400, 'Backup job not found for requested device'],
  ['an unknown device', { deviceId: randomUUID() }, 404, 'Device not found'],
  ['another kind of check', { verificationType: 'hope' as never }, 400, 'verificationType'],
])('%s is refused, and leaves no row and no command', async (_, body, status, words) => {
  const { app, socket, backedUp, verify } = await scene()
  await backedUp()
  const before = app.rowCounts()
  const frames = socket.frames.length
  const refused = await verify(body)
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([status, expect.stringContaining(words)])
  expect(app.rowCounts()).toEqual(before)
  expect(socket.frames).toHaveLength(frames)
})

test('without a backup, a connection or restic there is nothing to check', async () => {
  const { app, device, socket, backedUp, verify } = await scene()
  const none = await verify()
  expect([none.status, none.body.error]).toEqual([400, 'Snapshot is required for restore-based verification'])
  await backedUp()
  setDevice(app, device.deviceId, { backup_version: null })
  expect((await verify()).body.code).toBe('backup_engine_missing')
  setDevice(app, device.deviceId, { backup_version: 'restic/0.18.0', status: 'offline' })
  const offline = await verify()
  expect([offline.status, offline.body.error]).toEqual([409, 'Device is offline, cannot execute command'])
  expect(app.rowCounts().backup_verifications ?? 0).toBe(0)
  expect(socket.frames.some(({ type }) => type === 'backup_verify')).toBe(false)
})

test('people see and check what they reach only', async () => {
  const { app, org, token, backedUp, begun, verify, list } = await scene()
  const { snapshot } = await backedUp()
  const { id } = await begun()
  const far = await siteOf(app, token, org.id, 'Far')
  const confined = await person(app, { email: 's@x.test', scope: 'organization', orgId: org.id, siteIds: [far.id] })
  passFactor(app, confined.token)
  expect((await verify({}, confined.token)).status).toBe(403)
  expect(await list({}, confined.token)).toEqual([])
  const stranger = await otherCompany(app)
  passFactor(app, stranger.admin.token)
  expect((await verify({}, stranger.admin.token)).status).toBe(404)
  const theirs = { deviceId: stranger.device.deviceId, snapshotId: snapshot }
  expect((await verify(theirs, stranger.admin.token)).body.error).toBe('Snapshot not found for organization')
  expect(await list({ orgId: stranger.org.id }, stranger.admin.token)).toEqual([])
  expect((await list({ snapshotId: snapshot })).map((check) => check.id)).toEqual([id])
})

test('lists are the newest first, by device, kind, state, backup and time', async () => {
  const { app, device, backedUp, begun, finish, list } = await scene()
  const { jobId } = await backedUp()
  const first = await begun()
  await finish(first.id, passed)
  app.clock.advance(minute)
  const between = new Date(app.clock.now()).toISOString()
  app.clock.advance(minute)
  const second = await begun({ verificationType: 'test_restore', backupJobId: jobId })
  const ids = async (query: object) => (await list(query)).map(({ id }) => id)
  expect(await ids({})).toEqual([second.id, first.id])
  expect(await ids({ deviceId: device.deviceId, limit: '1' })).toEqual([second.id])
  expect(await ids({ verificationType: 'integrity' })).toEqual([first.id])
  expect(await ids({ status: 'running' })).toEqual([second.id])
  expect(await ids({ backupJobId: jobId })).toEqual([second.id, first.id])
  expect(await ids({ from: between })).toEqual([second.id])
  expect(await ids({ to: between })).toEqual([first.id])
  expect(await ids({ deviceId: randomUUID() })).toEqual([])
})
