import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { undeleteRepositories } from '../../server/admin/undelete.ts'
import { loadConfig } from '../../server/config/config.ts'
import { databaseFile } from '../../server/db/location.ts'
import { q } from '../../server/db/query.ts'
import { undeleteObjects } from '../../server/features/backup-object-lock/index.ts'
import { type ObjectVersion, openBucket, type S3Bucket } from '../../server/features/backup-storage/index.ts'
import { AddressList } from '../../server/lib/address-list.ts'
import { untilDone } from '../../server/lib/pieces.ts'
import { day, systemClock } from '../../server/platform/clock.ts'
import { Destinations, Names, systemResolve } from '../../server/platform/outbound/index.ts'
import { testBackupConfig } from '../../shared/api/backup-configs.ts'
import { protectedDevice } from '../flows/backup-agent-kit.ts'
import { peerFor } from '../helpers/peers.ts'
import { auditOf } from '../helpers/rows.ts'
import { s3Server } from '../helpers/storage-servers.ts'

/** Snapshots that a real S3 server keeps, and somebody with the key of the bucket who wants them gone. */

const env = {
  OUTBOUND_ALLOWED_CIDRS: '127.0.0.1',
  ...(process.env.RESTIC_PATH && { RESTIC_PATH: process.env.RESTIC_PATH }),
}
/** The clock of the appliance is behind that of the server. */
const days = 2000

function destinationsOfTests() {
  const destinations = new Destinations(new Names(systemResolve, systemClock), new AddressList(['127.0.0.1']))
  onTestFinished(() => destinations.close())
  return destinations
}

async function scene(file: string, hasObjectLock: boolean) {
  const { details } = await s3Server(file, { hasObjectLock })
  const settings = { retention: { immutabilityMode: 'provider', immutableDays: days } }
  const device = await protectedDevice({ storage: { provider: 's3', details }, settings, env })
  const { app, token, config } = device
  const tested = (await app.call(testBackupConfig, { params: { id: config.id } }, { token })).body
  const lock = async () => (await app.app.jobs.runNow('backup.lock-objects')).lastError
  /** What somebody does who has the key. */
  const asAttacker = <T>(work: (bucket: S3Bucket) => Promise<T>) =>
    openBucket(destinationsOfTests(), details, untilDone, work)
  return { ...device, details, tested, lock, asAttacker }
}

async function versionsIn(bucket: S3Bucket) {
  const all: ObjectVersion[] = []
  for await (const page of bucket.versions('')) all.push(...page)
  return all
}

test('a snapshot outlives somebody who deletes and writes over everything in the bucket', async (context) => {
  const made = await scene(peerFor(context, 'S3 server'), true)
  const { app, tested, backedUp, snapshots, lock, asAttacker, source, folder, restored, deviceId } = made
  expect(tested.providerCapabilities).toMatchObject({ objectLock: { supported: true } })
  expect(await backedUp()).toMatchObject({ status: 'completed' })
  expect(await lock()).toBeNull()
  const [snapshot] = await snapshots()
  expect(snapshot).toMatchObject({ immutabilityEnforcement: 'provider', immutabilityFallbackReason: null })
  expect(auditOf(app, 'backup.snapshot.immutability.apply.provider')).toHaveLength(1)

  writeFileSync(join(source, 'later'), 'written later')
  expect(await backedUp()).toMatchObject({ status: 'completed', fileCount: 3 })
  expect(await lock()).toBeNull()
  const all = await snapshots()
  expect(all.map(({ immutabilityEnforcement }) => immutabilityEnforcement)).toEqual(['provider', 'provider'])

  const kept = await asAttacker(async (bucket) => {
    const versions = await versionsIn(bucket)
    const objects = versions.filter(({ key }) => !/\/locks\/|\.probe-/.test(key))
    for (const { key, versionId } of objects) {
      const { status } = await bucket.remove(key, versionId)
      expect(status, key).toBeGreaterThanOrEqual(400)
      const sooner = new Date(Date.now() + day).toISOString()
      expect((await bucket.lock(key, sooner)).status, key).toBeGreaterThanOrEqual(400)
    }
    const configKey = objects.find(({ key }) => key.endsWith('/config'))?.key ?? ''
    expect((await bucket.put(configKey, Buffer.from('nothing'))).status).toBe(200)
    for (const { key } of objects) if (key !== configKey) expect((await bucket.remove(key)).status).toBe(204)
    return objects.length
  })
  expect(kept).toBeGreaterThan(6)
  expect(await backedUp(), 'there is nothing to be seen any more').toMatchObject({ status: 'failed' })

  // The command opens the data of an appliance; that of this one is in memory.
  app.db.statement('VACUUM INTO ?').run(databaseFile(app.dataDir))
  const lines = await undeleteRepositories(
    loadConfig({ ...process.env, ...env, HOMEPORT_DATA_DIR: app.dataDir }),
    deviceId,
  )
  expect(lines).toEqual([expect.stringMatching(/: \d+ deleted objects brought back, 1 put back over others$/)])
  for (const { id } of all) {
    const targetPath = join(folder, `back ${id}`)
    expect(await restored({ snapshotId: id, restoreType: 'full', targetPath })).toMatchObject({ status: 'completed' })
    expect(readFileSync(join(targetPath, source, 'docs/report.txt'), 'utf8')).toBe('the report')
  }
  expect(await backedUp()).toMatchObject({ status: 'completed' })
})

test('maintenance of a locked repository works, and what it hides can be brought back', async (context) => {
  const { app, backedUp, snapshots, lock, source, folder, restored, asAttacker } = await scene(
    peerFor(context, 'S3 server'),
    true,
  )
  writeFileSync(join(source, 'once'), Buffer.alloc(3_000_000, 'x'))
  await backedUp()
  await lock()
  rmSync(join(source, 'once'))
  await backedUp()
  // As if the lock of the appliance were over: the storage still keeps what it has.
  app.db.run(
    q
      .updateTable('backup_snapshots')
      .set({ is_immutable: 0, expired_at: '2026-01-01T00:00:00.000Z' })
      .where('file_count', '=', 3),
  )
  await app.app.jobs.runNow('components.take-installed')
  expect(await app.app.jobs.runNow('backup.maintain')).toMatchObject({ lastError: null })
  expect(app.db.one(q.selectFrom('backup_repositories').selectAll())).toMatchObject({ maintenance_error: null })
  const hidden = await asAttacker(async (bucket) =>
    (await versionsIn(bucket)).filter(({ key, isDeletion }) => isDeletion && !key.includes('/locks/')),
  )
  expect(hidden.length).toBeGreaterThan(0)
  expect(await backedUp()).toMatchObject({ status: 'completed', errorCount: 0 })
  expect(await lock()).toBeNull()
  const listed = await snapshots()
  for (const one of listed) expect(one).toMatchObject({ immutabilityEnforcement: 'provider' })
  const targetPath = join(folder, 'back')
  await restored({ snapshotId: listed[0]?.id, restoreType: 'full', targetPath })
  expect(readdirSync(join(targetPath, source)).sort()).toEqual(['docs', 'notes.txt'])
})

test('more deletions than one page of a listing has are taken back', async (context) => {
  const { details } = await s3Server(peerFor(context, 'S3 server'), { hasObjectLock: true })
  const names = Array.from({ length: 600 }, (_, n) => `x/data/${String(n).padStart(4, '0')}`)
  await openBucket(destinationsOfTests(), details, untilDone, async (bucket) => {
    const listed = async () => {
      const all: string[] = []
      for await (const page of bucket.objects('x/')) all.push(...page)
      return all
    }
    for (const name of names) await bucket.put(name, Buffer.from(name))
    expect(await listed()).toEqual(names)
    for (const name of names) await bucket.remove(name)
    await bucket.put('x/data/0000', Buffer.from('spoiled'))
    expect(await listed()).toEqual(['x/data/0000'])
    expect(await undeleteObjects(bucket, 'x/')).toEqual({ shownAgain: 599, putBack: 1 })
    expect(await listed()).toEqual(names)
    expect((await bucket.get('x/data/0000', 100)).bytes?.toString()).toBe('x/data/0000')
    expect(await undeleteObjects(bucket, 'x/'), 'nothing is left to do').toEqual({ shownAgain: 0, putBack: 0 })
  })
})

test('a bucket without object lock: the appliance keeps the snapshot, and says why', async (context) => {
  const { tested, backedUp, snapshots, lock } = await scene(peerFor(context, 'S3 server'), false)
  expect(tested.providerCapabilities).toMatchObject({ objectLock: { supported: false } })
  await backedUp()
  expect(await lock()).toBeNull()
  const [snapshot] = await snapshots()
  expect(snapshot).toMatchObject({
    isImmutable: true,
    immutabilityEnforcement: 'application',
    immutabilityFallbackReason: expect.stringMatching(/^The bucket has no object lock/),
  })
})
