import { randomBytes, randomUUID } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RestorePayload } from '../../shared/device/backup.ts'
import { makeQuickRepository, quickPassword } from '../testing/quick-repository.ts'
import { restic, scratchFolder } from '../testing/restic.ts'
import { putInPlace } from './put-in-place.ts'
import { restore } from './restore.ts'
import { batches, pathHere, pathInSnapshot, piecesOf } from './restore-plan.ts'
import { makeStaging, removeLeftStaging } from './staging.ts'

/** Restores with the real restic, from a folder. */

const textOf = (path: string) => readFileSync(path, 'utf8')

async function scene() {
  const folder = scratchFolder()
  const source = join(folder, 'source')
  const repository = join(folder, 'repository')
  const engine = restic(repository, quickPassword)
  mkdirSync(source)
  makeQuickRepository(repository)
  const backUp = async (): Promise<string> => {
    await engine.ok('backup', '--host', 'h', source)
    const all = JSON.parse(await engine.ok('snapshots', '--json')) as { id: string }[]
    return all.at(-1)?.id ?? ''
  }
  const bring = async (
    snapshotId: string,
    more: Partial<RestorePayload> = {},
    signal = new AbortController().signal,
  ) => {
    const payload: RestorePayload = {
      restoreJobId: randomUUID(),
      snapshotId,
      paths: [],
      target: { to: 'staging' },
      existing: 'rename',
      expected: null,
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
    }
    const outcome = await restore({
      settings: {
        file: process.env.RESTIC_PATH ?? 'restic',
        folder: join(folder, 'runs'),
        cacheFolder: join(folder, 'cache'),
        serverUrl: 'http://127.0.0.1',
        authorities: undefined,
      },
      payload,
      stagingFolder: join(folder, 'state', 'restored'),
      notesFolder: join(folder, 'state', 'restoring'),
      signal,
      onProgress: () => {},
    })
    const left = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.homeport'))
    expect(left, 'nothing is left over').toEqual([])
    return outcome
  }
  return { folder, source, repository, backUp, bring }
}

test('without a folder everything goes into one of its own, and nothing of the original is touched', async () => {
  const { source, backUp, bring } = await scene()
  writeFileSync(join(source, 'a.txt'), 'as it was')
  const snapshot = await backUp()
  writeFileSync(join(source, 'a.txt'), 'newer')
  const outcome = await bring(snapshot, { existing: 'replace' })
  expect(outcome).toMatchObject({ status: 'completed', filesRestored: 1, bytesRestored: 9, filesFailed: 0 })
  expect(textOf(join(outcome.stagingDir ?? '', source, 'a.txt'))).toBe('as it was')
  expect(textOf(join(source, 'a.txt'))).toBe('newer')
})

test('names with every odd character come back, exactly those that were asked for', async () => {
  const { folder, source, backUp, bring } = await scene()
  const odd = [
    'z [1]*?.txt',
    '$HOME',
    '!not.txt',
    ' lead',
    'trail. ',
    '-dash',
    'ä🙂é',
    'x'.repeat(255),
    'new\nline',
    'a:b',
  ]
  const others = ['z 1.txt', 'HOME', 'not.txt', 'lead', 'trail.', 'x'.repeat(254)]
  for (const name of [...odd, ...others]) writeFileSync(join(source, name), name)
  const snapshot = await backUp()
  const into = join(folder, 'back')
  const paths = odd.map((name) => join(source, name))
  const outcome = await bring(snapshot, { paths, target: { to: 'folder', path: into } })
  expect(outcome).toMatchObject({ status: 'completed', filesRestored: odd.length })
  expect(readdirSync(into).sort()).toEqual([...odd].sort())
  for (const name of odd) expect(textOf(join(into, name))).toBe(name)
})

test.each([
  ['keep', { filesRestored: 1, filesKept: 2, filesRenamed: 0 }, ['changed', 'deleted', 'same']],
  ['replace', { filesRestored: 3, filesKept: 0, filesRenamed: 0 }, ['changed', 'deleted', 'same']],
  [
    'rename',
    { filesRestored: 2, filesKept: 1, filesRenamed: 1 },
    ['changed', expect.stringMatching(/^changed \(restored .*\)$/), 'deleted', 'same'],
  ],
] as const)('to where they were, with %s for what is there', async (existing, counts, names) => {
  const { source, backUp, bring } = await scene()
  for (const name of ['changed', 'deleted', 'same']) writeFileSync(join(source, name), `${name} then`)
  const snapshot = await backUp()
  writeFileSync(join(source, 'changed'), 'changed since')
  rmSync(join(source, 'deleted'))
  const outcome = await bring(snapshot, { target: { to: 'original' }, existing })
  expect(outcome).toMatchObject({ status: 'completed', ...counts })
  const renamed = readdirSync(source).filter((name) => name.includes('restored'))
  expect(outcome.renamedFiles).toEqual(
    renamed.map((name) => ({ path: join(source, 'changed'), as: join(source, name) })),
  )
  expect(readdirSync(source)).toEqual(names)
  expect(textOf(join(source, 'deleted'))).toBe('deleted then')
  expect(textOf(join(source, 'changed'))).toBe(existing === 'replace' ? 'changed then' : 'changed since')
})

test('links, empty folders, modes and times come back, also when the whole folder is gone', async () => {
  const { source, backUp, bring } = await scene()
  const at = (name: string) => join(source, name)
  mkdirSync(at('empty'), { mode: 0o750 })
  mkdirSync(at('deep/er'), { recursive: true })
  writeFileSync(at('deep/er/file'), 'x')
  symlinkSync('deep/er/file', at('link'))
  symlinkSync('nowhere', at('broken'))
  linkSync(at('deep/er/file'), at('hard'))
  writeFileSync(at('sparse'), '')
  truncateSync(at('sparse'), 5_000_000)
  writeFileSync(at('program'), '#!', { mode: 0o755 })
  utimesSync(at('program'), 1_000_000_000, 1_000_000_000)
  utimesSync(at('empty'), 1_000_000_000, 1_000_000_000)
  const snapshot = await backUp()
  rmSync(source, { recursive: true })
  expect(await bring(snapshot, { target: { to: 'original' } })).toMatchObject({ status: 'completed', filesRestored: 6 })
  expect([readlinkSync(at('link')), readlinkSync(at('broken'))]).toEqual(['deep/er/file', 'nowhere'])
  expect(statSync(at('hard')).ino).toBe(statSync(at('deep/er/file')).ino)
  expect([statSync(at('program')).mode & 0o777, statSync(at('program')).mtimeMs]).toEqual([0o755, 1e12])
  expect([statSync(at('empty')).mode & 0o777, statSync(at('empty')).mtimeMs]).toEqual([0o750, 1e12])
  expect(statSync(at('sparse')).size).toBe(5_000_000)
})

test('what is damaged is named, what is not comes back, and a damaged file replaces no good one', async () => {
  const { source, repository, backUp, bring } = await scene()
  writeFileSync(join(source, 'small'), randomBytes(100_000))
  const first = await backUp()
  const packs = () =>
    readdirSync(join(repository, 'data'), { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'))
  const before = new Set(packs())
  writeFileSync(join(source, 'large'), randomBytes(3_000_000))
  const snapshot = await backUp()
  const large = packs().filter((name) => !before.has(name) && statSync(join(repository, 'data', name)).size > 1_000_000)
  for (const name of large) {
    const file = join(repository, 'data', name)
    const bytes = readFileSync(file)
    bytes[1000] = (bytes[1000] ?? 0) ^ 1
    chmodSync(file, 0o600)
    writeFileSync(file, bytes)
  }
  const good = readFileSync(join(source, 'large'))
  const outcome = await bring(snapshot, {
    target: { to: 'original' },
    existing: 'replace',
    expected: { files: 2, bytes: 3_100_000 },
  })
  expect(outcome).toMatchObject({ status: 'partial', filesRestored: 1, filesFailed: 1 })
  expect(outcome.failedFiles.map(({ path }) => path)).toEqual([join(source, 'large')])
  expect(readFileSync(join(source, 'large')).equals(good)).toBe(true)
  expect((await bring(first)).status).toBe('completed')
})

test('fails: nothing that matches, no such snapshot, a wrong key, no room', async () => {
  const { folder, source, backUp, bring } = await scene()
  writeFileSync(join(source, 'a'), 'a')
  const snapshot = await backUp()
  const into = { to: 'folder', path: join(folder, 'back') } as const
  expect(
    await bring(snapshot, { paths: ['/not/there'], target: into, expected: { files: 1, bytes: 1 } }),
  ).toMatchObject({
    status: 'failed',
    error: 'Nothing was restored',
  })
  expect((await bring('ab'.repeat(32))).status).toBe('failed')
  const huge = { files: 1, bytes: 1e18 }
  expect(await bring(snapshot, { target: into, expected: huge })).toMatchObject({
    status: 'failed',
    error: 'There is not enough free space there',
  })
  expect(existsSync(into.path)).toBe(false)
})

test('a restore that is stopped says so and leaves nothing half done behind', async () => {
  const { folder, source, backUp, bring } = await scene()
  for (let n = 0; n < 20; n++) writeFileSync(join(source, `large-${n}`), randomBytes(4_000_000))
  const snapshot = await backUp()
  const stop = new AbortController()
  const stopped = bring(snapshot, { target: { to: 'folder', path: join(folder, 'back') } }, stop.signal)
  await expect
    .poll(() => readdirSync(folder).some((name) => name.startsWith('.homeport-restore-')), { interval: 5 })
    .toBe(true)
  stop.abort(new Error('cancelled'))
  expect((await stopped).status).toBe('stopped')
})

test('what a kill has left is cleared away, and nothing else is', async () => {
  const folder = scratchFolder()
  const [notes, target, mine] = [join(folder, 'notes'), join(folder, 'target'), join(folder, 'mine')]
  for (const one of [target, mine]) mkdirSync(one)
  writeFileSync(join(mine, 'precious'), 'x')
  const staging = await makeStaging(notes, 'one', target)
  writeFileSync(join(staging, 'half'), 'x')
  writeFileSync(join(notes, 'two.path'), mine)
  symlinkSync(mine, join(target, '.homeport-restore-three'))
  writeFileSync(join(notes, 'three.path'), join(target, '.homeport-restore-three'))
  await removeLeftStaging(notes)
  expect(existsSync(staging)).toBe(false)
  expect(readdirSync(mine)).toEqual(['precious'])
  expect(readdirSync(notes)).toEqual([])
})

const user = 65_534
const isRoot = process.getuid?.() === 0

test.runIf(isRoot)('a link of a user sends nothing of theirs into a folder of somebody else', async () => {
  const { folder, source, backUp, bring } = await scene()
  const [own, system] = [join(source, 'own'), join(folder, 'system')]
  for (const one of [own, system]) mkdirSync(one)
  writeFileSync(join(own, 'passwd'), 'of the user')
  const snapshot = await backUp()
  writeFileSync(join(system, 'passwd'), 'of the system')
  rmSync(own, { recursive: true })
  symlinkSync(system, own)
  lchownSync(own, user, user)
  const paths = [join(own, 'passwd')]
  const wish = { paths, target: { to: 'original' }, existing: 'replace' } as const
  expect(await bring(snapshot, wish)).toMatchObject({ status: 'failed', error: expect.stringContaining('link') })
  const into = { paths, target: { to: 'folder', path: own } } as const
  expect(await bring(snapshot, into)).toMatchObject({ status: 'failed', error: expect.stringContaining('link') })
  expect([readdirSync(system), textOf(join(system, 'passwd'))]).toEqual([['passwd'], 'of the system'])
  // A link of the administrator is followed.
  lchownSync(own, 0, 0)
  expect((await bring(snapshot, wish)).status).toBe('completed')
  expect(textOf(join(system, 'passwd'))).toBe('of the user')
})

test.runIf(isRoot)('restic writes to no folder that a user could put another one in the place of', async () => {
  const folder = scratchFolder()
  const [home, shared] = [join(folder, 'home'), join(folder, 'shared')]
  for (const one of [home, shared]) mkdirSync(join(one, 'docs'), { recursive: true })
  chownSync(home, user, user)
  chmodSync(shared, 0o777)
  const notes = join(folder, 'notes')
  for (const target of [home, join(home, 'docs'), join(shared, 'docs'), join(home, 'not/there')])
    expect(await makeStaging(notes, `${randomUUID()}`, target)).toMatch(`${folder}/.homeport-restore-`)
})

test.runIf(existsSync('/dev/shm'))('a file that goes to another disk follows no link that waits for it', async () => {
  const folder = scratchFolder()
  const other = mkdtempSync('/dev/shm/homeport-')
  onTestFinished(() => rmSync(other, { recursive: true }))
  const precious = join(folder, 'precious')
  writeFileSync(precious, 'precious')
  writeFileSync(join(folder, 'a.txt'), 'restored')
  symlinkSync(precious, join(other, '.a.txt.restoring'))
  const failures: unknown[] = []
  await putInPlace(join(folder, 'a.txt'), join(other, 'a.txt'), {
    existing: 'replace',
    mark: '',
    counts: { restored: 0, bytes: 0, kept: 0, renamed: 0 },
    onFailure: (_, error) => failures.push(error),
    onRenamed: () => {},
    isDamaged: () => false,
    signal: new AbortController().signal,
  })
  expect([failures, textOf(join(other, 'a.txt')), textOf(precious)]).toEqual([[], 'restored', 'precious'])
})

test('a path that leads out of its folder is refused', () => {
  const into = { to: 'folder', path: '/back' } as const
  expect(() => piecesOf({ paths: ['/a/../../etc'], target: into }, [], '/s', 'linux')).toThrow('leads out')
  expect(() => piecesOf({ paths: ['/../etc'], target: { to: 'original' } }, [], '/s', 'linux')).toThrow('leads out')
  const below = { to: 'folder', path: 'D:\\back' } as const
  expect(() => piecesOf({ paths: ['/C/..\\..\\Windows'], target: below }, [], '', 'win32')).toThrow('leads out')
})

test('where each piece goes, on every system', () => {
  const two = ['/home/ada/docs', '/home/ada/pics/a.png']
  expect(piecesOf({ paths: two, target: { to: 'folder', path: '/back' } }, [], '/s', 'linux')).toEqual([
    { path: '/home/ada/docs', to: '/back/docs' },
    { path: '/home/ada/pics/a.png', to: '/back/pics/a.png' },
  ])
  expect(piecesOf({ paths: ['/a/b'], target: { to: 'folder', path: '/back' } }, [], '/s', 'linux')).toEqual([
    { path: '/a/b', to: '/back/b' },
  ])
  expect(piecesOf({ paths: [], target: { to: 'original' } }, ['/C/Users'], '', 'win32')).toEqual([
    { path: '/C/Users', to: 'C:\\Users' },
  ])
  expect(piecesOf({ paths: ['/C/a/b'], target: { to: 'folder', path: 'D:\\back' } }, [], '', 'win32')).toEqual([
    { path: '/C/a/b', to: 'D:\\back\\b' },
  ])
  expect([pathHere('/C', 'win32'), pathInSnapshot('C:\\Users\\ada'), pathInSnapshot('/a\\b')]).toEqual([
    'C:\\',
    '/C/Users/ada',
    '/a\\b',
  ])
  expect(() => pathHere('/home', 'win32')).toThrow()
  expect(batches(Array.from({ length: 450 }, () => 'x')).map(({ length }) => length)).toEqual([200, 200, 50])
})
