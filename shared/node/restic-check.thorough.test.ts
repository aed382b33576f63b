import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeQuickRepository, quickPassword } from '../../agent/testing/quick-repository.ts'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import { isThorough } from '../../test/helpers/thorough.ts'
import { checkSnapshot } from './restic-check.ts'
import { ResticRefused, type RunThere } from './restic-maintenance.ts'
import { runRestic } from './restic-run.ts'

/** Checks with the real restic of repositories in which something is wrong. */

const megabyte = 1024 * 1024
const damaged = 'its data in the storage is damaged or missing'

/** A repository with two snapshots: `old.bin` and `both.bin` in the first, `new.bin` and `both.bin` in the second. */
async function scene() {
  const folder = scratchFolder()
  const source = join(folder, 'source')
  const repository = join(folder, 'repository')
  const engine = restic(repository, quickPassword)
  mkdirSync(join(source, 'sub'), { recursive: true })
  makeQuickRepository(repository)
  const filesIn = (kind: string): string[] =>
    existsSync(join(repository, kind))
      ? readdirSync(join(repository, kind), { recursive: true, encoding: 'utf8' })
          .map((name) => join(repository, kind, name))
          .filter((file) => statSync(file).isFile())
      : []
  const add = (name: string, bytes = megabyte) => writeFileSync(join(source, name), randomBytes(bytes))
  const backUp = async (): Promise<{ id: string; packs: string[] }> => {
    const before = new Set(filesIn('data'))
    await engine.ok('backup', '--host', 'h', source)
    const all = JSON.parse(await engine.ok('snapshots', '--json')) as { id: string }[]
    return { id: all.at(-1)?.id ?? '', packs: filesIn('data').filter((file) => !before.has(file)) }
  }
  add('old.bin')
  add('both.bin')
  const older = await backUp()
  rmSync(join(source, 'old.bin'))
  add('sub/new.bin')
  const newer = await backUp()
  const runner = { file: process.env.RESTIC_PATH ?? 'restic', folder: join(folder, 'runs'), cacheFolder: null }
  const where = { url: repository, password: quickPassword, env: {}, options: [] }
  const run: RunThere = (args, listeners) => runRestic(runner, where, args, AbortSignal.timeout(120_000), listeners)
  const check = (snapshotId = newer.id, subset: string | null = null) =>
    checkSnapshot(run, { snapshotId, subset, files: 2 })
  const largest = (files: string[]) => files.toSorted((a, b) => statSync(b).size - statSync(a).size)[0] ?? ''
  const smallest = (files: string[]) => files.toSorted((a, b) => statSync(a).size - statSync(b).size)[0] ?? ''
  /** Of data, and of the lists of folders. */
  const packs = { data: largest(newer.packs), trees: smallest(newer.packs), oldData: largest(older.packs) }
  return { source, add, repository, engine, older, newer, check, filesIn, packs, run, where, runner }
}

function flip(file: string, at: number): void {
  const content = readFileSync(file)
  content[at] = (content[at] ?? 0) ^ 1
  rmSync(file)
  writeFileSync(file, content)
}

const idOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1)

test('what is as it should be passes, as a whole and in part', async () => {
  const { check } = await scene()
  for (const subset of [null, '16M', '1/1', '3/28'])
    expect(await check(undefined, subset)).toMatchObject({ status: 'passed', filesVerified: 2, filesFailed: 0 })
})

test('files are counted in the storage, whatever the backup has said of them', async () => {
  const { engine, source, run, add } = await scene()
  for (const name of ['\u00fcber \ud83d\ude00.txt', 'a "type":"file" "struct_type":"node"\n.txt']) add(name, 1)
  mkdirSync(join(source, 'empty'))
  symlinkSync('nowhere', join(source, 'link'))
  writeFileSync(Buffer.concat([Buffer.from(join(source, 'no text ')), Buffer.from([0xff])]), '')
  await engine.ok('backup', '--host', 'h', source)
  const all = JSON.parse(await engine.ok('snapshots', '--json')) as { id: string }[]
  const said = await checkSnapshot(run, { snapshotId: all.at(-1)?.id ?? '', subset: '1/28', files: 99 })
  expect(said).toMatchObject({ status: 'passed', filesVerified: 5, filesFailed: 0, entries: { files: 5, unclear: 1 } })
  // With the folders above it.
  expect(said.entries?.all).toBe(5 + 1 + 2 + source.split('/').length - 1)
})

test('one flipped byte of a file is found, and the file and the other snapshots with it are named', async () => {
  const { source, check, packs, older, newer } = await scene()
  flip(packs.data, megabyte / 2)
  expect(await check()).toMatchObject({
    status: 'failed',
    filesVerified: 1,
    filesFailed: 1,
    failedFiles: [{ path: join(source, 'sub/new.bin'), error: damaged }],
    damage: [{ kind: 'pack', id: expect.stringContaining(idOf(packs.data).slice(0, 8)) }],
    reason: 'Data in the storage is damaged or missing',
  })
  // The snapshot before does not need it.
  const before = await check(older.id)
  expect(before).toMatchObject({ status: 'partial', filesFailed: 0, failedFiles: [] })
  expect(before.otherSnapshots).toEqual([{ snapshotId: newer.id, files: 1 }])
})

test('of several files in a pack only the one with the damage is named', async () => {
  const { source, check, engine, filesIn } = await scene()
  const before = new Set(filesIn('data'))
  for (const name of ['x', 'y', 'z']) writeFileSync(join(source, name), randomBytes(200_000))
  await engine.ok('backup', '--host', 'h', source)
  const all = JSON.parse(await engine.ok('snapshots', '--json')) as { id: string }[]
  const [pack = ''] = filesIn('data').filter((file) => !before.has(file) && statSync(file).size > 600_000)
  flip(pack, 300_000)
  const said = await check(all.at(-1)?.id)
  expect(said).toMatchObject({ status: 'failed', filesFailed: 1, damage: [{ kind: 'pack' }] })
  expect(said.failedFiles?.[0]?.path).toMatch(/\/[xyz]$/)
})

test('a flipped byte in what several snapshots have touches all of them', async () => {
  const { source, check, packs, older } = await scene()
  // Both files of the older snapshot lie in it, one after the other; the newer has one of them.
  for (const at of [megabyte / 2, megabyte * 1.5]) flip(packs.oldData, at)
  const said = await check()
  expect(said).toMatchObject({ status: 'failed', failedFiles: [{ path: join(source, 'both.bin'), error: damaged }] })
  expect(said.otherSnapshots).toEqual([{ snapshotId: older.id, files: 2 }])
})

test('a damaged list of a folder is found, and the folder is named', async () => {
  const { source, check, packs } = await scene()
  flip(packs.trees, 40)
  const said = await check()
  expect(said.status).toBe('failed')
  expect(said.filesFailed).toBeGreaterThan(0)
  expect(said.failedFiles?.every(({ path }) => source.startsWith(path) || path.startsWith(source))).toBe(true)
})

test('a pack whose end is damaged is found, and so are the files in it', async () => {
  const { source, check, packs } = await scene()
  flip(packs.data, statSync(packs.data).size - 20)
  expect(await check()).toMatchObject({ status: 'failed', failedFiles: [{ path: join(source, 'sub/new.bin') }] })
})

// restic asks for what is missing for three quarters of a minute.
test.skipIf(!isThorough)('a pack that is cut off is found, and so are the files in it', async () => {
  const { source, check, packs } = await scene()
  truncateSync(packs.data, megabyte / 2)
  expect(await check()).toMatchObject({ status: 'failed', failedFiles: [{ path: join(source, 'sub/new.bin') }] })
})

test('a missing pack is found, and so are the files in it', async () => {
  const { source, check, packs } = await scene()
  rmSync(packs.data)
  const said = await check(undefined, isThorough ? null : '256/256')
  expect(said).toMatchObject({ status: 'failed', failedFiles: [{ path: join(source, 'sub/new.bin'), error: damaged }] })
})

test('a damaged index is found', async () => {
  const { check, filesIn } = await scene()
  for (const file of filesIn('index')) flip(file, 40)
  expect(await check()).toMatchObject({
    status: 'failed',
    filesFailed: 2,
    reason: 'The index of the repository is damaged',
    damage: expect.arrayContaining([expect.objectContaining({ kind: 'index' })]),
  })
})

test('a missing index is found', async () => {
  const { check, filesIn } = await scene()
  for (const file of filesIn('index')) rmSync(file)
  const said = await check()
  expect(said.status).toBe('failed')
  expect(said.filesVerified).toBe(0)
})

test.each(['damaged', 'missing'])('a %s snapshot file is found, and the others are as they were', async (how) => {
  const { check, filesIn, newer, older } = await scene()
  const file = filesIn('snapshots').find((one) => idOf(one) === newer.id) ?? ''
  if (how === 'damaged') flip(file, 40)
  else rmSync(file)
  expect(await check()).toMatchObject({
    status: 'failed',
    filesVerified: 0,
    filesFailed: 2,
    reason: 'The snapshot is missing or damaged in the storage',
    damage: expect.arrayContaining([{ kind: 'snapshot', id: expect.stringContaining(newer.id.slice(0, 8)) }]),
  })
  expect((await check(older.id)).status).not.toBe('failed')
})

test('another snapshot that should be there and is gone is found, although restic does not miss it', async () => {
  const { repository: _, run, check, filesIn, newer, older } = await scene()
  for (const file of filesIn('snapshots')) if (idOf(file) === older.id) rmSync(file)
  expect((await check()).status).toBe('passed')
  const wish = { snapshotId: newer.id, subset: null, files: 2, listed: [older.id, newer.id] }
  expect(await checkSnapshot(run, wish)).toMatchObject({
    ...{ status: 'partial', filesVerified: 2, filesFailed: 0, reason: 'Other snapshots are missing in the storage' },
    damage: [{ kind: 'snapshot', id: older.id }],
  })
})

test.each(['damaged', 'missing'])('a %s key is found', async (how) => {
  const { check, filesIn } = await scene()
  for (const file of filesIn('keys'))
    if (how === 'damaged') appendFileSync(file, 'x')
    else rmSync(file)
  const said = await check()
  expect(said).toMatchObject({ status: 'failed', filesVerified: 0, damage: [{ kind: 'key', id: null }] })
  expect(said.reason).toBeTruthy()
})

test('a missing repository is said to be missing', async () => {
  const { repository, check } = await scene()
  rmSync(repository, { recursive: true })
  expect(await check()).toMatchObject({
    status: 'failed',
    damage: [{ kind: 'config', id: null }],
    reason: 'The repository is not there. Is the storage connected?',
  })
})

test('a storage that refuses access says nothing of what is in it', async () => {
  const { runner, newer } = await scene()
  const server = createServer((_, reply) => reply.writeHead(403).end())
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const closed = { url: `rest:http://127.0.0.1:${port}/x`, password: quickPassword, env: {}, options: [] }
  const there: RunThere = (args, listeners) => runRestic(runner, closed, args, AbortSignal.timeout(60_000), listeners)
  const wish = { snapshotId: newer.id, subset: null, files: 2 }
  await expect(checkSnapshot(there, wish)).rejects.toThrow(ResticRefused)
})

test('a check that is stopped says nothing of what is in the storage', async () => {
  const { where, runner, newer } = await scene()
  for (const afterMs of [0, 150, 300, 600]) {
    const stop = AbortSignal.timeout(afterMs)
    const stopped: RunThere = (args, listeners) => runRestic(runner, where, args, stop, listeners)
    const said = await checkSnapshot(stopped, { snapshotId: newer.id, subset: null, files: 2 }).catch((error) => error)
    expect(said.status ?? 'none').toMatch(/^(none|passed)$/)
  }
})

test('a backup in another place goes on while the data is read, and is no damage', async () => {
  const { check, engine, source, filesIn } = await scene()
  writeFileSync(join(source, 'more.bin'), randomBytes(8 * megabyte))
  const [said] = await Promise.all([check(), engine.ok('backup', '--host', 'h', source)])
  expect(said.status).toBe('passed')
  expect(filesIn('locks')).toEqual([])
})
