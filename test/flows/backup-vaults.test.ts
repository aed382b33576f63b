import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import { day, hour } from '../../server/platform/clock.ts'
import { createRestore } from '../../shared/api/backup-restores.ts'
import {
  createVault,
  deleteVault,
  listSnapshotCopies,
  listVaultCopies,
  listVaults,
  readVaultStatus,
  syncVault,
  updateVault,
} from '../../shared/api/backup-vaults.ts'
import { moveDeviceToOrganization } from '../../shared/api/devices.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { company, enrolledDevice, holdings, otherCompany, person, siteOf } from '../helpers/factories.ts'
import { connect, listening } from '../helpers/fake-device.ts'
import { auditOf, setDevice } from '../helpers/rows.ts'
import { passFactor } from '../helpers/sessions.ts'
import { testApp } from '../helpers/test-app.ts'

/** Second copies of backups, as people set them up, and as a device is asked for them. */

const snapshotIds = ['ab'.repeat(32), 'cd'.repeat(32)]

async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const made = await company(app)
  const { token } = made.admin
  const origin = await listening(app)
  const operator = backupOperator(app, token)
  await operator.storage()
  const { deviceId } = made.device
  setDevice(app, deviceId, { backup_version: 'restic/0.18.0' })
  const as = { token }
  const create = (body: object = {}, query: object = {}, who = as) =>
    app.call(createVault, { body: { deviceId, vaultPath: '/mnt/copies', ...body }, query } as never, who)
  const update = (id: string, body: object, who = as) => app.call(updateVault, { params: { id }, body } as never, who)
  const sync = (id: string, body?: object, who = as) =>
    app.call(syncVault, { params: { id }, ...(body && { body }) } as never, who)
  const status = async (id: string) => (await app.call(readVaultStatus, { params: { id } }, as)).body
  const list = async (query: object = {}) => (await app.call(listVaults, { query } as never, as)).body.data
  /** A backup that the device says it has made. */
  const backedUp = async (socket: Awaited<ReturnType<typeof connect>>, snapshotId = snapshotIds[0]) => {
    const { id } = (await operator.run(deviceId)).body
    await socket.frame((frame) => frame.id === id)
    const result = { status: 'completed', snapshotId, filesBackedUp: 1, bytesBackedUp: 100 }
    socket.send({ type: 'command_result', commandId: id, status: 'completed', result })
    await socket.settled()
  }
  /** Tokens do not last for hours. */
  const rowOf = (id: string) => app.db.one(q.selectFrom('backup_vaults').selectAll().where('id', '=', id))
  return { ...made, app, as, rowOf, origin, operator, deviceId, create, update, sync, status, list, backedUp }
}

/** As restic names it in the copy. */
const copyId = '12'.repeat(32)

/** What a device answers that has copied. */
const copied = (vaultId: string, snapshotId = snapshotIds[0] ?? '') => ({
  ...{ vaultId, vaultPath: '/mnt/copies', snapshotId, fileCount: 1, totalBytes: 100, manifestVerified: true },
  ...{ auto: false, absent: null },
  outcome: {
    resticId: 'ef'.repeat(32),
    snapshots: [{ id: copyId, original: snapshotId, takenAt: '2026-01-01T00:00:00.000Z' }],
    manifests: [{ snapshotId, isSame: true, files: 1, bytes: 100 }],
    storedBytes: 4711,
    wasRead: true,
    damage: null,
  },
})

test('a second copy is added with its defaults, changed, listed and turned off; what is not known of it is null', async () => {
  const { app, deviceId, create, update, list, status, as } = await scene()
  const made = await create()
  expect(made).toMatchObject({
    status: 201,
    body: {
      ...{ deviceId, vaultPath: '/mnt/copies', vaultType: 'local', isActive: true, retentionCount: 3 },
      ...{ lastSyncAt: null, lastSyncStatus: null, lastSyncSnapshotId: null, syncSizeBytes: null, lastSyncError: null },
      ...{ place: 'device', schedule: null, remindAfterDays: 8, waitingFor: null, isLate: false },
    },
  })
  const { id } = made.body
  expect(await update(id, { retentionCount: 10, name: 'Blue disk', vaultType: 'usb' })).toMatchObject({
    status: 200,
    body: { retentionCount: 10, name: 'Blue disk', vaultType: 'usb', vaultPath: '/mnt/copies' },
  })
  expect(await list({ deviceId })).toMatchObject([{ id, name: 'Blue disk' }])
  expect(await status(id)).toMatchObject({ id, deviceId, isActive: true, lastSyncStatus: null })
  const removed = await app.call(deleteVault, { params: { id } }, as)
  expect(removed).toMatchObject({ status: 200, body: { deleted: true, id } })
  expect(await list()).toMatchObject([{ id, isActive: false }])
  expect(await update(id, { isActive: true })).toMatchObject({ body: { isActive: true } })
  for (const what of ['create', 'update', 'delete']) expect(auditOf(app, `backup.vault.${what}`)).not.toEqual([])
})

test('paths that lead elsewhere are refused when one is added and when it is changed, and what is refused changes nothing', async () => {
  const { app, create, update, list } = await scene()
  const { id } = (await create()).body
  const before = app.rowCounts()
  const events = auditOf(app, 'backup.vault.update').length
  for (const [vaultPath, why] of [
    ['/mnt/../etc', 'Path traversal not allowed'],
    ['/mnt/a\0b', 'Null bytes not allowed in path'],
    ['copies', 'Must be the whole path of a folder'],
    ['', ''],
    [`/${'x'.repeat(1024)}`, ''],
  ]) {
    const answers = [await create({ vaultPath }), await update(id, { vaultPath })]
    for (const answer of answers) {
      expect(answer.status, vaultPath).toBe(400)
      expect(answer.body.error).toContain(why)
    }
  }
  for (const retentionCount of [0, 101]) expect((await create({ retentionCount })).status).toBe(400)
  expect((await create({ deviceId: undefined })).body.code).toBe('backup_vault_needs_device')
  expect((await create({ place: 'storage' })).body.code).toBe('backup_vault_needs_storage')
  expect(app.rowCounts()).toMatchObject({ backup_vaults: before.backup_vaults })
  expect(auditOf(app, 'backup.vault.update')).toHaveLength(events)
  expect(await list()).toMatchObject([{ vaultPath: '/mnt/copies' }])
})

test('what belongs to somebody else is not found, and somebody of one site sees only their devices', async () => {
  const { app, org, admin, key, create, update, sync, list } = await scene()
  const { id } = (await create()).body
  const other = await otherCompany(app)
  passFactor(app, other.admin.token)
  const stranger = { token: other.admin.token }
  expect(await create({ deviceId: other.device.deviceId })).toMatchObject({
    status: 404,
    body: { error: 'Device not found' },
  })
  const absent = { status: 404, body: { error: 'Vault not found' } }
  expect(await update(id, { retentionCount: 1 }, stranger)).toMatchObject(absent)
  expect(await sync(id, undefined, stranger)).toMatchObject(absent)
  expect(await app.call(deleteVault, { params: { id } }, stranger)).toMatchObject(absent)
  expect(await app.call(readVaultStatus, { params: { id } }, stranger)).toMatchObject(absent)
  expect(await app.call(listVaultCopies, { params: { id } }, stranger)).toMatchObject(absent)
  expect((await app.call(listVaults, {}, stranger)).body.data).toEqual([])

  const far = await siteOf(app, admin.token, org.id, 'Far')
  const mine = await enrolledDevice(app, key.key, 'pc-2')
  setDevice(app, mine.deviceId, { site_id: far.id })
  const own = (await create({ deviceId: mine.deviceId })).body
  const forAll = await create({ deviceId: null, place: 'appliance', vaultPath: scratchFolder() }, { orgId: org.id })
  expect(forAll.status).toBe(201)
  const confined = await person(app, { email: 's@x.test', scope: 'organization', orgId: org.id, siteIds: [far.id] })
  passFactor(app, confined.token)
  const theirs = { token: confined.token }
  expect((await app.call(listVaults, {}, theirs)).body.data).toMatchObject([{ id: own.id }])
  expect(await app.call(readVaultStatus, { params: { id } }, theirs)).toMatchObject(absent)
  expect(await app.call(readVaultStatus, { params: { id: forAll.body.id } }, theirs)).toMatchObject(absent)
  expect((await create({}, {}, theirs)).status).toBe(403)
  expect((await list()).map((one) => one.id).sort()).toEqual([id, own.id, forAll.body.id].sort())
})

test('a folder of the appliance takes an administrator of the appliance, and is none of its own', async () => {
  const { app, admin, org, create, update, rowOf } = await scene()
  const folder = scratchFolder()
  const wanted = { deviceId: null, place: 'appliance', vaultPath: folder, vaultType: 'usb' }
  const technician = await person(app, {
    ...{ email: 't@x.test', scope: 'partner', partnerId: admin.partnerId, role: 'Partner Admin' },
  })
  passFactor(app, technician.token)
  expect((await create(wanted, { orgId: org.id }, { token: technician.token })).status).toBe(403)
  for (const vaultPath of [app.dataDir, join(app.dataDir, 'backups'), '/', 'relative'])
    expect(await create({ ...wanted, vaultPath }, { orgId: org.id })).toMatchObject({
      status: 400,
      body: { code: 'backup_vault_path_unfit' },
    })
  const made = await create(wanted, { orgId: org.id })
  expect(made).toMatchObject({ status: 201, body: { deviceId: null, place: 'appliance', vaultPath: folder } })
  const before = rowOf(made.body.id)
  for (const change of [{ vaultPath: scratchFolder() }, { vaultType: 'local' }, { isActive: true }])
    expect((await update(made.body.id, change, { token: technician.token })).status, JSON.stringify(change)).toBe(403)
  expect(rowOf(made.body.id)).toEqual(before)
  expect((await update(made.body.id, { retentionCount: 9 }, { token: technician.token })).status).toBe(200)
})

test('an organization that a device has left commands it with no second copy of its own any more', async () => {
  const { app, admin, as, origin, device, deviceId, create, update, sync, rowOf, backedUp } = await scene()
  const socket = await connect(origin, device)
  await backedUp(socket)
  const { id } = (await create({ schedule: { frequency: 'daily', time: '12:00', timezone: 'UTC' } })).body
  await app.app.jobs.runNow('backup.watch-copies')
  const elsewhere = await holdings(app, admin.token, 'Hamburg', 'hh-1')
  const body = { orgId: elsewhere.org.id, siteId: elsewhere.site.id }
  expect((await app.call(moveDeviceToOrganization, { params: { id: deviceId }, body }, as)).status).toBe(200)
  const before = rowOf(id)
  expect(before.is_active).toBe(0)
  const events = app.rowCounts().audit_logs
  for (const change of [{ isActive: true }, { vaultPath: '/mnt/other' }, { isActive: true, vaultPath: '/mnt/other' }])
    expect(await update(id, change)).toMatchObject({ status: 404, body: { code: 'device_not_found' } })
  expect((await sync(id)).status).toBe(400)
  expect([rowOf(id), app.rowCounts().audit_logs]).toEqual([before, events])

  // Whatever way such a row came to be turned on, nothing is sent because of it.
  const back = await connect(origin, device)
  app.db.run(q.updateTable('backup_vaults').set({ is_active: 1 }))
  expect((await sync(id)).body.code).toBe('device_not_found')
  const due = { schedule: null, requested_at: '2026-01-01T00:00:00.000Z', last_sync_status: 'pending' } as const
  app.db.run(q.updateTable('backup_vaults').set({ ...due, waiting_for: 'device' }))
  await back.close()
  const again = await connect(origin, device)
  await again.settled()
  for (const job of ['backup.watch-copies', 'backup.sync-copies']) await app.app.jobs.runNow(job)
  await again.settled()
  expect([...back.frames, ...again.frames].filter(({ type }) => type === 'vault_sync')).toEqual([])
  expect(app.rowCounts().backup_store_credentials).toBe(0)
  expect(rowOf(id)).toMatchObject({ waiting_for: 'device', begun_at: null })
})

test('a sync with an empty body is taken; of an offline device, or of one that is turned off, it is refused and nothing changes', async () => {
  const { app, as, origin, device, create, sync, status, update, backedUp } = await scene()
  const { id } = (await create()).body
  const before = await status(id)
  expect(await sync(id)).toMatchObject({ status: 409, body: { error: 'Device is offline, cannot execute command' } })
  expect(await status(id)).toEqual(before)
  expect(auditOf(app, 'backup.vault.sync')).toEqual([])
  const socket = await connect(origin, device)
  await backedUp(socket)
  await socket.frame(({ type }) => type === 'vault_sync')
  const answer = await app.inject({
    method: 'POST',
    url: `/api/v1/backup/vault/${id}/sync`,
    headers: { authorization: `Bearer ${as.token}`, 'content-type': 'application/json' },
    payload: '',
  })
  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    { id, status: 'pending', deviceId: device.deviceId, snapshotId: null },
  ])
  await update(id, { isActive: false })
  expect(await sync(id)).toMatchObject({ status: 400, body: { error: 'Vault is inactive' } })
})

test('after a backup the device is told what to copy, and what it says is kept; another device’s answer is not', async () => {
  const { app, as, key, origin, device, create, status, backedUp } = await scene()
  const socket = await connect(origin, device)
  const { id } = (await create({ retentionCount: 1 })).body
  await backedUp(socket)
  const { id: commandId, payload } = await socket.frame(({ type }) => type === 'vault_sync')
  expect(payload).toMatchObject({
    ...{ vaultId: id, vaultPath: '/mnt/copies', vaultType: 'local', password: expect.any(String) },
    wish: { isNew: true, resticId: null, copy: [snapshotIds[0]], forget: [], readBack: '1/20' },
    engine: { init: false, place: { at: 'appliance' } },
  })
  expect(await status(id)).toMatchObject({ lastSyncStatus: 'running' })
  socket.send({ type: 'backup_progress', commandId, progress: { phase: 'copying', done: 0, total: 1, percent: 40 } })
  const answer = { type: 'command_result', commandId, status: 'completed', result: copied(id) }
  const other = await connect(origin, await enrolledDevice(app, key.key, 'pc-2'))
  other.send(answer)
  await other.settled()
  expect(await status(id)).toMatchObject({ lastSyncStatus: 'running', lastSyncAt: null })
  socket.send(answer)
  await expect
    .poll(() => status(id))
    .toMatchObject({
      ...{ lastSyncStatus: 'completed', lastSyncSnapshotId: snapshotIds[0], syncSizeBytes: 4711, lastSyncError: null },
      lastSyncAt: expect.any(String),
    })
  const copies = await app.call(listVaultCopies, { params: { id } }, as)
  expect(copies.body.data).toMatchObject([{ deviceId: device.deviceId, snapshots: 1, missing: 0, error: null }])
  expect(app.rowCounts().backup_store_credentials).toBe(0)

  app.clock.advance(1000)
  await backedUp(socket, snapshotIds[1])
  const next = await socket.frame((frame) => frame.type === 'vault_sync' && frame.id !== commandId)
  expect(next.payload).toMatchObject({
    wish: { isNew: false, resticId: 'ef'.repeat(32), copy: [snapshotIds[1]], forget: [copyId] },
  })
})

/** What the device is told, one after the other, and what it answers. */
async function onDevice({ origin, device, create, backedUp }: Awaited<ReturnType<typeof scene>>) {
  const socket = await connect(origin, device)
  const { id } = (await create()).body
  await backedUp(socket)
  const seen = new Set<unknown>()
  const told = async () => {
    const frame = await socket.frame(({ type, id }) => type === 'vault_sync' && !seen.has(id))
    seen.add(frame.id)
    return { commandId: frame.id, wish: (frame.payload as { wish: Record<string, unknown> }).wish }
  }
  const answer = async (commandId: unknown, outcome: object) => {
    const said = copied(id)
    const result = { ...said, outcome: { ...said.outcome, ...outcome } }
    socket.send({ type: 'command_result', commandId, status: 'completed', result })
    await socket.settled()
  }
  return { id, socket, told, answer }
}

test('known damage stays until all data of the copy was read and is good; what was not read was not checked', async () => {
  const made = await scene()
  const { app, as, rowOf, sync, backedUp } = made
  const { id, socket, told, answer } = await onDevice(made)
  const known = () =>
    app.db.one(q.selectFrom('backup_vault_repositories').select(['damage', 'checked_at', 'read_part']))
  const ended = (status: string) => expect.poll(() => rowOf(id)).toMatchObject({ last_sync_status: status })
  await answer((await told()).commandId, { storedBytes: 2 ** 40, damage: 'Pack ab is damaged' })
  await ended('failed')
  expect(rowOf(id).last_sync_error).toContain('Pack ab is damaged')
  const first = known()
  expect(first).toMatchObject({ damage: 'Pack ab is damaged', read_part: 1, checked_at: expect.any(String) })

  app.clock.advance(1000)
  await backedUp(socket, snapshotIds[1])
  const next = await told()
  expect(next.wish, 'not read again after each backup').toMatchObject({ copy: [snapshotIds[1]], readBack: null })
  await answer(next.commandId, { storedBytes: 2 ** 40, wasRead: false })
  await ended('failed')
  expect(known()).toEqual(first)

  app.clock.advance(1000)
  expect((await sync(id)).status).toBe(200)
  const asked = await told()
  expect(asked.wish).toMatchObject({ readBack: 'all' })
  // Somebody else is at work there.
  await answer(asked.commandId, { storedBytes: 2 ** 40, wasRead: false })
  await ended('failed')
  expect(known()).toEqual(first)
  const shown = (await app.call(listVaults, {}, as)).body.data
  expect(shown).toMatchObject([{ damage: 'Pack ab is damaged', checkedAt: first.checked_at }])

  expect((await sync(id)).status).toBe(200)
  const whole = await told()
  expect(whole.wish).toMatchObject({ readBack: 'all' })
  await answer(whole.commandId, { storedBytes: 2 ** 40 })
  await ended('completed')
  expect(known()).toEqual({ damage: null, read_part: 1, checked_at: new Date(app.clock.now()).toISOString() })
})

test('what an unusual change holds stays in a second copy as well, until somebody says that it was expected', async () => {
  const made = await scene()
  const { app, org, deviceId, update, rowOf, backedUp } = made
  const { id, socket, told, answer } = await onDevice(made)
  expect((await update(id, { retentionCount: 1 })).status).toBe(200)
  await answer((await told()).commandId, {})
  await expect.poll(() => rowOf(id)).toMatchObject({ last_sync_status: 'completed' })
  const { config_id } = app.db.one(q.selectFrom('backup_repositories').select('config_id'))
  app.clock.advance(1000)
  const now = new Date(app.clock.now()).toISOString()
  app.db.run(
    q.insertInto('backup_unusual_changes').values({
      ...{ id: randomUUID(), org_id: org.id, device_id: deviceId, config_id, backup_mode: 'file' },
      ...{ snapshot_id: null, older_id: null, taken_at: now, sign: 'content', numbers: '{}' as never },
      ...{ state: 'open', found_at: now, decided_at: null, decided_by: null, reason: null },
    }),
  )
  await backedUp(socket, snapshotIds[1])
  const both = [...snapshotIds.entries()].map(([at, original]) => {
    return { id: at === 0 ? copyId : '34'.repeat(32), original, takenAt: now }
  })
  const forgotten: unknown[] = []
  const sync = async () => {
    const { commandId, wish } = await told()
    forgotten.push(wish.forget)
    const manifests = (wish.copy as string[]).map((snapshotId) => ({ snapshotId, isSame: true, files: 1, bytes: 100 }))
    await answer(commandId, { snapshots: both, manifests })
    await expect.poll(() => rowOf(id)).toMatchObject({ last_sync_status: 'completed' })
  }
  await sync()
  for (const state of ['held', 'expected'] as const) {
    app.db.run(q.updateTable('backup_unusual_changes').set({ state }))
    app.db.run(q.updateTable('backup_vaults').set({ requested_at: now }))
    await app.app.jobs.runNow('backup.sync-copies')
    await sync()
  }
  expect(forgotten).toEqual([[], [], [copyId]])
})

test('a copy that differs from its backup is no success and nothing to restore from, is said, and is made again', async () => {
  const made = await scene()
  const { app, as, rowOf } = made
  const { id, told, answer } = await onDevice(made)
  const { commandId } = await told()
  await answer(commandId, { manifests: [{ snapshotId: snapshotIds[0], isSame: false, files: 1, bytes: 100 }] })
  await expect.poll(() => rowOf(id)).toMatchObject({ last_sync_status: 'failed', last_sync_at: null })
  expect(rowOf(id).last_sync_error).toContain('did not have the same files')
  const { id: snapshot } = app.db.one(q.selectFrom('backup_snapshots').select('id'))
  const copiesOf = async () => (await app.call(listSnapshotCopies, { params: { id: snapshot } }, as)).body.data
  expect(await copiesOf()).toEqual([])
  const restore = { snapshotId: snapshot, vaultId: id }
  expect((await app.call(createRestore, { body: restore } as never, as)).body.code).toBe('restore_not_in_vault')
  const failed = q.selectFrom('backup_attention').select('kind').where('resolved_at', 'is', null)
  const problems = () => app.db.all(failed.where('kind', '=', 'copy_failed'))
  await expect.poll(problems).toHaveLength(1)

  app.clock.advance(hour)
  await app.app.jobs.runNow('backup.sync-copies')
  const again = await told()
  expect(again.wish).toMatchObject({ copy: [snapshotIds[0]] })
  await answer(again.commandId, {})
  await expect.poll(() => rowOf(id)).toMatchObject({ last_sync_status: 'completed', last_sync_error: null })
  await expect.poll(problems).toEqual([])
  expect(app.rowCounts().backup_vault_snapshots).toBe(1)
})

test('once a week another twentieth is read back, so that all was read after twenty of them; a small copy is read as a whole', async () => {
  const made = await scene()
  const { app, rowOf } = made
  const { id, told, answer } = await onDevice(made)
  const read: unknown[] = []
  const sync = async (storedBytes: number) => {
    const { commandId, wish } = await told()
    read.push(wish.readBack)
    await answer(commandId, { storedBytes, wasRead: wish.readBack !== null })
    await expect.poll(() => rowOf(id)).toMatchObject({ last_sync_status: 'completed' })
  }
  const again = async (afterMs: number, storedBytes = 2 ** 40) => {
    app.clock.advance(afterMs)
    app.db.run(q.updateTable('backup_vaults').set({ requested_at: new Date(app.clock.now()).toISOString() }))
    await app.app.jobs.runNow('backup.sync-copies')
    await sync(storedBytes)
  }
  await sync(2 ** 40)
  await again(day)
  for (let week = 0; week < 20; week++) await again(7 * day)
  const parts = Array.from({ length: 20 }, (_, at) => `${at + 1}/20`)
  expect(read).toEqual([parts[0], null, ...parts.slice(1), parts[0]])
  await again(7 * day, 2 ** 30)
  await again(7 * day, 2 ** 30)
  expect(read.slice(-2)).toEqual([parts[1], 'all'])
})

test('ten syncs at the same time are one', async () => {
  const { origin, device, create, sync, backedUp } = await scene()
  const socket = await connect(origin, device)
  await backedUp(socket)
  const { id } = (await create()).body
  const answers = await Promise.all(Array.from({ length: 10 }, () => sync(id)))
  expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200))
  await socket.frame(({ type }) => type === 'vault_sync')
  await socket.settled()
  expect(socket.frames.filter(({ type }) => type === 'vault_sync')).toHaveLength(1)
})

test('a sync without news for two hours has failed, and one that waits for its disk has not', async () => {
  const { app, origin, device, create, rowOf, backedUp } = await scene()
  const socket = await connect(origin, device)
  const { id } = (await create()).body
  await backedUp(socket)
  const { id: commandId } = await socket.frame(({ type }) => type === 'vault_sync')
  const tick = () => app.app.jobs.runNow('backup.sync-copies')
  app.clock.advance(hour)
  await tick()
  expect(rowOf(id)).toMatchObject({ last_sync_status: 'running' })
  app.clock.advance(hour + 1000)
  await tick()
  await expect
    .poll(() => rowOf(id))
    .toMatchObject({
      last_sync_status: 'failed',
      last_sync_error: 'Vault sync timed out',
    })
  const stop = await socket.frame(({ type }) => type === 'backup_stop')
  expect(stop.payload).toEqual({ jobId: commandId })
  socket.send({ type: 'command_result', commandId, status: 'failed', error: 'cancelled' })
  await socket.settled()

  // Tried again after an hour: now the disk is not there.
  app.clock.advance(hour)
  await tick()
  const again = await socket.frame((frame) => frame.type === 'vault_sync' && frame.id !== commandId)
  expect(again.payload).toMatchObject({ others: [] })
  const absent = { ...copied(id), absent: 'It was disconnected in the middle', isBegun: true, outcome: null }
  socket.send({ type: 'command_result', commandId: again.id, status: 'completed', result: absent })
  await expect.poll(() => rowOf(id)).toMatchObject({ last_sync_status: 'pending', waiting_for: 'medium' })
  app.clock.advance(24 * hour)
  await socket.close()
  const ticked = async () => {
    await tick()
    return rowOf(id)
  }
  await expect.poll(ticked).toMatchObject({ last_sync_status: 'pending', waiting_for: 'device' })
  expect(rowOf(id)).toMatchObject({ last_sync_error: 'Vault sync timed out' })
  const back = await connect(origin, device)
  // What was begun shows which disk is the right one.
  const { payload } = await back.frame(({ type }) => type === 'vault_sync')
  const { folder } = payload as { folder: string }
  expect(payload).toMatchObject({ others: [folder], wish: { isNew: true } })
})

test('one that waits behind eight others for hours has not failed, and has its turn', async () => {
  const { app, origin, device, create, rowOf, backedUp } = await scene()
  const socket = await connect(origin, device)
  const ids: string[] = []
  for (let at = 0; at < 9; at++) ids.push((await create({ vaultPath: `/mnt/${at}` })).body.id)
  await backedUp(socket)
  const told = () =>
    socket.frames.flatMap(({ type, payload }) =>
      type === 'vault_sync' ? (payload as { vaultId: string }).vaultId : [],
    )
  await expect.poll(told).toHaveLength(8)
  const [queued = ''] = ids.filter((id) => !told().includes(id))
  expect(rowOf(queued)).toMatchObject({ last_sync_status: 'pending' })
  app.clock.advance(2 * hour + 1000)
  await app.app.jobs.runNow('backup.sync-copies')
  await expect.poll(told).toContain(queued)
  expect(rowOf(queued)).toMatchObject({ last_sync_status: 'running', last_sync_error: null })
  for (const id of ids.filter((id) => id !== queued))
    expect(rowOf(id)).toMatchObject({ last_sync_status: 'failed', last_sync_error: 'Vault sync timed out' })
})

test('what failed is tried again after an hour, also when nothing is missing; damage alone begins no sync', async () => {
  const made = await scene()
  const { app, rowOf } = made
  const { id, socket, told, answer } = await onDevice(made)
  await answer((await told()).commandId, {})
  await expect.poll(() => rowOf(id)).toMatchObject({ last_sync_status: 'completed' })
  const known = (values: object) => app.db.run(q.updateTable('backup_vault_repositories').set(values))
  const asked = async (afterMs: number) => {
    app.clock.advance(afterMs)
    const before = socket.frames.length
    await app.app.jobs.runNow('backup.sync-copies')
    await socket.settled()
    return socket.frames.slice(before).filter(({ type }) => type === 'vault_sync').length
  }
  known({ damage: 'Pack ab is damaged' })
  expect(await asked(2 * hour)).toBe(0)
  known({ damage: null, error: 'The storage could not be reached' })
  app.db.run(q.updateTable('backup_vaults').set({ begun_at: new Date(app.clock.now()).toISOString() }))
  expect(await asked(hour - 1000)).toBe(0)
  await asked(1000)
  await answer((await told()).commandId, {})
  await expect.poll(() => rowOf(id)).toMatchObject({ last_sync_status: 'completed' })
  expect(app.db.one(q.selectFrom('backup_vault_repositories').select('error'))).toEqual({ error: null })
  expect(await asked(2 * hour)).toBe(0)
})

test('where a schedule says when, a backup alone begins nothing', async () => {
  const { app, origin, device, create, backedUp } = await scene()
  const socket = await connect(origin, device)
  const schedule = { frequency: 'daily', time: '12:00', timezone: 'UTC' }
  await create({ schedule })
  await backedUp(socket)
  const tick = () => app.app.jobs.runNow('backup.sync-copies')
  await tick()
  await socket.settled()
  expect(socket.frames.filter(({ type }) => type === 'vault_sync')).toEqual([])
  app.clock.advance(24 * hour)
  await tick()
  await socket.frame(({ type }) => type === 'vault_sync')
})

test('in storage there is one for the same devices, and storage with second copies stays', async () => {
  const { app, as, create, update, list, operator } = await scene()
  await create()
  const s3 = await operator.storage({
    ...{ name: 'Bucket', provider: 's3', isDefault: false },
    details: { bucket: 'b', region: 'eu-1', accessKey: 'AK', secretKey: 'secret' },
  })
  const inStorage = { deviceId: null, vaultPath: undefined, place: 'storage', configId: s3.id }
  expect(await create(inStorage)).toMatchObject({ status: 201, body: { configId: s3.id, vaultPath: 'Bucket' } })
  expect((await create(inStorage)).body.code).toBe('backup_vault_exists')
  const [, former] = await list()
  await update(former?.id ?? '', { isActive: false })
  const again = (await create(inStorage)).body
  const exists = { status: 409, body: { code: 'backup_vault_exists' } }
  expect(await update(former?.id ?? '', { isActive: true })).toMatchObject(exists)
  expect((await list()).map(({ isActive }) => isActive)).toEqual([true, false, true])
  expect(await update(again.id, { isActive: true }), 'it is on already').toMatchObject({ status: 200 })
  await app.call(deleteVault, { params: { id: again.id } }, as)
  const [first, second] = await Promise.all([again.id, former?.id ?? ''].map((id) => update(id, { isActive: true })))
  expect([first?.status, second?.status].sort(), 'at the same time one wins').toEqual([200, 409])
  const gone = await app.inject({
    method: 'DELETE',
    url: `/api/v1/backup/configs/${s3.id}`,
    headers: { authorization: `Bearer ${as.token}` },
  })
  expect(gone.statusCode).toBe(409)
  expect(await list()).toHaveLength(3)
})
