import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, statfsSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import SQLite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { SnapshotIndex } from '../../server/features/snapshot-index/index.ts'
import {
  dir,
  file,
  headerLine,
  listed,
  listing,
  nodeLine,
  packed,
  snapshotIndex,
  usualTime,
} from '../helpers/listings.ts'

/** The index of the files in snapshots, with listings made by hand. */

const ms = Date.parse(usualTime)
const later = '2026-03-02T10:00:00+01:00'

async function scene(bounds = {}) {
  const own = snapshotIndex(bounds)
  const { index, repository } = own
  let time = 0
  const store = (id: string, entries: Parameters<typeof listing>[1], paths?: string[]) =>
    index.store(repository, { id, time: ++time }, listing(id, entries, paths))
  const names = async (snapshotId: string, path: string) =>
    (await index.folder(repository, { snapshotId, path, limit: 100 })).items.map(({ name }) => name)
  const ids = async () => (await index.indexed(repository)).map(({ id }) => id)
  return { ...own, store, names, ids }
}

const home = [dir('/home'), dir('/home/ada'), file('/home/ada/a.txt', 5), dir('/home/ada/b'), file('/home/ada/b/c', 7)]

test('a folder lists its folders first, then its files by name, page by page', async () => {
  const { index, repository, store } = await scene()
  const names = ['zebra', 'Äpfel', 'apple', 'Banana', 'file10', 'a  b', 'a b']
  expect(
    await store('one', [dir('/x'), ...names.map((name) => file(`/x/${name}`, 1)), dir('/x/Zoo'), dir('/x/bar')]),
  ).toEqual({ files: 7, folders: 3, bytes: 7, alike: 0 })
  const expected = ['bar', 'Zoo', 'a b', 'a  b', 'Äpfel', 'apple', 'Banana', 'file10', 'zebra']
  const seen: string[] = []
  let after: string | null = null
  do {
    const page = await index.folder(repository, { snapshotId: 'one', path: '/x', limit: 2, after })
    expect(page.counts).toEqual(after === null ? { files: 7, folders: 2, bytes: 7 } : null)
    seen.push(...page.items.map(({ name }) => name))
    after = page.next
  } while (after)
  expect(seen).toEqual(expected)
  const top = await index.folder(repository, { snapshotId: 'one', path: '/', limit: 10 })
  expect(top.items).toEqual([
    { name: 'x', path: '/x', type: 'folder', size: null, modifiedAt: new Date(ms).toISOString() },
  ])
  await expect(index.folder(repository, { snapshotId: 'one', path: '/y', limit: 10 })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(index.folder(repository, { snapshotId: 'one', path: '/x/apple', limit: 10 })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(
    index.folder(repository, { snapshotId: 'one', path: '/x', limit: 10, after: 'x' }),
  ).rejects.toMatchObject({ code: 'bad_cursor' })
})

test('a path has a version for each state it had, with the snapshots that have it', async () => {
  const { index, repository, store } = await scene()
  await store('one', home)
  await store('two', home)
  await store('three', [...home.slice(0, 2), file('/home/ada/a.txt', 6, later)])
  const { versions } = await index.versions(repository, '/home/ada/a.txt')
  expect(versions).toEqual([
    {
      ...{ type: 'file', size: 6, modifiedAt: '2026-03-02T09:00:00.000Z', snapshots: 1 },
      ...{ newestSnapshot: { id: 'three', time: 3 }, oldestSnapshot: { id: 'three', time: 3 } },
    },
    {
      ...{ type: 'file', size: 5, modifiedAt: '2026-03-01T09:00:00.123Z', snapshots: 2 },
      ...{ newestSnapshot: { id: 'two', time: 2 }, oldestSnapshot: { id: 'one', time: 1 } },
    },
  ])
  expect((await index.versions(repository, '/home/ada/b/c')).versions).toHaveLength(1)
  await expect(index.versions(repository, '/home/ada/none')).rejects.toMatchObject({ code: 'not_found' })
})

test('a search finds names in all snapshots, whatever their case and marks', async () => {
  const { index, repository, store } = await scene()
  await store('one', [file('/Bücher.TXT', 1), dir('/books'), file('/books/Steuer 2025.pdf', 2)])
  await store('two', [file('/Bücher.TXT', 3)])
  const search = async (text: string, more = {}) => index.search(repository, { text, limit: 10, ...more })
  expect((await search('bücher')).items).toMatchObject([
    { path: '/Bücher.TXT', type: 'file', size: 3, versions: 2, newestSnapshot: { id: 'two' } },
  ])
  expect((await search('BUCHER')).items).toHaveLength(1)
  expect((await search('steuer  2025')).items).toMatchObject([
    { path: '/books/Steuer 2025.pdf', versions: 1, newestSnapshot: { id: 'one' } },
  ])
  expect((await search('%')).items).toEqual([])
  expect((await search(' ')).items).toEqual([])
  const first = await search('o', { limit: 1 })
  expect(first.items.map(({ path }) => path)).toEqual(['/books'])
  expect(first.next).toBe(null)
})

test('a comparison tells what was added, changed and removed, and passes over times of folders', async () => {
  const { index, repository, store } = await scene()
  await store('one', home)
  await store('two', [
    ...[dir('/home', later), dir('/home/ada', later), file('/home/ada/a.txt', 9), file('/home/ada/b', 1)],
    ...[dir('/home/new'), file('/home/new/x', 2)],
  ])
  const compare = (more = {}) => index.compare(repository, { older: 'one', newer: 'two', limit: 100, ...more })
  const { items, counts } = await compare()
  expect(items.map(({ change, path, type }) => `${change} ${type} ${path}`).toSorted()).toEqual([
    'added file /home/ada/b',
    'added file /home/new/x',
    'added folder /home/new',
    'changed file /home/ada/a.txt',
    'removed file /home/ada/b/c',
    'removed folder /home/ada/b',
  ])
  expect(items.find(({ change }) => change === 'changed')).toMatchObject({ before: { size: 5 }, after: { size: 9 } })
  expect(counts).toEqual({
    added: { files: 2, folders: 1, bytes: 3 },
    changed: { files: 1, folders: 0, bytes: 9 },
    removed: { files: 1, folders: 1, bytes: 7 },
  })
  expect((await compare({ only: 'removed' })).items).toHaveLength(2)
  const first = await compare({ limit: 4 })
  const second = await compare({ limit: 4, after: first.next })
  expect([...first.items, ...second.items]).toEqual(items)
  expect(second).toMatchObject({ counts: null, next: null })
  expect((await index.compare(repository, { older: 'one', newer: 'one', limit: 9 })).items).toEqual([])
})

test('selected paths are expanded to all that is below them, each counted once', async () => {
  const { index, repository, store } = await scene()
  await store('one', home)
  const expand = (...paths: string[]) => index.expand(repository, { snapshotId: 'one', paths })
  expect(await expand('/')).toEqual({ files: 2, folders: 3, bytes: 12, missing: [] })
  expect(await expand('/home/ada/b', '/home/ada/b/c', '/home/ada/b')).toEqual({
    files: 1,
    folders: 1,
    bytes: 7,
    missing: [],
  })
  expect(await expand('/home/ada/a.txt', '/home/ada/none', 'x', '/..')).toEqual({
    files: 1,
    folders: 0,
    bytes: 5,
    missing: ['/home/ada/none', 'x', '/..'],
  })
  expect(await listed(index.filesBelow(repository, 'one', '/home/ada'))).toMatchObject([
    { path: '/home/ada/b', type: 'folder' },
    { path: '/home/ada/b/c', type: 'file', size: 7 },
    { path: '/home/ada/a.txt', type: 'file', size: 5 },
  ])
  expect(await listed(index.filesBelow(repository, 'one', '/home/ada/a.txt'))).toMatchObject([
    { path: '/home/ada/a.txt' },
  ])
  await expect(listed(index.filesBelow(repository, 'one', '/none'))).rejects.toMatchObject({ code: 'not_found' })
})

test('the whole tree is cut off below, level by level', async () => {
  const { index, repository, store } = await scene()
  await store('one', [dir('/C'), dir('/C/Users'), file('/C/Users/a.txt', 4), dir('/C/Users/deep')], ['C:\\Users'])
  const tree = async (limit?: number) => {
    const { json, isTruncated } = await index.tree(repository, 'one', limit)
    return { isTruncated, nodes: JSON.parse(Buffer.from(json).toString()) }
  }
  const modifiedAt = new Date(ms).toISOString()
  const users = { name: 'Users', path: '/C:/Users', type: 'directory', modifiedAt }
  expect(await tree()).toEqual({
    isTruncated: false,
    nodes: [
      {
        ...{ name: 'C:', path: '/C:', type: 'directory', modifiedAt },
        children: [
          {
            ...users,
            children: [
              { name: 'deep', path: '/C:/Users/deep', type: 'directory', modifiedAt, children: [] },
              { name: 'a.txt', path: 'C:/Users/a.txt', type: 'file', sizeBytes: 4, modifiedAt },
            ],
          },
        ],
      },
    ],
  })
  expect(await tree(2)).toMatchObject({ isTruncated: true, nodes: [{ children: [{ ...users, children: [] }] }] })
  expect(await tree(4)).toMatchObject({ isTruncated: false })
})

test('paths of Windows are shown with their drive and found in each form', async () => {
  const { index, repository, store, names } = await scene()
  await store('one', [dir('/C'), dir('/C/Users'), file('/C/Users/a.txt', 4)], ['C:\\Users'])
  expect(await names('one', '/')).toEqual(['C:'])
  for (const path of ['C:/Users', '/C:/Users', '/C/Users']) expect(await names('one', path)).toEqual(['a.txt'])
  expect((await index.search(repository, { text: 'a.txt', limit: 5 })).items).toMatchObject([
    { path: 'C:/Users/a.txt' },
  ])
  expect((await index.versions(repository, '/C/Users/a.txt')).path).toBe('C:/Users/a.txt')
  expect(await index.expand(repository, { snapshotId: 'one', paths: ['C:/'] })).toMatchObject({ files: 1, folders: 2 })
})

test('a snapshot that is stored already stays as it is, also when two are stored at once', async () => {
  const { index, repository, store, names, ids } = await scene()
  const both = await Promise.all([store('one', home), store('one', home)])
  expect(both[0]).toEqual(both[1])
  expect(await store('one', [file('/other', 1)])).toMatchObject({ files: 2, folders: 3 })
  expect(await names('one', '/')).toEqual(['home'])
  expect(await ids()).toEqual(['one'])
  expect(await index.isIndexed(repository, 'two')).toBe(false)
})

test('jobs that take turns keep their files, and a late snapshot takes its place by its time', async () => {
  const { index, repository, store, names, file: path } = await scene()
  const other = [dir('/etc'), file('/etc/passwd', 3)]
  const many = Array.from({ length: 2000 }, (_, n) => file(`/home/f${n}`, n))
  await store('home 1', [dir('/home'), ...many])
  await store('etc 1', other)
  const before = statSync(path).size
  for (const n of [2, 3, 4]) {
    await store(`home ${n}`, [dir('/home'), ...many])
    await store(`etc ${n}`, other)
  }
  expect(statSync(path).size).toBe(before)
  expect(await names('etc 3', '/')).toEqual(['etc'])
  expect(await index.folder(repository, { snapshotId: 'home 2', path: '/home', limit: 1 })).toMatchObject({
    counts: { files: 2000 },
  })

  await index.store(repository, { id: 'late', time: 0 }, listing('late', [dir('/home'), file('/home/f7', 70)]))
  const { versions } = await index.versions(repository, '/home/f7')
  expect(versions.map(({ size, newestSnapshot }) => [size, newestSnapshot.id])).toEqual([
    [7, 'home 4'],
    [70, 'late'],
  ])
  expect((await index.indexed(repository)).at(-1)).toMatchObject({ id: 'late', files: 1, folders: 1 })
})

test('after a removal in any order nothing is left of what no other snapshot has', async () => {
  const { index, repository, store, names } = await scene()
  await store('one', home)
  await store('two', [...home, dir('/gone'), file('/gone/x', 1)])
  await store('three', home)
  await index.remove(repository, ['two', 'never there'])
  expect((await index.search(repository, { text: 'gone', limit: 5 })).items).toEqual([])
  await expect(names('two', '/')).rejects.toMatchObject({ code: 'not_indexed' })
  expect(await names('three', '/home/ada')).toEqual(['b', 'a.txt'])
  await index.remove(repository, ['three'])
  await index.remove(repository, ['one'])
  expect(await index.indexed(repository)).toEqual([])
  await store('four', home)
  expect(await names('four', '/home/ada')).toEqual(['b', 'a.txt'])
})

test('a listing may jump about, leave out folders, and name a folder after what is in it', async () => {
  const { index, repository, store, names } = await scene()
  const stored = await store('one', [
    file('/a/b/c/1', 1),
    file('/x/y', 2),
    dir('/a'),
    file('/a/b/c/2', 4),
    dir('/a/b'),
    file('/a/3', 8),
  ])
  expect(stored).toEqual({ files: 4, folders: 4, bytes: 15, alike: 2 })
  expect(await names('one', '/a/b/c')).toEqual(['1', '2'])
  expect(await index.expand(repository, { snapshotId: 'one', paths: ['/a'] })).toEqual({
    files: 3,
    folders: 3,
    bytes: 13,
    missing: [],
  })
})

test('of entries with the same path the first one counts; a folder and a file can share it', async () => {
  const { index, repository, store, names } = await scene()
  const alike = [file('/bad\ufffd', 1), file('/bad\ufffd', 2), dir('/bad\ufffd'), file('/bad\ufffd/in', 4)]
  expect(await store('one', alike)).toEqual({ files: 2, folders: 1, bytes: 5, alike: 1 })
  await store('two', alike)
  expect(await names('two', '/')).toEqual(['bad\ufffd', 'bad\ufffd'])
  expect(await index.compare(repository, { older: 'one', newer: 'two', limit: 5 })).toMatchObject({ items: [] })
  expect(await index.expand(repository, { snapshotId: 'one', paths: ['/bad\ufffd'] })).toMatchObject({
    files: 2,
    folders: 1,
    bytes: 5,
  })
})

test('a folder with more entries than are held in memory is compared, too', async () => {
  const { index, repository, store } = await scene()
  const many = Array.from({ length: 50_100 }, (_, n) => file(`/m/${n}`, n))
  await store('one', [dir('/m'), ...many, file('/m/5', 1)])
  await store('two', [dir('/m'), ...many.slice(0, -1), file('/m/5', 1)])
  expect(await index.compare(repository, { older: 'one', newer: 'two', limit: 5 })).toMatchObject({
    items: [{ change: 'removed', path: '/m/50099' }],
  })
  expect(await index.indexed(repository)).toMatchObject([{ files: 50_099 }, { files: 50_100 }])
})

const header = headerLine('one')
const bad: [what: string, lines: string[]][] = [
  ['nothing', []],
  ['no header', [nodeLine(file('/a'))]],
  ['another snapshot', [headerLine('two')]],
  ['no JSON', [header, '{"name":']],
  ['no object', [header, '7']],
  ['null', [header, 'null']],
  ['text of restic', [header, 'repository opened']],
  ['another kind of line', [header, '{"struct_type":"error"}']],
  ['a relative path', [header, nodeLine({ path: 'a' })]],
  ['a way up', [header, nodeLine(file('/a/../b'))]],
  ['a name that is a way up', [header, nodeLine(file('/a/..'))]],
  ['an empty name', [header, nodeLine(file('/a/'))]],
  ['a NUL', [header, nodeLine(file('/a\0'))]],
  ['a NUL in a folder', [header, nodeLine(file('/a\0/b'))]],
  ['a name that is not the end of its path', [header, nodeLine(file('/a')).replace('"name":"a"', '"name":"b"')]],
  ['a name of a number', [header, nodeLine(file('/a')).replace('"name":"a"', '"name":7')]],
  ['a name that is too long', [header, nodeLine(file(`/${'x'.repeat(1025)}`))]],
  ['a path that is too deep', [header, nodeLine(file('/x'.repeat(1001)))]],
  ['a size below nothing', [header, nodeLine(file('/a', -1))]],
  ['half a byte', [header, nodeLine(file('/a', 0.5))]],
  ['more bytes than there are', [header, ...['/a', '/b'].map((path) => nodeLine(file(path, Number.MAX_SAFE_INTEGER)))]],
  ['a line that is too long', [header, JSON.stringify({ struct_type: 'node', x: 'x'.repeat(300_000) })]],
]

test.for(bad)('a listing with %s is refused, and the index stays as it was', async ([, lines]) => {
  const { folder, index, repository, store, ids } = await scene()
  await store('before', home)
  const good = lines.length > 1 ? [...lines.slice(0, 1), nodeLine(file('/good', 1)), ...lines.slice(1)] : lines
  await expect(index.store(repository, { id: 'one', time: 9 }, packed(good))).rejects.toMatchObject({
    code: 'bad_listing',
  })
  expect(await ids()).toEqual(['before'])
  expect((await index.search(repository, { text: 'good', limit: 5 })).items).toEqual([])
  expect(readdirSync(join(folder, '.incoming'))).toEqual([])
  expect(await store('one', home)).toMatchObject({ files: 2 })
})

test('what is no gzip, or ends too early, is refused', async () => {
  const { index, repository } = await scene()
  const whole = gzipSync(`${header}\n${nodeLine(file('/a'))}\n`)
  for (const bytes of [Buffer.from('{}'), whole.subarray(0, -9), Buffer.concat([whole.subarray(0, 20), whole])])
    await expect(index.store(repository, { id: 'one', time: 1 }, Readable.from([bytes]))).rejects.toMatchObject({
      code: 'bad_listing',
    })
  const parts = [gzipSync(`${header}\n`), gzipSync(nodeLine(file('/a')))]
  expect(await index.store(repository, { id: 'one', time: 1 }, Readable.from(parts))).toMatchObject({ files: 1 })
})

test('a stream that breaks off stores nothing', async () => {
  const { index, repository, ids } = await scene()
  const broken = Readable.from(
    (async function* () {
      yield gzipSync(header)
      throw new Error('the connection is gone')
    })(),
  )
  await expect(index.store(repository, { id: 'one', time: 1 }, broken)).rejects.toThrow('the connection is gone')
  expect(await ids()).toEqual([])
})

test('more than an index takes is refused: files, bytes, unpacked bytes, and the file itself', async () => {
  const some = [header, ...Array.from({ length: 200 }, (_, n) => nodeLine(file(`/a file ${n}`)))]
  for (const bounds of [{ nodes: 199 }, { packedBytes: 100 }, { unpackedBytes: 10_000 }]) {
    const { index, repository } = await scene(bounds)
    await expect(index.store(repository, { id: 'one', time: 1 }, packed(some))).rejects.toMatchObject({
      code: 'too_large',
    })
  }
  const full = await scene({ fileBytes: 40_000 })
  await expect(full.index.store(full.repository, { id: 'one', time: 1 }, packed(some))).rejects.toMatchObject({
    code: 'disk_full',
  })
  expect(await full.ids()).toEqual([])
  const jumping = await scene({ jumps: 100 })
  const jumps = Array.from({ length: 60 }, (_, n) => file(`/${n % 2}/x/${n}`))
  await expect(jumping.store('one', jumps)).rejects.toMatchObject({ code: 'bad_listing' })
})

test('a listing ends where the disk has to keep its room, also when it had enough at the beginning', async () => {
  const { bavail, bsize } = statfsSync(tmpdir())
  const { index, repository, ids } = await scene({ reservedBytes: bavail * bsize - 30_000_000 })
  let sent = 0
  const endless = Readable.from(
    (async function* () {
      for (; sent < 400_000_000; sent += 1_000_000) yield randomBytes(1_000_000)
    })(),
  )
  await expect(index.store(repository, { id: 'one', time: 1 }, endless)).rejects.toMatchObject({ code: 'disk_full' })
  expect(sent).toBeLessThan(400_000_000)
  expect(await ids()).toEqual([])
})

test('a missing index has no snapshots, and says so', async () => {
  const { file: path, names, ids } = await scene()
  expect(await ids()).toEqual([])
  await expect(names('one', '/')).rejects.toMatchObject({ code: 'not_indexed' })
  expect(existsSync(path)).toBe(false)
})

const damages: [what: string, damage: (path: string) => void][] = [
  ['is something else', (path) => writeFileSync(path, 'this is no database'.repeat(1000))],
  ['lacks its end', (path) => truncateSync(path, 4096 * 3)],
  ['is of another version', (path) => new SQLite(path).exec('PRAGMA user_version = 99').close()],
]

test.for(damages)('an index that %s can be removed and made again', async ([, damage]) => {
  const { folder, index: before, repository, file: path, store } = await scene()
  const many = Array.from({ length: 3000 }, (_, n) => file(`/f${n}`))
  await store('one', home)
  await store('two', many)
  await before.stop()
  damage(path)

  const index = new SnapshotIndex(folder)
  onTestFinished(() => index.stop())
  const page = () => index.folder(repository, { snapshotId: 'two', path: '/', limit: 1 })
  const storeAgain = (id: string) => index.store(repository, { id, time: 5 }, listing(id, many))
  await expect(page()).rejects.toMatchObject({ code: 'damaged' })
  await expect(storeAgain('three')).rejects.toMatchObject({ code: 'damaged' })
  await index.removeRepository(repository)
  expect(existsSync(path)).toBe(false)
  expect(await index.indexed(repository)).toEqual([])
  expect(await storeAgain('two')).toMatchObject({ files: 3000 })
  expect(await page()).toMatchObject({ counts: { files: 3000 } })
})

test('a repository is removed while it is read, and others are not touched', async () => {
  const { index, repository, store, names, folder } = await scene()
  const other = '00000000-0000-4000-8000-000000000000'
  await store('one', home)
  await index.store(other, { id: 'one', time: 1 }, listing('one', home))
  await names('one', '/')
  await Promise.all([index.removeRepository(repository), names('one', '/').catch(() => {})])
  await expect(names('one', '/')).rejects.toMatchObject({ code: 'not_indexed' })
  await store('two', [file('/new')])
  expect(await names('two', '/')).toEqual(['new'])
  expect(await index.indexed(other)).toMatchObject([{ id: 'one', files: 2 }])
  await expect(index.indexed('../x')).rejects.toThrow('No repository')
  expect(readdirSync(folder).filter((name) => name.endsWith('.db'))).toHaveLength(2)
})
