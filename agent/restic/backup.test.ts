import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { halfMadeRepository, type ResticEngine } from '../../shared/device/backup.ts'
import { makeQuickRepository, quickPassword } from '../testing/quick-repository.ts'
import { restic, scratchFolder } from '../testing/restic.ts'
import { type BackupProgress, backUp } from './backup.ts'
import { BegunRuns } from './begun-runs.ts'
import { excludeArguments, literalPattern } from './patterns.ts'
import { connectionsFor } from './restic-run.ts'
import { isAtLeast, resticVersion } from './version.ts'

const atLength = test.skipIf(process.env.HOMEPORT_THOROUGH_TESTS !== '1')

/** Backups with the real restic into a folder. */

const password = quickPassword

function scene({ isMade = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'homeport-backup-'))
  onTestFinished(() => {
    chmodSync(join(folder, 'source'), 0o700)
    rmSync(folder, { recursive: true, force: true })
  })
  const source = join(folder, 'source')
  mkdirSync(source)
  for (let n = 0; n < 20; n++) writeFileSync(join(source, `file-${n}`), randomBytes(10_000))
  const repository = join(folder, 'repository')
  if (isMade) makeQuickRepository(repository)
  const settings = {
    file: process.env.RESTIC_PATH ?? 'restic',
    folder: join(folder, 'runs'),
    cacheFolder: join(folder, 'cache'),
    serverUrl: 'http://127.0.0.1',
    authorities: undefined,
  }
  const back = async (
    more: {
      paths?: string[]
      excludes?: string[]
      engine?: Partial<ResticEngine>
      signal?: AbortSignal
      isServerFull?: true
    } = {},
  ) => {
    const progress: BackupProgress[] = []
    const sendListing = async (_: string, listing: Readable) => {
      if (more.isServerFull) throw new Error('the disk is full')
      listings.push(gunzipSync(await buffer(listing)).toString())
    }
    const jobId = randomUUID()
    const engine: ResticEngine = {
      kind: 'restic',
      repositoryId: randomUUID(),
      place: { at: 'elsewhere', url: repository, env: { SOME_KEY: 'a key of the storage' }, options: [] },
      password,
      init: true,
      host: 'the-device',
      tags: [`job:${jobId}`],
      ...more.engine,
    }
    const payload = {
      jobId,
      configId: randomUUID(),
      paths: more.paths ?? [source],
      excludes: more.excludes ?? [],
      engine,
    }
    const signal = more.signal ?? new AbortController().signal
    const onProgress = (one: BackupProgress) => progress.push(one)
    const outcome = await backUp({ settings, payload, signal, onProgress, sendListing, begun })
    expect(readdirSync(settings.folder), 'no secret is left').toEqual([])
    return { outcome, progress }
  }
  const listings: string[] = []
  const begun = new BegunRuns(join(folder, 'begun'))
  const names = async (snapshotId = '') => {
    const lines = (await restic(repository, password).ok('ls', '--json', snapshotId)).trim().split('\n')
    return lines.map((line) => (JSON.parse(line) as { path?: string }).path).filter((path) => path?.startsWith(source))
  }
  return { source, repository, settings, back, names, listings }
}

test('the first backup makes the repository, and each has a snapshot with its whole id', async () => {
  const { source, repository, back, listings } = scene({ isMade: false })
  const first = await back()
  expect(first.outcome).toMatchObject({
    status: 'completed',
    snapshotId: expect.stringMatching(/^[0-9a-f]{64}$/),
    filesBackedUp: 20,
    bytesBackedUp: 200_000,
  })
  expect(first.progress.at(-1)).toEqual({ phase: 'finishing', current: 200_000, total: 200_000 })
  expect(first.outcome.isListed).toBe(true)
  expect(listings[0]?.match(/"type":"file"/g)).toHaveLength(20)
  writeFileSync(join(source, 'new'), 'new')
  const second = await back({ engine: { init: false } })
  expect(second.outcome).toMatchObject({ status: 'completed', filesBackedUp: 21 })
  expect(second.outcome.bytesAdded).toBeLessThan(20_000)
  const listed = JSON.parse(await restic(repository, password).ok('snapshots', '--json')) as {
    id: string
    hostname: string
  }[]
  expect(listed.map(({ id }) => id)).toEqual([first.outcome.snapshotId, second.outcome.snapshotId])
  expect(listed.map(({ hostname }) => hostname)).toEqual(['the-device', 'the-device'])
})

test('where there should be a repository and is none, none is made', async () => {
  const { repository, back } = scene({ isMade: false })
  const { outcome } = await back({ engine: { init: false } })
  expect(outcome).toMatchObject({ status: 'failed', error: 'The repository is not there. Is the storage connected?' })
  expect(existsSync(repository)).toBe(false)
})

/** A key for another repository with the same password, as a killed `init` leaves it, before or behind that of this one. */
async function leaveStrayKey(repository: string, place: 'before' | 'behind'): Promise<void> {
  const other = join(scratchFolder(), 'other')
  await restic(other, password).ok('init')
  const [name = ''] = readdirSync(join(other, 'keys'))
  const key = readFileSync(join(other, 'keys', name), 'utf8')
  // Spaces at its end give the same key another name, and thereby another place.
  for (let spaces = 0; spaces < 50; spaces++) {
    const content = key + ' '.repeat(spaces)
    const file = join(repository, 'keys', createHash('sha256').update(content).digest('hex'))
    writeFileSync(file, content)
    const { code } = await restic(repository, password).run('cat', 'config')
    if ((code === 0) === (place === 'behind')) return
    rmSync(file)
  }
  throw new Error('No name has the place that is wanted')
}

test('a key that a killed run has left behind that of the repository is removed before the first backup', async () => {
  const { repository, back } = scene()
  const [own] = readdirSync(join(repository, 'keys'))
  await leaveStrayKey(repository, 'behind')
  expect((await back()).outcome.status).toBe('completed')
  expect(readdirSync(join(repository, 'keys'))).toEqual([own])
})

test('one before it says so in words that the appliance knows, and nothing is stored', async () => {
  const { repository, back } = scene()
  await leaveStrayKey(repository, 'before')
  expect((await back()).outcome).toMatchObject({ status: 'failed', error: halfMadeRepository })
  expect(readdirSync(join(repository, 'snapshots'))).toEqual([])
})

test('a key without a repository leads to one with a single key, or to the same words', async () => {
  const { repository, back } = scene()
  rmSync(join(repository, 'config'))
  const { outcome } = await back()
  const found = [outcome.status, outcome.error, readdirSync(join(repository, 'keys')).length]
  expect([
    ['completed', undefined, 1],
    ['failed', halfMadeRepository, 2],
    // Newer versions make none beside a key.
    ['failed', halfMadeRepository, 1],
  ]).toContainEqual(found)
})

test('a wrong password says so and changes nothing', async () => {
  const { repository, back } = scene()
  await back()
  const before = readdirSync(join(repository, 'snapshots'))
  expect((await back({ engine: { password: 'another' } })).outcome).toMatchObject({
    status: 'failed',
    error: 'Repository key rejected',
  })
  expect(readdirSync(join(repository, 'snapshots'))).toEqual(before)
})

test('a missing folder among several makes the backup partial, and none at all makes it fail', async () => {
  const { source, back } = scene()
  const gone = join(source, 'gone')
  expect((await back({ paths: [source, gone] })).outcome).toMatchObject({
    status: 'partial',
    filesBackedUp: 20,
    errorCount: 1,
    failedFiles: [{ path: gone, error: 'does not exist' }],
  })
  expect((await back({ paths: [gone] })).outcome).toMatchObject({ status: 'failed', filesBackedUp: 0 })
})

test('patterns leave out what they say, and nothing else', async () => {
  const { source, back, names } = scene()
  for (const name of ['$RECYCLE.BIN', 'cache', 'deep']) mkdirSync(join(source, name))
  for (const name of ['$RECYCLE.BIN/a', 'cache/b', 'deep/c.tmp', '!x.txt', '#y', 'z [1].txt', 'z 1.txt'])
    writeFileSync(join(source, name), name)
  const { outcome } = await back({ excludes: ['$RECYCLE.BIN/**', 'deep/*.tmp', '!x.txt', 'cache', 'file-*', ' '] })
  const kept = (await names(outcome.snapshotId)).map((path) => path?.slice(source.length)).sort()
  expect(kept).toEqual(['', '/#y', '/deep', '/z 1.txt', '/z [1].txt'])
  expect(literalPattern('/a/z [1]*?.txt')).toBe('/a/z [[]1][*][?].txt')
  expect(excludeArguments(['*.tmp'], 'win32')).toEqual(['--iexclude', '*.tmp'])
})

atLength('a backup that is stopped says so, leaves no lock, and the next one succeeds', async () => {
  const { source, repository, back } = scene()
  await back()
  for (let n = 0; n < 30; n++) writeFileSync(join(source, `large-${n}`), randomBytes(8_000_000))
  const packs = readdirSync(join(repository, 'data'), { recursive: true }).length
  const stop = new AbortController()
  const stopped = back({ signal: stop.signal })
  await expect
    .poll(() => readdirSync(join(repository, 'data'), { recursive: true }).length, { interval: 5 })
    .toBeGreaterThan(packs)
  stop.abort(new Error('cancelled'))
  expect((await stopped).outcome).toMatchObject({ status: 'stopped' })
  expect(readdirSync(join(repository, 'locks'))).toEqual([])
  expect((await back()).outcome).toMatchObject({ status: 'completed', filesBackedUp: 50 })
})

test('no secret stands on a command line or in the environment of restic', async () => {
  const { source, settings, back } = scene()
  for (let n = 0; n < 10; n++) writeFileSync(join(source, `large-${n}`), randomBytes(8_000_000))
  const seen: string[] = []
  const watch = setInterval(() => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        // Other tests start restic, too.
        if (line.includes(settings.cacheFolder)) seen.push(line + readFileSync(`/proc/${pid}/environ`, 'utf8'))
      } catch {
        // It has ended.
      }
  }, 5)
  await back({ engine: { limitUploadKiB: 976_000 } })
  clearInterval(watch)
  expect(seen.length).toBeGreaterThan(0)
  expect(seen.join()).not.toContain(password)
  expect(seen.join()).toContain('\0--limit-upload\x00976000\0')
  expect(seen.join()).not.toContain('vitest')
})

test('the version of restic is known, and what is none has none', async () => {
  expect(await resticVersion(process.env.RESTIC_PATH ?? 'restic')).toMatch(/^\d+\.\d+\.\d+$/)
  expect(await resticVersion('true')).toBeNull()
  expect(await resticVersion('no-such-program')).toBeNull()
  expect([isAtLeast('0.17.1', [0, 17]), isAtLeast('0.14.0', [0, 14, 1]), isAtLeast('1.0.0', [0, 17])]).toEqual([
    true,
    false,
    true,
  ])
})

test('a server that does not take the list of files makes no backup fail, and restic none the worse', async () => {
  const { source, repository, back } = scene()
  for (let n = 0; n < 3000; n++) writeFileSync(join(source, `a-file-with-a-long-name-${'x'.repeat(100)}-${n}`), '')
  const { outcome } = await back({ isServerFull: true })
  expect(outcome).toMatchObject({ status: 'completed', isListed: false, filesBackedUp: 3020 })
  expect(readdirSync(join(repository, 'locks'))).toEqual([])
})

test('a listing that fails before its first line takes neither the backup nor the agent with it', async () => {
  const { source, settings, back } = scene()
  const real = settings.file
  settings.file = join(source, '..', 'restic-without-ls')
  const script = `#!/bin/sh
    case " $* " in *" ls "*) echo 'the connection is gone' >&2; exit 1;; esac
    exec ${real} "$@"`
  writeFileSync(settings.file, script, { mode: 0o755 })
  expect((await back()).outcome).toMatchObject({
    status: 'completed',
    isListed: false,
    snapshotId: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})

test('a slow line is not shared by so many pieces that none of them arrives in time', () => {
  // In KiB/s: no limit, 100, 10 and 1 Mbit/s.
  expect([undefined, 12_200, 1220, 122].map((limit) => connectionsFor(limit))).toEqual([5, 5, 5, 2])
})
