import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { makeQuickRepository, quickPassword } from '../../agent/testing/quick-repository.ts'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import { resticPathOf } from '../../server/features/snapshot-index/index.ts'
import { listed, snapshotIndex } from '../helpers/listings.ts'

/** The index with listings of the real restic, over content that is hard to name. */

const hardNames = [
  ...[
    'plain',
    'with space',
    'trailing dot.',
    'trailing space ',
    '.hidden',
    'new\nline',
    'tab\there',
    'q"uote\'s',
    'back\\slash',
  ],
  ...[
    '*star?[x]',
    '$HOME',
    '!not',
    '-dash',
    '#hash',
    '%41',
    '&<>',
    'C:',
    'CON',
    'a;b',
    '\u2028separator',
    '\u0001control\u007f',
  ],
  ...[
    '\u00e9 composed',
    'e\u0301 decomposed',
    'Straße',
    'ΣΊΣΥΦΟΣ',
    'العربية',
    '日本語',
    '\u{1f469}\u200d\u{1f4bb}',
    '\ufffd itself',
  ],
  ...['x'.repeat(255), 'ä'.repeat(127), '\u{1f600}'.repeat(63)],
]

async function scene() {
  const source = join(scratchFolder(), 'source')
  mkdirSync(source)
  const folder = join(scratchFolder(), 'repository')
  makeQuickRepository(folder)
  const engine = restic(folder, quickPassword)
  const { index, repository } = snapshotIndex()
  const backUp = async () => {
    await engine.ok('backup', '--host', 'x', source)
    const [, id = ''] = /"id":"([0-9a-f]{64})"/.exec(await engine.ok('snapshots', '--json', 'latest')) ?? []
    const text = await engine.ok('ls', '--json', id)
    const time = Date.now()
    const stored = await index.store(repository, { id, time }, Readable.from([gzipSync(text)]))
    return { id, stored, text }
  }
  return { source, engine, index, repository, backUp }
}

test('hard names, links and empty folders are listed as they are, and each path leads back to its file', async () => {
  const { source, engine, index, repository, backUp } = await scene()
  for (const [n, name] of hardNames.entries()) writeFileSync(join(source, name), 'x'.repeat(n))
  mkdirSync(join(source, 'empty folder'))
  mkdirSync(join(source, 'deep', ...hardNames.slice(0, 9)), { recursive: true })
  symlinkSync('nowhere', join(source, 'link'))
  symlinkSync('deep', join(source, 'link to a folder'))
  linkSync(join(source, 'plain'), join(source, 'hard link'))
  writeFileSync(join(source, 'deep', 'old'), 'old')
  utimesSync(join(source, 'deep', 'old'), new Date(0), new Date(-1000))
  execFileSync('mkfifo', [join(source, 'fifo')])

  const { id, stored } = await backUp()
  const expected = readdirSync(source)
  const { items, next } = await index.folder(repository, { snapshotId: id, path: source, limit: 1000 })
  expect(items.map(({ name }) => name).toSorted()).toEqual(expected.toSorted())
  expect(next).toBe(null)
  for (const [n, name] of hardNames.entries()) {
    const item = items.find((one) => one.name === name)
    const modifiedAt = new Date(Math.floor(statSync(join(source, name)).mtimeMs)).toISOString()
    expect(item, name).toEqual({ name, path: join(source, name), type: 'file', size: n, modifiedAt })
    expect((await index.versions(repository, join(source, name))).versions).toHaveLength(1)
  }
  const typeOf = (name: string) => items.find((one) => one.name === name)?.type
  expect(['deep', 'link', 'link to a folder', 'hard link', 'fifo'].map(typeOf)).toEqual([
    'folder',
    'symlink',
    'symlink',
    'file',
    'other',
  ])
  expect(
    (await index.folder(repository, { snapshotId: id, path: join(source, 'empty folder'), limit: 9 })).items,
  ).toEqual([])
  expect((await index.versions(repository, join(source, 'deep', 'old'))).versions[0]?.modifiedAt).toBe(
    '1969-12-31T23:59:59.000Z',
  )

  const below = await listed(index.filesBelow(repository, id, source))
  expect(below.map(({ path }) => path).toSorted()).toEqual(
    readdirSync(source, { recursive: true })
      // Node follows the link; restic does not.
      .filter((path) => !String(path).startsWith('link to a folder/'))
      .map((path) => join(source, String(path)))
      .toSorted(),
  )
  expect(await index.expand(repository, { snapshotId: id, paths: ['/'] })).toMatchObject({
    ...countsOf(stored),
    missing: [],
  })
  for (const name of ['new\nline', '*star?[x]', '\u{1f600}'.repeat(63)])
    expect(await engine.ok('dump', id, resticPathOf(join(source, name)))).toBe('x'.repeat(hardNames.indexOf(name)))
})

const countsOf = ({ files, folders, bytes }: { files: number; folders: number; bytes: number }) => ({
  files,
  folders,
  bytes,
})

test('names that are no UTF-8 are listed with a replacement letter, and found by a pattern with a question mark', async () => {
  const { source, engine, index, repository, backUp } = await scene()
  for (const byte of [0xfe, 0xff]) {
    const name = Buffer.concat([Buffer.from(`${source}/bad`), Buffer.from([byte])])
    writeFileSync(name, 'x')
  }
  mkdirSync(Buffer.concat([Buffer.from(`${source}/folder`), Buffer.from([0xff])]))
  writeFileSync(Buffer.concat([Buffer.from(`${source}/folder`), Buffer.from([0xff]), Buffer.from('/in')]), 'y')
  const { id, stored } = await backUp()
  expect(stored.alike).toBe(1)
  const { items } = await index.folder(repository, { snapshotId: id, path: source, limit: 10 })
  expect(items.map(({ name }) => name)).toEqual(['folder\ufffd', 'bad\ufffd'])
  expect(await index.expand(repository, { snapshotId: id, paths: [`${source}/folder\ufffd`] })).toMatchObject({
    files: 1,
  })

  const target = scratchFolder()
  const pattern = join(source, 'bad\ufffd').replaceAll('\ufffd', '?')
  await engine.ok('restore', id, '--target', target, '--include', pattern)
  expect(
    readdirSync(join(target, source), 'buffer')
      .map((name) => name.at(-1))
      .toSorted(),
  ).toEqual([0xfe, 0xff])
})

test('what changes between two backups is what the comparison tells', async () => {
  const { source, index, repository, backUp } = await scene()
  mkdirSync(join(source, 'kept'))
  for (const name of ['same', 'changed', 'removed', 'kept/same']) writeFileSync(join(source, name), name)
  const older = await backUp()
  writeFileSync(join(source, 'changed'), 'changed now')
  execFileSync('rm', [join(source, 'removed')])
  writeFileSync(join(source, 'kept', 'added'), 'x')
  const newer = await backUp()
  const { items } = await index.compare(repository, { older: older.id, newer: newer.id, limit: 100 })
  expect(items.map(({ change, path }) => `${change} ${path.slice(source.length)}`).toSorted()).toEqual([
    'added /kept/added',
    'changed /changed',
    'removed /removed',
  ])
  expect((await index.versions(repository, join(source, 'changed'))).versions.map(({ size }) => size)).toEqual([11, 7])
})
