import { randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { CopyWish } from '../../shared/node/restic-copy.ts'
import { commandRun, deviceRepository } from '../testing/device-repository.ts'
import { makeQuickRepository, quickPassword } from '../testing/quick-repository.ts'
import { restic } from '../testing/restic.ts'
import { vaultSync } from './backup.ts'

/** A second copy in a folder of the device, with the real restic. */

/** In `npm run test:thorough` only. */
const atLength = test.skipIf(process.env.HOMEPORT_THOROUGH_TESTS !== '1')

async function scene() {
  const { folder, url, using, engine } = deviceRepository()
  makeQuickRepository(url)
  const client = restic(url, quickPassword)
  const source = join(folder, 'source')
  mkdirSync(source)
  const backUp = async (name: string) => {
    writeFileSync(join(source, name), randomBytes(300_000))
    await client.ok('backup', source)
    const all = JSON.parse(await client.ok('snapshots', '--json')) as { id: string; time: string }[]
    return all.toSorted((one, other) => one.time.localeCompare(other.time)).at(-1)?.id as string
  }
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  const command = vaultSync(using)
  const vaultId = randomUUID()
  const progress: unknown[] = []
  const sync = (wish: Partial<CopyWish>, more: object = {}) =>
    command.execute(
      {
        ...{
          vaultId,
          vaultPath: disk,
          vaultType: 'local',
          folder: 'copy',
          others: [],
          password: 'of the copy',
          engine,
        },
        ...more,
        wish: { isNew: false, resticId: null, copy: [], forget: [], readBack: null, ...wish },
      },
      commandRun((one) => progress.push(one)),
    )
  const copy = (password = 'of the copy') => restic(join(disk, 'copy'), password)
  const copied = async () => JSON.parse(await copy().ok('snapshots', '--json')) as { id: string; original: string }[]
  return { folder, disk, url, client, backUp, sync, copy, copied, progress, engine }
}

test('snapshots are copied once, with the same files, and those beyond what is kept go with their data', async () => {
  const { backUp, sync, copy, copied, client, url } = await scene()
  const [one, two] = [await backUp('one'), await backUp('two')]
  const first = await sync({ isNew: true, copy: [one, two], readBack: 'all' })
  expect(first).toMatchObject({
    status: 'completed',
    result: {
      ...{ absent: null, manifestVerified: true, snapshotId: two, auto: false },
      outcome: {
        snapshots: [{ original: one }, { original: two }],
        manifests: [
          { snapshotId: one, isSame: true, files: 1, bytes: 300_000 },
          { snapshotId: two, isSame: true, files: 2, bytes: 600_000 },
        ],
        wasRead: true,
        damage: null,
      },
    },
  })
  const { outcome } = first.result as { outcome: { resticId: string; storedBytes: number } }
  expect(outcome.storedBytes).toBeGreaterThan(600_000)
  // Pieces are cut as in the source, so that the same data is the same there.
  const polynomialOf = async (text: Promise<string>) => JSON.parse(await text).chunker_polynomial
  expect(await polynomialOf(copy().ok('cat', 'config'))).toBe(await polynomialOf(client.ok('cat', 'config')))

  const before = await copied()
  expect(await sync({ resticId: outcome.resticId, copy: [one, two] })).toMatchObject({
    result: { manifestVerified: true, outcome: { manifests: [{ isSame: true }, { isSame: true }] } },
  })
  expect(await copied(), 'nothing is copied again').toEqual(before)
  expect(await sync({ resticId: outcome.resticId }), 'nothing was compared').toMatchObject({
    result: { manifestVerified: false, outcome: { manifests: [] } },
  })

  const three = await backUp('three')
  const oldest = before.flatMap(({ id, original }) => (original === one ? id : []))
  expect(await sync({ resticId: outcome.resticId, copy: [three], forget: oldest })).toMatchObject({
    result: { outcome: { snapshots: [{ original: two }, { original: three }] } },
  })
  await copy().ok('check', '--read-data')
  // The copy opens without the repository.
  renameSync(url, `${url}-lost`)
  expect(await copy().ok('ls', (await copied()).at(-1)?.id ?? '')).toContain('three')
})

test('where the disk is not there nothing is made, nor where another one is in its place', async () => {
  const { backUp, sync, disk, copied } = await scene()
  const one = await backUp('one')
  const first = await sync({ isNew: true, copy: [one] })
  const { resticId } = (first.result as { outcome: { resticId: string } }).outcome
  renameSync(disk, `${disk}-away`)
  const absent = (why: RegExp) => ({
    status: 'completed',
    result: { absent: expect.stringMatching(why), outcome: null },
  })
  expect(await sync({ resticId, copy: [one] })).toMatchObject(absent(/not there/))
  // An empty mount point.
  mkdirSync(disk)
  expect(await sync({ resticId, copy: [one] })).toMatchObject(absent(/not there/))
  expect(readdirSync(disk)).toEqual([])
  // Another disk of the same kind.
  expect(await sync({ isNew: true, copy: [one] })).toMatchObject({ result: { absent: null } })
  expect(await sync({ resticId, copy: [one] })).toMatchObject(absent(/another disk/i))
  expect(await copied()).toHaveLength(1)
})

test('a new copy is not made where none of those that were made beside it is', async () => {
  const { backUp, sync, disk } = await scene()
  const one = await backUp('one')
  const others = ['of-another']
  const refused = { absent: expect.stringMatching(/copied there before is not there/), outcome: null }
  expect(await sync({ isNew: true, copy: [one] }, { others })).toMatchObject({ result: refused })
  expect(readdirSync(disk)).toEqual([])
  mkdirSync(join(disk, 'of-another'))
  writeFileSync(join(disk, 'of-another', 'config'), '')
  expect(await sync({ isNew: true, copy: [one] }, { others: ['gone', ...others] })).toMatchObject({
    result: { absent: null },
  })
})

test('a disk or share that is to be mounted is not written to while it is not', async () => {
  const { backUp, sync, disk } = await scene()
  const one = await backUp('one')
  expect(await sync({ isNew: true, copy: [one] }, { vaultType: 'usb' })).toMatchObject({
    result: { absent: expect.stringMatching(/no disk or share is mounted/), outcome: null },
  })
  expect(readdirSync(disk)).toEqual([])
})

atLength('another password takes the place of the former one', async () => {
  const { backUp, sync, copy } = await scene()
  const one = await backUp('one')
  const first = await sync({ isNew: true, copy: [one] }, { newPassword: 'the next' })
  const { resticId } = (first.result as { outcome: { resticId: string } }).outcome
  const opens = async (password: string) => (await copy(password).run('cat', 'config')).code === 0
  expect([await opens('of the copy'), await opens('the next')]).toEqual([true, true])
  await sync({ resticId }, { password: 'the next', formerPassword: 'of the copy' })
  expect([await opens('of the copy'), await opens('the next')]).toEqual([false, true])
})

atLength('what a run has left that was killed while it made the copy is in nobody’s way', async () => {
  const { backUp, sync, disk, copied } = await scene()
  const one = await backUp('one')
  mkdirSync(join(disk, 'copy', 'keys'), { recursive: true })
  writeFileSync(join(disk, 'copy', 'keys', 'ab'.repeat(32)), '{}')
  expect(await sync({ isNew: true, copy: [one] })).toMatchObject({ result: { absent: null } })
  expect(await copied()).toHaveLength(1)
})

atLength('damage in what is read back is said, and a wrong password changes nothing', async () => {
  const { backUp, sync, disk } = await scene()
  const one = await backUp('one')
  const first = await sync({ isNew: true, copy: [one] })
  const { resticId } = (first.result as { outcome: { resticId: string } }).outcome
  expect(await sync({ resticId }, { password: 'another' })).toMatchObject({
    status: 'failed',
    error: 'Repository key rejected',
  })
  const data = join(disk, 'copy', 'data')
  const [pack] = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  writeFileSync(pack ?? '', randomBytes(1000), { flag: 'r+' })
  expect(await sync({ resticId, readBack: 'all' })).toMatchObject({
    status: 'completed',
    result: { outcome: { wasRead: true, damage: expect.any(String) } },
  })
})

atLength('while somebody else is at work in the copy nothing is read back, and none of it counts as good', async () => {
  const { backUp, sync, disk, copy } = await scene()
  const one = await backUp('one')
  const first = await sync({ isNew: true, copy: [one] })
  const { resticId } = (first.result as { outcome: { resticId: string } }).outcome
  const other = copy().start('backup', '--stdin')
  onTestFinished(() => void other.kill('SIGKILL'))
  await expect.poll(() => readdirSync(join(disk, 'copy', 'locks')), { timeout: 20_000 }).toHaveLength(1)
  expect(await sync({ resticId, readBack: 'all' })).toMatchObject({
    status: 'completed',
    result: { outcome: { wasRead: false, damage: null } },
  })
})

atLength('two syncs of a copy at the same time come one after the other', async () => {
  const { backUp, sync, copied } = await scene()
  const one = await backUp('one')
  const both = await Promise.all([sync({ isNew: true, copy: [one] }), sync({ isNew: true, copy: [one] })])
  expect(both).toMatchObject([{ status: 'completed' }, { status: 'completed' }])
  expect(await copied()).toHaveLength(1)
})
