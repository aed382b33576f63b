import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { restic } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import { passwordFrom } from '../../server/features/backup-storage/recovery-key.ts'
import { minute } from '../../server/platform/clock.ts'
import { listEncryptionKeys, openRecoverySheet, rotateEncryptionKey } from '../../shared/api/backup-keys.ts'
import { createRestore } from '../../shared/api/backup-restores.ts'
import { readBackupFolder } from '../../shared/api/backup-snapshots.ts'
import {
  createVault,
  listSnapshotCopies,
  listVaultCopies,
  readVaultStatus,
  repairFromVault,
} from '../../shared/api/backup-vaults.ts'
import { verifyBackup } from '../../shared/api/backup-verification.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { eventually } from '../helpers/eventually.ts'
import { auditOf } from '../helpers/rows.ts'
import { sshServer } from '../helpers/ssh-server.ts'
import { atLength } from '../helpers/thorough.ts'
import { protectedDevice } from './backup-agent-kit.ts'
import { copied, copyOn, copyPassword, vaultScene } from './vault-kit.ts'

/** Second copies that the appliance makes, with the real restic; and one that the agent makes. */

atLength(
  'damaged backups are put back from the second copy, by somebody who may change the organization; snapshots keep their ids',
  async () => {
    const { app, as, device, disk, backUp, vaultAt, look, sync, snapshotIds } = await vaultScene()
    const one = await backUp('one')
    const id = await vaultAt()
    const repair = (body: object = { deviceId: device.deviceId, confirm: true }) =>
      app.call(repairFromVault, { params: { id }, body } as never, as)
    expect((await repair()).body.code).toBe('backup_repair_nothing')
    await look()
    await sync(id)
    expect((await repair({ deviceId: device.deviceId })).status).toBe(400)
    expect(auditOf(app, 'backup.vault.repair')).toEqual([])
    const [pack = ''] = readdirSync(join(one.folder, 'data'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
    writeFileSync(pack, 'x'.repeat(100), { flag: 'r+' })
    const checks = () =>
      app.db.all(q.selectFrom('backup_verifications').select('status').orderBy('created_at').orderBy('id'))
    const needsAttention = () =>
      app.db
        .all(q.selectFrom('backup_attention').select('kind').where('resolved_at', 'is', null))
        .map(({ kind }) => kind)
    await app.call(verifyBackup, { body: { deviceId: device.deviceId } } as never, as)
    await eventually(() => expect(checks()).toEqual([{ status: 'failed' }]))
    expect(needsAttention()).toContain('verification_failed')
    app.clock.advance(1000)
    const before = snapshotIds()
    expect(await repair()).toMatchObject({ status: 202, body: { status: 'pending' } })
    await eventually(async () => {
      const { data } = (await app.call(listVaultCopies, { params: { id } }, as)).body
      expect(data).toMatchObject([{ repair: { status: 'completed', damaged: 1, error: null } }])
    })
    await one.engine.ok('check', '--read-data')
    expect(await copied(one.engine)).toEqual([one.snapshotId])
    expect(snapshotIds()).toEqual(before)
    expect(auditOf(app, 'backup.vault.repair')).toHaveLength(2)
    // All of it is read anew, so that nobody is told of damage that is gone.
    await eventually(() => expect(checks()).toEqual([{ status: 'failed' }, { status: 'passed' }]))
    expect(needsAttention()).not.toContain('verification_failed')
    expect(readdirSync(disk)).toHaveLength(1)
  },
)

atLength(
  'a backup whose own file is lost comes back in its place, with its files, and is not copied again',
  async () => {
    const { app, as, device, disk, backUp, vaultAt, look, sync, operator } = await vaultScene()
    const [one, two] = [await backUp('one'), await backUp('two')]
    const id = await vaultAt({ retentionCount: 2 })
    await look()
    await sync(id)
    rmSync(join(one.folder, 'snapshots', one.snapshotId))
    const checks = () =>
      eventually(() => {
        const all = app.db.all(
          q.selectFrom('backup_verifications').select('status').orderBy('created_at').orderBy('id'),
        )
        for (const { status } of all) expect(['passed', 'failed']).toContain(status)
        return all.map(({ status }) => status)
      })
    const check = async () => {
      app.clock.advance(1000)
      const body = { deviceId: device.deviceId, snapshotId: one.id }
      expect((await app.call(verifyBackup, { body } as never, as)).status).toBe(201)
    }
    await check()
    expect(await checks()).toEqual(['failed'])
    app.clock.advance(1000)
    await app.call(repairFromVault, { params: { id }, body: { deviceId: device.deviceId, confirm: true } } as never, as)
    await eventually(async () => {
      const { data } = (await app.call(listVaultCopies, { params: { id } }, as)).body
      expect(data).toMatchObject([{ repair: { status: 'completed', damaged: 1, error: null }, missing: 0 }])
    })
    expect((await operator.snapshots()).map((snapshot) => snapshot.id)).toEqual([two.id, one.id])
    const named = (rowId: string) =>
      app.db.one(q.selectFrom('backup_snapshots').select('snapshot_id').where('id', '=', rowId)).snapshot_id
    expect(named(two.id)).toBe(two.snapshotId)
    const stored = JSON.parse(await one.engine.ok('snapshots', '--json')) as { id: string; original?: string }[]
    expect(stored.find(({ original }) => original === one.snapshotId)?.id).toBe(named(one.id))
    // All of it is read anew.
    expect(await checks()).toEqual(['failed', 'passed'])
    await check()
    expect(await checks()).toEqual(['failed', 'passed', 'passed'])
    await eventually(async () => {
      const folder = await app.call(readBackupFolder, { params: { id: one.id }, query: { path: '/' } } as never, as)
      expect(folder.status).toBe(200)
    })

    const copy = copyOn(disk, one.repositoryId, copyPassword)
    const before = await copy.ok('snapshots', '--json')
    await look()
    await sync(id)
    expect(await copy.ok('snapshots', '--json')).toBe(before)
    expect((await app.call(listVaultCopies, { params: { id } }, as)).body.data).toMatchObject([
      { missing: 0, snapshots: 2 },
    ])
    const three = await backUp('three')
    await sync(id)
    expect(await copied(copy), 'the oldest goes, whatever its id').toEqual([two.snapshotId, three.snapshotId])
  },
)

test('the appliance copies new backups of all devices to its disk, keeps as many as wanted, and copies nothing twice', async () => {
  const { app, as, disk, backUp, vaultAt, tick, look, ended, sync, status } = await vaultScene()
  const one = await backUp('one')
  const id = await vaultAt({ retentionCount: 2 })
  await look()
  await tick()
  const first = await ended(id)
  expect(first).toMatchObject({ lastSyncStatus: 'completed', lastSyncSnapshotId: one.snapshotId, isLate: false })
  expect(first.syncSizeBytes).toBeGreaterThan(0)
  const copy = copyOn(disk, one.repositoryId, copyPassword)
  expect(await copied(copy)).toEqual([one.snapshotId])

  const [two, three] = [await backUp('two'), await backUp('three')]
  await tick()
  await eventually(async () => expect(await status(id)).toMatchObject({ lastSyncSnapshotId: three.snapshotId }))
  await ended(id)
  expect(await copied(copy)).toEqual([two.snapshotId, three.snapshotId])
  await copy.ok('check', '--read-data')
  const before = await copy.ok('snapshots', '--json')
  await sync(id)
  expect(await copy.ok('snapshots', '--json'), 'nothing is copied again').toBe(before)
  const copies = (await app.call(listSnapshotCopies, { params: { id: two.id } }, as)).body.data
  expect(copies).toMatchObject([{ vaultId: id, place: 'appliance', manifestVerified: true }])
  expect((await app.call(listSnapshotCopies, { params: { id: one.id } }, as)).body.data).toEqual([])
})

atLength(
  'a disk that is not plugged in is waited for, and synced when it is back; into an empty folder in its place nothing is written',
  async () => {
    const { disk, backUp, vaultAt, tick, look, sync, status, ended } = await vaultScene()
    const one = await backUp('one')
    const id = await vaultAt()
    await look()
    expect(await sync(id)).toMatchObject({ lastSyncStatus: 'completed' })
    renameSync(disk, `${disk}-away`)
    const two = await backUp('two')
    await tick()
    expect(await status(id)).toMatchObject({ lastSyncStatus: 'pending', waitingFor: 'medium', lastSyncError: null })
    mkdirSync(disk)
    await tick()
    await eventually(async () => expect(await status(id)).toMatchObject({ waitingFor: 'medium' }))
    expect(readdirSync(disk)).toEqual([])
    rmSync(disk, { recursive: true })
    renameSync(`${disk}-away`, disk)
    await tick()
    await ended(id)
    expect(await copied(copyOn(disk, one.repositoryId, copyPassword))).toEqual([one.snapshotId, two.snapshotId])
    expect(await status(id)).toMatchObject({ waitingFor: null, waitingSince: null, lastSyncStatus: 'completed' })
  },
)

atLength('a disk that has the copies already, from before the appliance knew of them, is taken on', async () => {
  const { app, disk, backUp, vaultAt, look, sync } = await vaultScene()
  const one = await backUp('one')
  const id = await vaultAt()
  await look()
  await sync(id)
  const copy = copyOn(disk, one.repositoryId, copyPassword)
  const before = await copy.ok('snapshots', '--json')
  app.db.run(q.deleteFrom('backup_vaults').where('id', '=', id))
  const again = await vaultAt()
  await look()
  expect(await sync(again)).toMatchObject({ lastSyncStatus: 'completed', lastSyncSnapshotId: one.snapshotId })
  expect(await copy.ok('snapshots', '--json')).toBe(before)
})

atLength(
  'the recovery sheet alone opens the disk, and after a rotation the new one only, once the disk was there',
  async () => {
    const { app, as, disk, backUp, vaultAt, look, tick, sync, ended, status } = await vaultScene()
    const { repositoryId } = await backUp('one')
    const { data: keys } = (await app.call(listEncryptionKeys, {}, as)).body
    await app.call(rotateEncryptionKey, { params: { id: keys[0]?.id ?? '' } }, as)
    const id = await vaultAt()
    await look()
    await sync(id)
    const sheet = async () => (await app.call(openRecoverySheet, {}, as)).body.data
    const opens = async (key: string) =>
      (await copyOn(disk, repositoryId, passwordFrom(key, repositoryId)).run('cat', 'config')).code === 0
    const printed = await sheet()
    expect(printed.secondCopies).toMatchObject([{ place: `${disk}/FOLDER at the appliance` }])
    const key = printed.keys[0]?.key ?? ''
    expect(await opens(key)).toBe(true)

    await app.call(rotateEncryptionKey, { params: { id: printed.keys[0]?.id ?? '' } }, as)
    renameSync(disk, `${disk}-away`)
    await tick()
    expect(await status(id)).toMatchObject({ waitingFor: 'medium' })
    // Until then the sheet has both keys.
    expect((await sheet()).keys.map((one) => one.key)).toContain(key)
    renameSync(`${disk}-away`, disk)
    for (let round = 0; round < 2; round++) {
      app.clock.advance(60_000)
      await tick()
      await ended(id)
    }
    const renewed = await sheet()
    expect(await opens(key)).toBe(false)
    expect(await opens(renewed.keys[0]?.key ?? '')).toBe(true)
    expect(auditOf(app, 'backup.vault.change_key')).toHaveLength(1)
  },
)

atLength('a second copy on a server with SSH', async () => {
  const { details, path } = await sshServer()
  const { operator, backUp, vaultAt, look, sync, app, as } = await vaultScene({ OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' })
  const one = await backUp('one')
  const config = await operator.storage({ name: 'NAS', provider: 'sftp', isDefault: false, details })
  const id = await vaultAt({ place: 'storage', configId: config.id, vaultPath: undefined })
  await look()
  expect(await sync(id)).toMatchObject({ lastSyncStatus: 'completed', lastSyncError: null })
  const [org = ''] = readdirSync(path)
  const copy = restic(join(path, org, 'copies', one.repositoryId), copyPassword)
  expect(await copied(copy)).toEqual([one.snapshotId])
  const told = JSON.stringify([(await app.call(listVaultCopies, { params: { id } }, as)).body])
  expect(told).not.toContain(details.privateKey)
})

atLength('the agent copies to a folder of its device after a backup, and goes on when its disk is back', async () => {
  const { app, token, deviceId, folder, source, backedUp, snapshots } = await protectedDevice()
  const as = { token }
  const disk = join(folder, 'disk')
  backupOperator(app, token)
  const body = { deviceId, vaultPath: disk, retentionCount: 5 }
  const { id } = (await app.call(createVault, { body } as never, as)).body
  const status = async () => (await app.call(readVaultStatus, { params: { id } }, as)).body
  expect(await backedUp()).toMatchObject({ status: 'completed' })
  await eventually(async () => expect(await status()).toMatchObject({ waitingFor: 'medium', lastSyncError: null }))
  mkdirSync(disk)
  app.clock.advance(11 * minute)
  await app.app.jobs.runNow('backup.sync-copies')
  await eventually(async () => expect(await status()).toMatchObject({ lastSyncStatus: 'completed', waitingFor: null }))
  writeFileSync(join(source, 'more.txt'), 'more')
  expect(await backedUp()).toMatchObject({ status: 'completed' })
  const [newest] = await snapshots()
  await eventually(async () => {
    const { data } = (await app.call(listSnapshotCopies, { params: { id: newest?.id ?? '' } }, as)).body
    expect(data).toMatchObject([{ vaultId: id, place: 'device', manifestVerified: true }])
  })
  expect(readdirSync(disk)).toHaveLength(1)
  expect(app.rowCounts().backup_store_credentials).toBe(0)
})

atLength(
  'files come back from a disk at the appliance when the first place is gone, and from a disk at the device',
  async () => {
    const { app, token, deviceId, folder, source, backedUp, snapshots, restored } = await protectedDevice()
    const as = { token }
    await app.app.jobs.runNow('components.take-installed')
    const disks = { appliance: join(folder, 'blue'), device: join(folder, 'red') }
    const vaults: string[] = []
    for (const place of ['appliance', 'device'] as const) {
      mkdirSync(disks[place])
      const body = { deviceId, place, vaultPath: disks[place] }
      vaults.push((await app.call(createVault, { body } as never, as)).body.id)
    }
    expect(await backedUp()).toMatchObject({ status: 'completed' })
    const [snapshot] = await snapshots()
    await app.app.jobs.runNow('backup.sync-copies')
    await eventually(async () => {
      const { data } = (await app.call(listSnapshotCopies, { params: { id: snapshot?.id ?? '' } }, as)).body
      expect(data).toHaveLength(2)
    })
    const { id: repositoryId } = app.db.one(q.selectFrom('backup_repositories').select('id'))
    rmSync(join(app.dataDir, 'backups', repositoryId), { recursive: true })
    for (const vaultId of vaults) {
      const targetPath = join(folder, vaultId)
      const done = await restored({ snapshotId: snapshot?.id, restoreType: 'full', targetPath, vaultId })
      expect(done).toMatchObject({ status: 'completed', restoredFiles: 2, vaultId })
      expect(readFileSync(join(targetPath, source, 'notes.txt'), 'utf8')).toBe('notes')
    }
    expect(app.rowCounts().backup_store_credentials).toBe(0)
    const unknown = { snapshotId: snapshot?.id, vaultId: '0b9c1d52-5a0e-4c3b-9a52-1f6d0c7e8a11' }
    expect((await app.call(createRestore, { body: unknown } as never, as)).body.code).toBe('restore_not_in_vault')
  },
  120_000,
)
