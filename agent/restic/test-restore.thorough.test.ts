import { execFileSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { FileChecksum } from '../../shared/device/backup.ts'
import type { TestRestorePayload } from '../../shared/device/backup-verification.ts'
import { makeQuickRepository, quickPassword } from '../testing/quick-repository.ts'
import { restic, scratchFolder } from '../testing/restic.ts'
import { checksumsOf } from './checksums.ts'
import { ChosenFiles } from './chosen-files.ts'
import { nodeIn, type SnapshotNode } from './snapshot-nodes.ts'
import { testRestore } from './test-restore.ts'
import {
  makeTestFolder,
  removeLeftTestFolders,
  removeTestFolder,
  removeTestFolderLater,
} from './test-restore-folder.ts'

/** Test restores with the real restic, from a folder. */

const megabyte = 1024 * 1024
const never = new AbortController().signal
const mayMount = process.getuid?.() === 0 && existsSync('/proc/mounts')

async function scene() {
  const folder = scratchFolder()
  const source = join(folder, 'source')
  const repository = join(folder, 'repository')
  const engine = restic(repository, quickPassword)
  mkdirSync(join(source, 'docs'), { recursive: true })
  writeFileSync(join(source, 'notes [1].txt'), 'notes')
  writeFileSync(join(source, 'docs', 'report.txt'), 'the report')
  writeFileSync(join(source, 'empty'), '')
  symlinkSync('notes [1].txt', join(source, 'link'))
  makeQuickRepository(repository)
  const nodesOf = async (snapshotId: string): Promise<SnapshotNode[]> =>
    (await engine.ok('ls', '--json', snapshotId)).split('\n').flatMap((line) => {
      const node = line === '' ? undefined : nodeIn(JSON.parse(line))
      return node ? [node] : []
    })
  const backUp = async () => {
    await engine.ok('backup', '--host', 'h', source)
    const all = JSON.parse(await engine.ok('snapshots', '--json')) as { id: string }[]
    const id = all.at(-1)?.id ?? ''
    const chosen = new ChosenFiles()
    for (const node of await nodesOf(id)) if (node.type === 'file') chosen.add(node)
    return { id, checksums: await checksumsOf(chosen.list(), never) }
  }
  const place = join(folder, 'test-restore')
  const prove = (
    { id, checksums }: { id: string; checksums: FileChecksum[] },
    more: Partial<TestRestorePayload> = {},
    signal = never,
  ) =>
    testRestore({
      settings: {
        file: process.env.RESTIC_PATH ?? 'restic',
        folder: join(folder, 'runs'),
        cacheFolder: join(folder, 'cache'),
        serverUrl: 'http://127.0.0.1',
        authorities: undefined,
      },
      payload: {
        verificationId: randomUUID(),
        snapshotId: id,
        checksums,
        again: [],
        wholeUpToBytes: 10 * 1024 ** 3,
        engine: {
          kind: 'restic',
          repositoryId: randomUUID(),
          place: { at: 'elsewhere', url: repository, env: {}, options: [] },
          password: quickPassword,
          init: false,
          host: 'h',
          tags: [],
        },
        ...more,
      },
      folder: place,
      signal,
      onProgress: () => {},
    })
  const left = () => (existsSync(place) ? readdirSync(place) : [])
  return { folder, source, repository, engine, backUp, prove, left, place }
}

test('what comes back as it was passes, with its checksums, and leaves nothing on the disk', async () => {
  const { backUp, prove, left } = await scene()
  const made = await backUp()
  expect(made.checksums).toHaveLength(3)
  const said = await prove(made)
  expect(said).toMatchObject({
    status: 'passed',
    filesVerified: 3,
    filesFailed: 0,
    failedFiles: [],
    checksumsCompared: 3,
    sizeBytes: 15,
    totalBytes: 15,
    cleanedUp: true,
  })
  expect(said.restoreTimeSeconds).toBeGreaterThan(0)
  // That of the link, too.
  expect(said.warnings).toBeUndefined()
  expect(left()).toEqual([])
})

test('content that differs from that of the device is a failure, whatever the storage says of it', async () => {
  const { source, backUp, prove, left } = await scene()
  const { id, checksums } = await backUp()
  const other = checksums.map((one) => (one.path.endsWith('report.txt') ? { ...one, sha256: '0'.repeat(64) } : one))
  expect(await prove({ id, checksums: other })).toMatchObject({
    status: 'failed',
    filesVerified: 2,
    filesFailed: 1,
    failedFiles: [{ path: join(source, 'docs/report.txt'), error: 'has other content than when it was backed up' }],
  })
  expect(left()).toEqual([])
})

test('damaged data is named by file, and the others are proven', async () => {
  const { source, repository, backUp, prove, left } = await scene()
  for (let n = 0; n < 20; n++) writeFileSync(join(source, `good ${n}`), `good ${n}`)
  await backUp()
  writeFileSync(join(source, 'bad.bin'), randomBytes(megabyte))
  const made = await backUp()
  const [pack = ''] = readdirSync(join(repository, 'data'), { recursive: true, encoding: 'utf8' })
    .map((name) => join(repository, 'data', name))
    .filter((file) => statSync(file).isFile())
    .sort((a, b) => statSync(b).size - statSync(a).size)
  const content = readFileSync(pack)
  content[megabyte / 2] = (content[megabyte / 2] ?? 0) ^ 1
  rmSync(pack)
  writeFileSync(pack, content)
  const said = await prove(made)
  expect(said).toMatchObject({ filesVerified: 23, filesFailed: 1, cleanedUp: true })
  expect(said.failedFiles).toEqual([
    { path: join(source, 'bad.bin'), error: 'its data in the storage is damaged or missing' },
  ])
  expect(said.status).toBe('partial')
  expect(left()).toEqual([])
})

test('of a large snapshot a part is restored, and with it the files that there are checksums of', async () => {
  const { source, backUp, prove } = await scene()
  for (let n = 0; n < 600; n++) writeFileSync(join(source, `file ${n}`), `${n}`)
  const { id, checksums } = await backUp()
  expect(checksums.length).toBeGreaterThanOrEqual(200)
  const said = await prove({ id, checksums: checksums.slice(0, 50) }, { wholeUpToBytes: 1000 })
  expect(said).toMatchObject({ status: 'passed', sampled: true, filesFailed: 0, checksumsCompared: 50 })
  expect(said.filesVerified).toBeLessThan(603)
  expect(said.sampledBytes).toBeLessThanOrEqual(1000)
  expect(said.totalBytes).toBeGreaterThan(1000)
})

test('what could not be restored before is part of a part', async () => {
  const { source, backUp, prove } = await scene()
  for (let n = 0; n < 600; n++) writeFileSync(join(source, `file ${n}`), `${n}`)
  const made = { ...(await backUp()), checksums: [] }
  const again = [join(source, 'docs/report.txt'), join(source, 'link'), join(source, 'gone since')]
  expect(await prove(made, { wholeUpToBytes: 1000, again })).toMatchObject({
    ...{ status: 'passed', sampled: true, filesFailed: 0, restoredAgain: true },
  })
  expect(await prove(made, { wholeUpToBytes: 5, again })).toMatchObject({ sampled: true, restoredAgain: false })
})

test.skipIf(!mayMount)('without room nothing is restored and nothing passes', async () => {
  const { source, backUp, prove, left, place } = await scene()
  const made = await backUp()
  mkdirSync(place)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=700', 'tmpfs', place])
  onTestFinished(() => void execFileSync('umount', ['-l', place]))
  for (const more of [{}, { wholeUpToBytes: 5 }, { checksums: [] }, { again: [join(source, 'empty')] }])
    expect(await prove(made, more)).toMatchObject({
      ...{ status: 'failed', filesVerified: 0, filesFailed: 0, reason: 'insufficient_space', cleanedUp: true },
    })
  expect(left()).toEqual([])
  for (const name of ['notes [1].txt', 'docs/report.txt']) rmSync(join(source, name))
  expect(await prove(await backUp())).toMatchObject({ status: 'passed', filesVerified: 1, sizeBytes: 0 })
})

test('nothing passes where nothing was compared', async () => {
  const { source, backUp, prove, left } = await scene()
  const made = await backUp()
  expect(await prove({ ...made, id: 'ab'.repeat(32) })).toMatchObject({ status: 'failed', filesVerified: 0 })
  rmSync(source, { recursive: true })
  mkdirSync(join(source, 'folder'), { recursive: true })
  // There is nothing in it to compare but folders, and it says so.
  expect(await prove(await backUp())).toMatchObject({
    status: 'passed',
    filesVerified: 0,
    warnings: ['empty_snapshot'],
  })
  expect(left()).toEqual([])
})

test('one that is stopped leaves nothing', async () => {
  const { source, repository, backUp, prove, left } = await scene()
  writeFileSync(join(source, 'large.bin'), randomBytes(64 * megabyte))
  const made = await backUp()
  const stop = new AbortController()
  const ending = prove(made, {}, stop.signal)
  await expect.poll(left, { interval: 5, timeout: 30_000 }).not.toEqual([])
  stop.abort()
  expect((await ending).status).toBe('stopped')
  expect(left()).toEqual([])
  expect(readdirSync(join(repository, 'locks'))).toEqual([])
})

test('a file that changes while its checksum is made has none', async () => {
  const { source, backUp } = await scene()
  const { checksums } = await backUp()
  const node = { struct_type: 'node', type: 'file', path: join(source, 'empty'), size: 0 } as const
  const [known] = checksums.filter(({ path }) => path === node.path)
  const asBackedUp = { ...node, mtime: known?.mtime ?? '' }
  expect(await checksumsOf([asBackedUp], never)).toHaveLength(1)
  utimesSync(join(source, 'empty'), 1, 1)
  expect(await checksumsOf([asBackedUp], never)).toEqual([])
  rmSync(join(source, 'empty'))
  symlinkSync('/etc/hostname', join(source, 'empty'))
  expect(await checksumsOf([asBackedUp], never)).toEqual([])
})

test('nothing is removed but folders of test restores, and nothing that links lead to', async () => {
  const { folder, place } = await scene()
  const precious = join(folder, 'precious')
  mkdirSync(precious)
  writeFileSync(join(precious, 'file'), 'precious')
  const own = await makeTestFolder(place, randomUUID())
  symlinkSync(precious, join(own, 'link'))
  const linked = join(place, randomUUID())
  symlinkSync(precious, linked)
  writeFileSync(join(place, 'something'), '')
  for (const other of [precious, join(place, '..', 'precious'), place, '/', linked, join(place, 'something')])
    expect(await removeTestFolder(place, other), other).toBe(false)
  await expect(makeTestFolder(place, '../precious')).rejects.toThrow('no name')
  expect(readFileSync(join(precious, 'file'), 'utf8')).toBe('precious')

  // As after a kill.
  await removeLeftTestFolders(place, 1)
  expect(readdirSync(place).sort()).toEqual(['something', linked.slice(place.length + 1)].sort())
  expect(readFileSync(join(precious, 'file'), 'utf8')).toBe('precious')

  // Nor in a folder that a link has taken the place of.
  const elsewhere = join(folder, 'elsewhere')
  const inElsewhere = join(elsewhere, randomUUID())
  mkdirSync(inElsewhere, { recursive: true })
  rmSync(place, { recursive: true })
  symlinkSync(elsewhere, place)
  await removeLeftTestFolders(place)
  expect(await removeTestFolder(place, inElsewhere)).toBe(false)
  expect(existsSync(inElsewhere)).toBe(true)
})

test('what cannot be removed yet is removed later', async () => {
  const { place } = await scene()
  const own = await makeTestFolder(place, randomUUID())
  const aside = `${place} aside`
  // In its place is what is none of ours.
  renameSync(place, aside)
  symlinkSync(aside, place)
  expect(await removeTestFolder(place, own)).toBe(false)
  const removed = removeTestFolderLater(place, own, 5)
  expect(existsSync(own)).toBe(true)
  rmSync(place)
  renameSync(aside, place)
  await removed
  expect(existsSync(own)).toBe(false)
})

test('some of many files are chosen, always with the newest and the largest that is not too large', () => {
  const chosen = new ChosenFiles()
  const node = (n: number, more: Partial<SnapshotNode> = {}): SnapshotNode => ({
    ...{ struct_type: 'node', type: 'file', path: `/${n}`, size: 10, mtime: '2026-01-01T00:00:00Z' },
    ...more,
  })
  chosen.add(node(0, { mtime: '2026-02-01T00:00:00Z' }))
  chosen.add(node(1, { size: 60 * megabyte }))
  chosen.add(node(2, { size: 100 * megabyte }))
  for (let n = 3; n < 5000; n++) chosen.add(node(n))
  const paths = chosen.list().map(({ path }) => path)
  expect(paths.length).toBeGreaterThanOrEqual(200)
  expect(paths.length).toBeLessThanOrEqual(202)
  expect(new Set(paths).size).toBe(paths.length)
  expect(paths).toEqual(expect.arrayContaining(['/0', '/1']))
  expect(paths).not.toContain('/2')
})
