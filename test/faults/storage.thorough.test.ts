import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSecrets } from '../../server/platform/secrets.ts'
import { type BackupScene, backupScene, hashesOf } from './scene.ts'

/** What can happen to the storage of the appliance. */

const megabyte = 1024 * 1024

async function running() {
  const at = await backupScene()
  at.device.start()
  await at.isReady(at.device.id)
  const backedUp = async () => {
    const job = await at.ended(await at.run())
    expect(job).toMatchObject({ status: 'completed', errorLog: null })
    return job
  }
  return { ...at, backedUp }
}

/** The pack of a file of a megabyte that was backed up last. */
function newestPack(at: BackupScene): string {
  const folder = join(at.repository().folder, 'data')
  const packs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ file: join(folder, name), found: statSync(join(folder, name)) }))
    .filter(({ found }) => found.isFile() && found.size > megabyte / 2)
    .sort((a, b) => b.found.mtimeMs - a.found.mtimeMs)
  return packs[0]?.file ?? ''
}

test('with damaged data the next backup works, and a restore names the damaged files and brings the others', async () => {
  const at = await running()
  at.addFiles('damaged', 1)
  await at.backedUp()
  const pack = newestPack(at)
  const content = readFileSync(pack)
  content[megabyte / 2] = (content[megabyte / 2] ?? 0) ^ 1
  writeFileSync(pack, content)
  const lost = ['damaged', 'missing']
  at.addFiles('missing', 1)
  await at.backedUp()
  renameSync(newestPack(at), join(at.folder, 'a pack'))
  at.addFiles('good', 1)
  const { snapshotRowId } = await at.backedUp()

  const target = join(at.folder, 'back')
  const outcome = await at.restored({ snapshotId: snapshotRowId, restoreType: 'full', targetPath: target })
  expect(outcome).toMatchObject({
    status: 'partial',
    restoredFiles: 2,
    resultDetails: {
      filesFailed: lost.length,
      failedFiles: expect.arrayContaining(
        lost.map((name) => ({ path: join(at.source, name), error: 'its data in the storage is damaged or missing' })),
      ),
    },
  })
  const whole = Object.entries(hashesOf(at.source)).filter(([name]) => !lost.includes(name))
  expect(hashesOf(join(target, at.source))).toEqual(Object.fromEntries(whole))

  // In place, too, a damaged file never replaces a good one.
  const before = hashesOf(at.source)
  const inPlace = { snapshotId: snapshotRowId, restoreType: 'full', inPlace: true, existing: 'replace' }
  expect((await at.restored(inPlace)).status).toBe('partial')
  expect(hashesOf(at.source)).toEqual(before)
})

test('with a key that does not open the repository a backup fails at once and changes nothing; with the right one it works', async () => {
  const at = await running()
  await at.backedUp()
  const { keyId, folder } = at.repository()
  const before = hashesOf(folder)
  const column = 'encrypted_private_key'
  const right = at.look((db) =>
    String(db.statement(`SELECT ${column} FROM storage_encryption_keys WHERE id = ?`).pluck().get(keyId)),
  )
  const setKey = (sealed: string) =>
    at.look((db) => db.statement(`UPDATE storage_encryption_keys SET ${column} = ? WHERE id = ?`).run(sealed, keyId))
  const secrets = openSecrets(at.appliance.dataDir)
  setKey(secrets.encrypt('another', `storage_encryption_keys:encrypted_private_key:${keyId}`))
  expect(await at.ended(await at.run())).toMatchObject({ status: 'failed', errorLog: 'Repository key rejected' })
  expect(hashesOf(folder)).toEqual(before)
  setKey(right)
  await at.backedUp()
  await at.assertTruth()
  expect(await at.assertAllRestore()).toBe(2)
})

test('of ten people who start a backup at once one does, and there is one snapshot', async () => {
  const at = await running()
  const started = await Promise.allSettled(Array.from({ length: 10 }, () => at.run()))
  const [id = ''] = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect((await at.ended(id)).status).toBe('completed')
  await at.assertTruth()
  expect(await at.assertAllRestore()).toBe(1)
})

const mayMount = process.getuid?.() === 0 && existsSync('/proc/mounts')

// restic asks a full storage for three quarters of a minute.
test.skipIf(!mayMount)('on a full disk a backup fails and says so, and works when there is room', async () => {
  const at = await backupScene()
  const folder = join(at.appliance.dataDir, 'backups')
  await at.appliance.kill()
  renameSync(folder, `${folder}-before`)
  execFileSync('mkdir', [folder])
  // The appliance leaves a gigabyte to itself.
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1060m,mode=700', 'tmpfs', folder])
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  execFileSync('cp', ['-a', `${folder}-before/.`, folder])
  await at.appliance.start()
  at.device.start()
  await at.isReady(at.device.id)
  expect((await at.ended(await at.run())).status).toBe('completed')
  at.addFiles('too much', 60)
  const failed = await at.ended(await at.run(), 180_000)
  expect(failed).toMatchObject({ status: 'failed', errorLog: expect.stringMatching(/The storage is full$/) })
  await at.assertTruth()
  execFileSync('mount', ['-o', 'remount,size=1200m', folder])
  expect((await at.ended(await at.run())).status).toBe('completed')
  await at.assertTruth()
  expect(await at.assertAllRestore()).toBe(2)
})
