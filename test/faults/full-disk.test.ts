import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { isThorough } from '../helpers/thorough.ts'
import { call } from '../kill/scene.ts'
import { backupScene, hashesOf } from './scene.ts'

/** Disks that have no room at all, and disks that can only be read. */

const mayMount = process.getuid?.() === 0 && existsSync('/proc/mounts')
// restic asks a storage that refuses for three quarters of a minute.
const onDisks = test.skipIf(!isThorough || !mayMount)

const kibibyte = 1024

/** A disk in memory; what is not written takes none of it. */
function disk(folder: string, size: string) {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', folder])
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  const remount = (...options: string[]) => void execFileSync('mount', ['-o', ['remount', ...options].join(), folder])
  const fill = () => {
    const { blocks, bfree, bsize } = statfsSync(folder)
    remount(`size=${(blocks - bfree) * (bsize / kibibyte) + 4096}k`)
  }
  return { remount, fill }
}

/** The store of the appliance is on a disk of its own. */
async function storeOnDisk() {
  const at = await backupScene({ limitMbps: 40 })
  const folder = join(at.appliance.dataDir, 'backups')
  await at.appliance.kill()
  renameSync(folder, `${folder}-before`)
  mkdirSync(folder)
  // The appliance leaves a gigabyte to itself.
  const mounted = disk(folder, '1400m')
  execFileSync('cp', ['-a', `${folder}-before/.`, folder])
  await at.appliance.start()
  at.device.start()
  await at.isReady(at.device.id)
  expect((await at.ended(await at.run())).status).toBe('completed')
  return { ...at, ...mounted, incoming: () => readdirSync(join(folder, '.incoming')) }
}

onDisks(
  'a disk that fills up while a backup is on its way fails it, and the next one works when there is room',
  async () => {
    const at = await storeOnDisk()
    at.addFiles('too much', 40)
    const id = await at.run()
    await at.isUploading()
    at.fill()
    const errorLog = 'The disk of the appliance is full\nThe storage is full'
    expect(await at.ended(id, 240_000)).toMatchObject({ status: 'failed', errorLog })
    expect(at.incoming()).toEqual([])
    await at.assertTruth()
    at.remount('size=1400m')
    expect(await at.ended(await at.run(), 240_000)).toMatchObject({ status: 'completed', errorLog: null })
    await at.assertTruth()
    expect(await at.assertAllRestore()).toBe(2)
  },
)

onDisks('a disk that can only be read fails a backup, and the next one works when it can be written', async () => {
  const at = await storeOnDisk()
  at.remount('ro')
  at.addFiles('more', 1)
  const failed = await at.ended(await at.run(), 240_000)
  expect(failed.status).toBe('failed')
  expect(failed.errorLog?.split('\n')[0]).toBe('The disk of the backup store cannot be written to')
  expect(failed.errorLog).not.toContain('runtime')
  await at.assertTruth()
  at.remount('rw')
  expect(await at.ended(await at.run(), 240_000)).toMatchObject({ status: 'completed', errorLog: null })
  await at.assertTruth()
  expect(await at.assertAllRestore()).toBe(2)
})

onDisks(
  'a folder on the device: neither a full disk nor one that can only be read harms what is backed up',
  async () => {
    const at = await backupScene({ isRepositoryNew: true })
    const folder = scratchFolder()
    const { remount } = disk(folder, '24m')
    const share = { name: 'Share', provider: 'local', isDefault: true, details: { path: folder } } as const
    await call(at.origin, createBackupConfig, { body: { enabled: true, encryption: false, ...share } }, at.token)
    at.device.start()
    await at.isReady(at.device.id)
    const backedUp = async () => at.ended(await at.run(), 240_000)
    const before: Record<string, string>[] = []
    const works = async () => {
      expect(await backedUp()).toMatchObject({ status: 'completed', errorLog: null })
      before.push(hashesOf(at.source))
    }
    await works()
    at.addFiles('too much', 40)
    expect(await backedUp()).toMatchObject({ status: 'failed', errorLog: 'The storage is full' })
    remount('size=160m', 'ro')
    expect(await backedUp()).toMatchObject({ status: 'failed', errorLog: 'The storage can only be read' })
    remount('rw')
    await works()

    const { password } = at.repository()
    const place = at.look((db) => String(db.statement('SELECT sub_path FROM backup_repositories').pluck().get()))
    const engine = restic(join(folder, place), password)
    const stored = JSON.parse(await engine.ok('snapshots', '--json')) as { id: string; time: string }[]
    const inOrder = stored.toSorted((a, b) => a.time.localeCompare(b.time)).map(({ id }) => id)
    expect([...inOrder].sort()).toEqual(
      at
        .snapshots()
        .map(({ id }) => id)
        .sort(),
    )
    for (const [number, id] of inOrder.entries()) {
      const target = scratchFolder()
      await engine.ok('restore', id, '--target', target)
      expect(hashesOf(join(target, at.source))).toEqual(before[number])
      rmSync(target, { recursive: true, force: true })
    }
  },
)
