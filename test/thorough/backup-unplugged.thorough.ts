import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import { passwordFrom } from '../../server/features/backup-storage/recovery-key.ts'
import { day, minute } from '../../server/platform/clock.ts'
import { openRecoverySheet } from '../../shared/api/backup-keys.ts'
import { createVault, readVaultStatus } from '../../shared/api/backup-vaults.ts'
import { protectedDevice } from '../flows/backup-agent-kit.ts'
import { copied, copyOn, copyPassword, vaultScene } from '../flows/vault-kit.ts'
import { eventually } from '../helpers/eventually.ts'
import { signIn } from '../helpers/factories.ts'
import { passFactor } from '../helpers/sessions.ts'

/** A disk that is pulled out while a second copy is written to it. */

const onDisks = test.skipIf(process.getuid?.() !== 0 || !existsSync('/proc/mounts'))

const megabyte = 1024 * 1024
/** Copied in some seconds. */
const size = 600 * megabyte

/** A disk in memory that is plugged in at a folder, and out in the middle of work. */
function usbDisk(folder: string) {
  const medium = scratchFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1500m', 'tmpfs', medium])
  onTestFinished(() => void execFileSync('umount', ['-l', medium]))
  let isIn = false
  const plugIn = () => {
    execFileSync('mount', ['--bind', medium, folder])
    isIn = true
  }
  const pullOut = () => {
    execFileSync('umount', ['-l', folder])
    isIn = false
  }
  onTestFinished(() => (isIn ? pullOut() : undefined))
  const packs = () => {
    const [copy] = readdirSync(medium)
    const data = join(medium, copy ?? '', 'data')
    if (copy === undefined || !existsSync(data)) return 0
    return readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
  }
  /** Resolves while a copy is on its way. */
  const isWriting = () => expect.poll(packs, { interval: 5, timeout: 120_000 }).toBeGreaterThan(1)
  return { medium, plugIn, pullOut, isWriting, packs }
}

const largeFile = (folder: string, name: string) => writeFileSync(join(folder, name), randomBytes(size))

onDisks.each(['usb', 'local'])(
  'pulled out of the appliance (%s), the copy waits for its disk, writes nothing elsewhere, and goes on when it is back',
  async (vaultType) => {
    const { app, folder, disk, backUp, vaultAt, tick, look, status } = await vaultScene()
    const { medium, plugIn, pullOut, isWriting, packs } = usbDisk(disk)
    largeFile(join(folder, 'work'), 'large')
    const one = await backUp('one')
    plugIn()
    const id = await vaultAt({ vaultType })
    await look()
    await tick()
    await isWriting()
    pullOut()
    await eventually(async () =>
      expect(await status(id)).toMatchObject({ lastSyncStatus: 'pending', waitingFor: 'medium', lastSyncError: null }),
    )
    expect(readdirSync(disk), 'nothing is on the disk below').toEqual([])
    const before = packs()
    const source = restic(one.folder, copyPassword)
    expect(before).toBeLessThan(
      JSON.parse(await source.ok('stats', '--json', '--mode', 'raw-data')).total_size / megabyte,
    )

    // The reminder comes, and goes when the disk is back.
    const vaultNow = () => app.db.one(q.selectFrom('backup_vaults').selectAll().where('id', '=', id))
    const isLate = () =>
      app.db.one(q.selectFrom('backup_vault_repositories').select('late_since').where('vault_id', '=', id)).late_since
    app.clock.advance(9 * day)
    await tick()
    await look()
    expect(isLate()).not.toBeNull()
    await eventually(() => expect(vaultNow()).toMatchObject({ last_sync_status: 'pending', waiting_for: 'medium' }))
    expect(readdirSync(disk), 'the disk below gets no first copy').toEqual([])
    plugIn()
    await expect
      .poll(
        async () => {
          await tick()
          return vaultNow().last_sync_status
        },
        { timeout: 120_000, interval: 1000 },
      )
      .toBe('completed')
    expect(isLate()).toBeNull()
    const copy = copyOn(medium, one.repositoryId, copyPassword)
    expect(await copied(copy)).toEqual([one.snapshotId])
    expect(readdirSync(join(medium, one.repositoryId, 'locks'))).toEqual([])
    await copy.ok('check', '--read-data')
  },
)

onDisks('pulled out of the device, the copy waits for its disk and goes on when it is back', async () => {
  const { app, token, deviceId, folder, source, backedUp } = await protectedDevice()
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  const { medium, plugIn, pullOut, isWriting } = usbDisk(disk)
  plugIn()
  const body = { deviceId, vaultPath: disk, vaultType: 'usb' }
  const { id } = (await app.call(createVault, { body } as never, { token })).body
  const status = async () => (await app.call(readVaultStatus, { params: { id } }, { token })).body
  largeFile(source, 'large')
  expect(await backedUp()).toMatchObject({ status: 'completed' })
  await isWriting()
  pullOut()
  await eventually(async () => expect(await status()).toMatchObject({ waitingFor: 'medium', lastSyncError: null }))
  expect(readdirSync(disk)).toEqual([])
  plugIn()
  app.clock.advance(11 * minute)
  await app.app.jobs.runNow('backup.sync-copies')
  await expect
    .poll(() => app.db.one(q.selectFrom('backup_vaults').selectAll().where('id', '=', id)), { timeout: 120_000 })
    .toMatchObject({ last_sync_status: 'completed', waiting_for: null })

  const as = { token: await signIn(app, 'ada@acme.test') }
  passFactor(app, as.token)
  const sheet = (await app.call(openRecoverySheet, {}, as)).body.data
  const [copy = ''] = readdirSync(medium)
  const alone = restic(join(medium, copy), passwordFrom(sheet.keys[0]?.key ?? '', copy))
  await alone.ok('check', '--read-data')
  expect(JSON.parse(await alone.ok('snapshots', '--json'))).toHaveLength(1)
  expect(readdirSync(join(medium, copy, 'locks'))).toEqual([])
})
