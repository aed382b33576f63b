import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { day, hour, iso, minute } from '../../server/platform/clock.ts'
import { updateBackupConfig } from '../../shared/api/backup-configs.ts'
import { applyImmutability, releaseImmutability } from '../../shared/api/backup-snapshot-protection.ts'
import { readBackupSnapshot } from '../../shared/api/backup-snapshots.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { otherCompany } from '../helpers/factories.ts'
import { connect, listening } from '../helpers/fake-device.ts'
import { auditOf, setDevice, setOrganization } from '../helpers/rows.ts'
import { type Manner, s3StandIn } from '../helpers/s3-stand-in.ts'
import { passFactor, sessionOf } from '../helpers/sessions.ts'
import { comparedSnapshots } from '../helpers/tasks.ts'
import { home, policyScene } from './policy-kit.ts'

/** Snapshots that S3 storage itself keeps until their day. */

const locked = 'backup.snapshot.immutability.apply.provider'
const byPolicy = { ...home, retention: { keepDaily: 7, immutabilityMode: 'provider', immutableDays: 30 } }

/** A device that backs up to a bucket; what restic would put there is put there by the test. */
async function scene(settings: object = byPolicy) {
  const made = await policyScene({ OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' })
  const { app, admin, org, one, policy } = made
  const bucket = await s3StandIn()
  // Sessions end while days pass.
  const signedIn = () => sessionOf(app, admin.userId, 'passkey')
  const operator = backupOperator(app, admin.token)
  const config = await operator.storage({ provider: 's3', details: bucket.details }, org.id)
  await policy('Locked', settings, { level: 'organization', targetId: org.id })
  setDevice(app, one.deviceId, { status: 'online', backup_version: 'restic/0.18.0' })
  const socket = await connect(await listening(app), one)
  const repository = () => app.db.one(q.selectFrom('backup_repositories').selectAll())
  const keyOf = (name: string) => `${bucket.details.prefix}/${repository().sub_path}/${name}`
  const store = (...names: string[]) => {
    for (const name of names) bucket.objects.set(keyOf(name), bucket.objects.get(keyOf(name)) ?? null)
  }
  let count = 0
  /** A backup with so many new packs. */
  const backUp = async (packs = 3) => {
    const now = backupOperator(app, await signedIn())
    setDevice(app, one.deviceId, { last_seen_at: iso(app.clock.now()) })
    const { id } = (await now.run(one.deviceId)).body
    await socket.frame((frame) => frame.id === id)
    const number = ++count
    const named = (n: number) => `${n.toString(16).padStart(2, '0')}${number}`.padEnd(64, 'e')
    const snapshotId = number.toString(16).padStart(64, 'a')
    store('config', 'keys/k1', 'locks/l1', `index/${named(0)}`, `snapshots/${snapshotId}`)
    store(...Array.from({ length: packs }, (_, n) => `data/${named(n).slice(0, 2)}/${named(n)}`))
    const result = { status: 'completed', snapshotId, filesBackedUp: 1, bytesBackedUp: 1 }
    socket.send({ type: 'command_result', commandId: id, status: 'completed', result })
    await socket.settled()
    await comparedSnapshots(app)
    const found = (await now.snapshots()).find(({ jobId }) => jobId === id)
    if (!found) throw new Error('There is no snapshot')
    return found.id
  }
  const read = async (id: string) =>
    (await app.call(readBackupSnapshot, { params: { id } }, { token: await signedIn() })).body
  const fix = async (id: string, body: object) =>
    app.call(applyImmutability, { params: { id }, body: { reason: 'Case 42', ...body } }, { token: await signedIn() })
  const run = async () => (await app.app.jobs.runNow('backup.lock-objects')).lastError
  const inDays = (days: number) => iso(app.clock.now() + days * day)
  return { ...made, ...operator, config, bucket, keyOf, store, backUp, read, fix, run, inDays, repository }
}

test('a snapshot is locked in its bucket with all that it needs, and says so once that was seen', async () => {
  const { app, backUp, read, run, bucket, keyOf, inDays, org, one } = await scene()
  const id = await backUp()
  const until = inDays(30)
  expect(await read(id), 'the appliance keeps it from the first moment').toMatchObject({
    isImmutable: true,
    immutableUntil: until,
    immutabilityEnforcement: 'application',
    requestedImmutabilityEnforcement: 'provider',
    immutabilityFallbackReason: 'The storage has not been asked yet',
  })
  expect(await run()).toBeNull()
  expect(await read(id)).toMatchObject({
    immutableUntil: until,
    immutabilityEnforcement: 'provider',
    immutabilityFallbackReason: null,
    retentionBlockedReason: 'immutable_until',
  })
  const { [keyOf('locks/l1')]: passing, ...others } = Object.fromEntries(bucket.objects)
  expect(passing, 'restic deletes its own locks').toBeNull()
  expect(Object.keys(others)).toHaveLength(7)
  for (const [key, lock] of Object.entries(others)) expect(lock, key).toEqual({ mode: 'COMPLIANCE', until: inDays(40) })
  expect(auditOf(app, locked)).toMatchObject([
    {
      ...{ actor_type: 'system', resource_id: id, org_id: org.id, result: 'success' },
      details: { deviceId: one.deviceId, until, objects: 7 },
    },
  ])
  const asked = bucket.puts.length
  expect(await run()).toBeNull()
  expect(bucket.puts, 'nothing is asked for twice').toHaveLength(asked)
  expect(auditOf(app, locked)).toHaveLength(1)
})

test('the next snapshots lock only what is new, and what is shared again after ten days', async () => {
  const { app, backUp, run, bucket, read } = await scene()
  await backUp(20)
  await run()
  const first = bucket.puts.length
  app.clock.advance(day)
  const second = await backUp(2)
  await run()
  expect(bucket.puts.length - first, 'two packs, an index, a snapshot').toBe(4)
  expect(await read(second)).toMatchObject({ immutabilityEnforcement: 'provider' })
  app.clock.advance(10 * day)
  await backUp(1)
  const before = bucket.puts.length
  await run()
  expect(bucket.puts.length - before, 'all but those of the second day').toBe(bucket.objects.size - 1 - 4)
})

test.each<[Manner, string]>([
  ['no lock', 'The bucket has no object lock. With many storages only a new bucket can get it'],
  ['may not lock', 'The access key may not lock objects (s3:PutObjectRetention)'],
  ['agrees to everything', 'The bucket has no object lock. With many storages only a new bucket can get it'],
  ['forgets', 'The storage says that it locks objects, but does not keep to it'],
  ['locks little', 'The storage says that it locks objects, but does not keep to it'],
  ['lets shorten', 'The storage says that it locks objects, but does not keep to it'],
  ['silent', 'The storage cannot be reached'],
])('a storage that is “%s”: the appliance keeps the snapshot, says why, and tries again', async (manner, reason) => {
  const { app, backUp, read, run, bucket, inDays } = await scene()
  bucket.state.manner = manner
  const id = await backUp()
  const until = inDays(30)
  expect(await run()).toBeNull()
  expect(await read(id)).toMatchObject({
    isImmutable: true,
    immutableUntil: until,
    immutabilityEnforcement: 'application',
    requestedImmutabilityEnforcement: 'provider',
    immutabilityFallbackReason: `${reason}. It is tried again`,
    retentionBlockedReason: 'immutable_until',
  })
  expect(auditOf(app, locked)).toEqual([])
  bucket.state.manner = 'right'
  await run()
  expect(await read(id), 'not every minute').toMatchObject({ immutabilityEnforcement: 'application' })
  app.clock.advance(6 * hour + minute)
  await run()
  expect(await read(id)).toMatchObject({ immutabilityEnforcement: 'provider', immutabilityFallbackReason: null })
  for (const [key, lock] of bucket.objects)
    if (!key.includes('/locks/')) expect(lock?.until.localeCompare(until), key).toBe(1)
})

test('other storage cannot lock anything, and is not asked', async () => {
  const { app, org, storage, backUp, fix, read, run, inDays } = await scene(home)
  await storage({ name: 'Here' }, org.id)
  const id = await backUp()
  await fix(id, { immutableDays: 5, enforcement: 'provider' })
  await run()
  expect(await read(id)).toMatchObject({
    immutableUntil: inDays(5),
    immutabilityEnforcement: 'application',
    requestedImmutabilityEnforcement: 'provider',
    immutabilityFallbackReason: 'This kind of storage cannot lock objects',
  })
  expect(app.db.all(q.selectFrom('backup_object_lock_tries').selectAll())).toEqual([])
})

test('a lock of the storage stays one when somebody extends it, while it waits and when it is set', async () => {
  const { app, backUp, fix, read, run, inDays, keyOf, bucket } = await scene()
  const id = await backUp()
  const row = () => app.db.one(q.selectFrom('backup_snapshots').selectAll().where('id', '=', id))
  const before = row()
  expect((await fix(id, { extendUntil: inDays(30) })).body.code).toBe('backup_immutability_not_longer')
  expect(row()).toEqual(before)
  const longer = iso(Date.parse(inDays(30)) + 1000)
  const waits = { immutabilityEnforcement: 'application', requestedImmutabilityEnforcement: 'provider' }
  expect((await fix(id, { extendUntil: longer })).body, 'not asked yet').toMatchObject(waits)
  await run()
  expect(await read(id)).toMatchObject({ immutableUntil: longer, immutabilityEnforcement: 'provider' })
  expect(bucket.objects.get(keyOf('config'))?.until.localeCompare(longer)).toBe(1)

  expect((await fix(id, { immutableDays: 50, enforcement: 'application' })).body, 'locked').toMatchObject(waits)
  await run()
  expect(await read(id)).toMatchObject({ immutableUntil: inDays(50), immutabilityEnforcement: 'provider' })
  expect(bucket.objects.get(keyOf('config'))?.until).toBe(inDays(60))
  const applied = auditOf(app, 'backup.snapshot.immutability.apply.application')
  expect(applied.map(({ result, details }) => [result, details?.requestedEnforcement])).toEqual([
    ['denied', undefined],
    ['success', 'provider'],
    ['success', 'provider'],
  ])
})

test('after the end of a lock by the storage, a new one is by whom it is asked for', async () => {
  const { app, backUp, fix, read, run, bucket } = await scene(home)
  const id = await backUp()
  await fix(id, { immutableDays: 1, enforcement: 'provider' })
  await run()
  app.clock.advance(day)
  const asked = bucket.puts.length
  await fix(id, { immutableDays: 50 })
  await run()
  const own = { immutabilityEnforcement: 'application', requestedImmutabilityEnforcement: 'application' }
  expect(await read(id)).toMatchObject(own)
  expect(bucket.puts).toHaveLength(asked)
})

test('by hand: locked, extended, and never shortened by anybody', async () => {
  const { app, admin, backUp, fix, read, run, bucket, keyOf, inDays } = await scene(home)
  const id = await backUp()
  const again = await backUp()
  await fix(id, { immutableDays: 100, enforcement: 'provider' })
  await run()
  expect(await read(id)).toMatchObject({ immutabilityEnforcement: 'provider', immutableUntil: inDays(100) })
  expect(await read(again)).toMatchObject({ isImmutable: false, immutabilityEnforcement: null })
  const asked = bucket.puts.length
  await fix(again, { immutableDays: 30, enforcement: 'provider' })
  await run()
  expect(bucket.puts, 'it is locked for longer than that').toHaveLength(asked)
  expect(await read(again)).toMatchObject({ immutabilityEnforcement: 'provider', immutableUntil: inDays(30) })
  await fix(again, { immutableDays: 200, enforcement: 'provider' })
  expect(await read(again), 'until then it is not known').toMatchObject({ immutabilityEnforcement: 'application' })
  await run()
  expect(await read(again)).toMatchObject({ immutabilityEnforcement: 'provider', immutableUntil: inDays(200) })
  expect(bucket.objects.get(keyOf('config'))?.until).toBe(inDays(210))
  const refused = await app.call(
    releaseImmutability,
    { params: { id: again }, body: { reason: 'Over' } },
    { token: admin.token },
  )
  expect(refused).toMatchObject({ status: 409, body: { code: 'backup_immutability_of_storage' } })
})

test('cut off in the middle it goes on where it was, and says nothing before the end', async () => {
  const { app, backUp, read, run, bucket } = await scene()
  const id = await backUp(60)
  bucket.state.putsUntilSilent = 40
  expect(await run()).toBeNull()
  expect(await read(id)).toMatchObject({
    immutabilityEnforcement: 'application',
    immutabilityFallbackReason: 'The storage cannot be reached. It is tried again',
  })
  const done = bucket.puts.length
  expect(done).toBe(40)
  bucket.state.putsUntilSilent = Number.POSITIVE_INFINITY
  app.clock.advance(hour)
  expect(await run()).toBeNull()
  expect(await read(id)).toMatchObject({ immutabilityEnforcement: 'provider' })
  expect(bucket.puts, 'each once').toHaveLength(bucket.objects.size - 1)
  expect(new Set(bucket.puts.map(({ key }) => key)).size).toBe(bucket.puts.length)
})

test('a snapshot that is not in the storage is not said to be locked, and keeps no other from it', async () => {
  const { app, backUp, read, run, bucket, keyOf } = await scene()
  const [gone, there] = [await backUp(), await backUp()]
  const { snapshot_id } = app.db.one(q.selectFrom('backup_snapshots').select('snapshot_id').where('id', '=', gone))
  bucket.objects.delete(keyOf(`snapshots/${snapshot_id}`))
  await run()
  expect(await read(there)).toMatchObject({ immutabilityEnforcement: 'provider' })
  expect(await read(gone)).toMatchObject({
    immutabilityEnforcement: 'application',
    immutabilityFallbackReason: 'The snapshot was not found in the storage. It is tried again',
  })
  expect(auditOf(app, locked)).toMatchObject([{ resource_id: there }])
})

test('what lies in another bucket since is locked there, too', async () => {
  const { app, admin, config, backUp, run, read, bucket } = await scene()
  await backUp()
  await run()
  const other = await s3StandIn()
  for (const [key] of bucket.objects) other.objects.set(key, null)
  const { endpoint, accessKey, secretKey } = other.details
  const body = { details: { endpoint, accessKey, secretKey } } as never
  const params = { id: config.id }
  expect((await app.call(updateBackupConfig, { params, body }, { token: admin.token })).status).toBe(200)
  bucket.state.manner = 'silent'
  const id = await backUp()
  for (const [key] of bucket.objects) if (!other.objects.has(key)) other.objects.set(key, null)
  await run()
  expect(await read(id)).toMatchObject({ immutabilityEnforcement: 'provider' })
  expect(other.puts).toHaveLength(other.objects.size - 1)
})

test('what somebody extends meanwhile is not said to be locked until that day', async () => {
  const { backUp, fix, read, run, bucket, inDays } = await scene()
  const id = await backUp()
  const held = Promise.withResolvers<void>()
  bucket.state.hold = held.promise
  const running = run()
  await expect.poll(() => bucket.state.held).toBeGreaterThan(0)
  expect((await fix(id, { immutableDays: 90, enforcement: 'provider' })).status).toBe(200)
  held.resolve()
  expect(await running).toBeNull()
  expect(await read(id)).toMatchObject({ immutableUntil: inDays(90), immutabilityEnforcement: 'application' })
  await run()
  expect(await read(id)).toMatchObject({ immutableUntil: inDays(90), immutabilityEnforcement: 'provider' })
  for (const [key, lock] of bucket.objects) if (!key.includes('/locks/')) expect(lock?.until, key).toBe(inDays(100))
})

test('the appliance stops although the storage does not answer', async () => {
  const { app, backUp, run, bucket } = await scene()
  await backUp()
  bucket.state.hold = new Promise(() => {})
  const running = run()
  await expect.poll(() => bucket.state.held).toBeGreaterThan(0)
  await app.app.stop()
  expect(await running).not.toBeNull()
})

test('while maintenance has the repository nothing is locked', async () => {
  const { app, backUp, read, run, bucket, repository } = await scene()
  const id = await backUp()
  const lock = app.app.locks.take(repository().id)
  await run()
  expect(bucket.puts).toEqual([])
  lock?.release()
  await run()
  expect(await read(id)).toMatchObject({ immutabilityEnforcement: 'provider' })
  expect(app.app.locks.isFree(repository()), 'nobody is kept away afterwards').toBe(true)
})

test('an organization that is put away is left alone, and a stranger sees nothing', async () => {
  const { app, org, backUp, read, run, bucket } = await scene()
  const id = await backUp()
  setOrganization(app, org.id, { status: 'archived' })
  await run()
  expect(bucket.puts).toEqual([])
  setOrganization(app, org.id, { status: 'active' })
  const { token } = (await otherCompany(app)).admin
  passFactor(app, token)
  const body = { reason: 'x', immutableDays: 1, enforcement: 'provider' } as const
  const before = app.rowCounts()
  expect((await app.call(applyImmutability, { params: { id }, body }, { token })).status).toBe(404)
  expect(app.rowCounts()).toEqual(before)
  await run()
  expect(await read(id)).toMatchObject({ immutabilityEnforcement: 'provider' })
})
