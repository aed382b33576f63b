import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeQuickRepository, quickPassword } from '../../../agent/testing/quick-repository.ts'
import { restic, scratchFolder } from '../../../agent/testing/restic.ts'
import { bringUpToDate, copyingFrom } from '../../../shared/node/restic-copy.ts'
import type { RunThere } from '../../../shared/node/restic-maintenance.ts'
import { type ResticRepository, runRestic } from '../../../shared/node/restic-run.ts'
import { isThorough } from '../../../test/helpers/thorough.ts'
import { repairRepository } from './repair-repository.ts'

/** A damaged repository and its second copy, with the real restic. */

async function scene() {
  const folder = scratchFolder()
  const [own, copy] = [join(folder, 'own'), join(folder, 'copy')]
  for (const folder of [own, copy]) makeQuickRepository(folder)
  const client = restic(own, quickPassword)
  const source = join(folder, 'work')
  mkdirSync(source)
  const ids: string[] = []
  for (const name of ['one', 'two']) {
    writeFileSync(join(source, name), randomBytes(400_000))
    await client.ok('backup', source)
  }
  for (const { id } of JSON.parse(await client.ok('snapshots', '--json')) as { id: string }[]) ids.push(id)
  const runner = { file: process.env.RESTIC_PATH ?? 'restic', folder: join(folder, 'runs'), cacheFolder: null }
  const at = (url: string, password: string): ResticRepository => ({ url, password, env: {}, options: [] })
  const run = (repository: ResticRepository): RunThere => {
    return (args, listeners) => runRestic(runner, repository, args, AbortSignal.timeout(120_000), listeners)
  }
  const [first, second] = [at(own, quickPassword), at(copy, quickPassword)]
  const runs = { source: run(first), copy: run(second), both: run(copyingFrom(first, second)) }
  const wish = { isNew: true, resticId: null, copy: ids, forget: [], readBack: null }
  const { snapshots } = await bringUpToDate(runs, wish, () => {})
  const pairs = new Map(snapshots.map(({ id, original }) => [id, original]))
  const repair = (wish: { pairs?: typeof pairs; wanted?: ReadonlySet<string> } = {}) =>
    repairRepository(
      {
        ...{ repository: run(first), copy: run(second), back: run(copyingFrom(second, first)), folder: own },
        ...{ aside: join(folder, 'aside'), onlyHost: hostname() },
      },
      { pairs, wanted: new Set(ids), ...wish },
    )
  /** As restic brings a snapshot, and nothing else. */
  const copyBackOnly = async (id: string) => {
    const [copyId = ''] = [...pairs].find(([, original]) => original === id) ?? []
    expect((await run(copyingFrom(second, first))(['copy', copyId])).code).toBe(0)
  }
  const packs = () =>
    readdirSync(join(own, 'data'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  const idsNow = async () =>
    (JSON.parse(await client.ok('snapshots', '--json')) as { id: string }[]).map(({ id }) => id)
  return { folder, own, copy, client, ids, pairs, repair, packs, idsNow, source, copyBackOnly }
}

const byLength = (one: string, other: string) => readFileSync(other).length - readFileSync(one).length

// For a pack that is not there, restic asks for three quarters of a minute.
test.each(isThorough ? ['damaged', 'missing'] : ['damaged'])(
  'a pack that is %s is put back from the second copy, and snapshots keep their ids',
  async (how) => {
    const { folder, client, ids, repair, packs, idsNow, source } = await scene()
    const [pack = ''] = packs().toSorted(byLength)
    if (how === 'missing') rmSync(pack)
    else writeFileSync(pack, randomBytes(1000), { flag: 'r+' })
    expect((await client.run('check', '--read-data')).code).not.toBe(0)
    const damaged = how === 'missing' ? 0 : 1
    expect(await repair()).toEqual({ damaged, snapshots: 2, renamed: new Map(), left: null })
    expect(existsSync(join(folder, 'aside'))).toBe(false)
    expect(await idsNow()).toEqual(ids)
    await client.ok('check', '--read-data')
    const target = join(folder, 'back')
    await client.ok('restore', ids[1] ?? '', '--target', target)
    for (const name of ['one', 'two'])
      expect(readFileSync(join(target, source, name)).equals(readFileSync(join(source, name)))).toBe(true)
  },
)

test('a repository that is well stays as it is', async () => {
  const { repair, packs, idsNow, ids } = await scene()
  const before = packs()
  expect(await repair()).toEqual({ damaged: 0, snapshots: 0, renamed: new Map(), left: null })
  expect([packs(), await idsNow()]).toEqual([before, ids])
})

test('what the second copy does not have stays damaged and is said, and without the second copy nothing is touched', async () => {
  const { copy, repair, packs, pairs, ids, idsNow } = await scene()
  for (const pack of packs()) writeFileSync(pack, randomBytes(1000), { flag: 'r+' })
  const before = packs()
  rmSync(`${copy}/config`)
  await expect(repair()).rejects.toThrow('not there')
  expect([packs(), await idsNow()]).toEqual([before, ids])
  expect(pairs.size).toBe(2)
})

const lose = {
  deleted: (file: string) => rmSync(file),
  damaged: (file: string) => flip(file, 40),
  empty: (file: string) => writeFileSync(file, ''),
}

/** As a bad disk does it. */
function flip(file: string, at: number): void {
  const content = readFileSync(file)
  content[at] = (content[at] ?? 0) ^ 1
  rmSync(file)
  writeFileSync(file, content)
}

test.each(Object.entries(lose))(
  'a snapshot whose file is %s is there again under a new id, with its files and what says when and where it was made',
  async (_, harm) => {
    const { folder, own, client, ids, pairs, repair, idsNow, source } = await scene()
    const [one = '', two = ''] = ids
    const [before] = JSON.parse(await client.ok('snapshots', '--json', one)) as [{ time: string; tags?: string[] }]
    harm(join(own, 'snapshots', one))
    const { renamed, ...outcome } = await repair()
    expect(outcome).toEqual({ damaged: 1, snapshots: 2, left: null })
    const newId = renamed.get(one) ?? ''
    expect([...renamed.keys()]).toEqual([one])
    expect((await idsNow()).sort()).toEqual([newId, two].sort())
    const [{ time, tags }] = JSON.parse(await client.ok('snapshots', '--json', newId)) as [typeof before]
    expect({ time, tags }).toEqual({ time: before.time, tags: before.tags })
    await client.ok('check', '--read-data')
    const target = join(folder, 'back')
    await client.ok('restore', newId, '--target', target)
    expect(readFileSync(join(target, source, 'one')).equals(readFileSync(join(source, 'one')))).toBe(true)
    // Lost once more, the copy brings it once more.
    harm(join(own, 'snapshots', newId))
    const now = new Map([...pairs].map(([copyId, id]) => [copyId, renamed.get(id) ?? id]))
    const again = await repair({ pairs: now, wanted: new Set([newId, two]) })
    expect(again).toMatchObject({ left: null, renamed: new Map([[newId, expect.any(String)]]) })
    expect(await idsNow()).toHaveLength(2)
  },
)

/** Of everything else that a repository is made of. */
const harms: Record<string, (own: string, packs: string[]) => void> = {
  'a list of folders that is damaged': (_, packs) => flip(packs.at(-1) ?? '', 40),
  'a pack whose end is damaged': (_, packs) => flip(packs[0] ?? '', readFileSync(packs[0] ?? '').length - 20),
  'a pack that is cut off': (_, packs) => truncateSync(packs[0] ?? '', 100_000),
  'a damaged index': (own) => flip(anyIn(own, 'index'), 40),
  'no index': (own) => rmSync(join(own, 'index'), { recursive: true }),
  'a damaged key': (own) => flip(anyIn(own, 'keys'), 300),
  'no key': (own) => rmSync(anyIn(own, 'keys')),
  'a damaged configuration': (own) => flip(join(own, 'config'), 30),
  'an empty configuration': (own) => writeFileSync(join(own, 'config'), ''),
  'no configuration': (own) => rmSync(join(own, 'config')),
  nothing: (own) => rmSync(own, { recursive: true }),
}

const anyIn = (own: string, kind: string) => join(own, kind, readdirSync(join(own, kind))[0] ?? '')

test.each(Object.entries(harms))('of a repository with %s everything is back', async (_, harm) => {
  const { folder, own, client, ids, repair, idsNow, packs, source } = await scene()
  harm(own, packs().toSorted(byLength))
  expect((await client.run('check', '--read-data')).code).not.toBe(0)
  const { renamed, left } = await repair()
  expect(left).toBeNull()
  expect((await idsNow()).sort()).toEqual(ids.map((id) => renamed.get(id) ?? id).sort())
  await client.ok('check', '--read-data')
  const target = join(folder, 'back')
  await client.ok('restore', renamed.get(ids[1] ?? '') ?? ids[1] ?? '', '--target', target)
  for (const name of ['one', 'two'])
    expect(readFileSync(join(target, source, name)).equals(readFileSync(join(source, name)))).toBe(true)
  await client.ok('backup', source)
  expect(await repair({ wanted: new Set(await idsNow()) }), 'once is enough').toMatchObject({ damaged: 0, left: null })
})

test('a repository that opens with another password only is not made anew', async () => {
  const { own, client, folder, repair } = await scene()
  const file = join(folder, 'another')
  writeFileSync(file, 'another')
  const former = readdirSync(join(own, 'keys'))[0] ?? ''
  await client.ok('key', 'add', '--new-password-file', file)
  rmSync(join(own, 'keys', former))
  const before = readdirSync(own, { recursive: true })
  await expect(repair()).rejects.toThrow('Repository key rejected')
  expect(readdirSync(own, { recursive: true })).toEqual(before)
})

test('a snapshot that has expired and is gone does not come back', async () => {
  const { own, ids, repair, idsNow } = await scene()
  const [one = '', two = ''] = ids
  rmSync(join(own, 'snapshots', one))
  expect(await repair({ wanted: new Set([two]) })).toMatchObject({ damaged: 0, left: null })
  expect(await idsNow()).toEqual([two])
})

test('a lost snapshot that the second copy does not have is said to be missing', async () => {
  const { own, ids, pairs, repair, idsNow } = await scene()
  const [one = '', two = ''] = ids
  rmSync(join(own, 'snapshots', one))
  const others = new Map([...pairs].filter(([, id]) => id !== one))
  expect(await repair({ pairs: others })).toMatchObject({ damaged: 1, left: 'Snapshots are missing' })
  expect(await idsNow()).toEqual([two])
})

test('snapshots that a killed repair has put aside are back first', async () => {
  const { folder, own, repair, ids, idsNow } = await scene()
  const aside = join(folder, 'aside', 'snapshots')
  mkdirSync(aside, { recursive: true })
  writeFileSync(join(aside, ids[0] ?? ''), readFileSync(join(own, 'snapshots', ids[0] ?? '')))
  rmSync(join(own, 'snapshots', ids[0] ?? ''))
  expect(await repair()).toMatchObject({ left: null })
  expect(await idsNow()).toEqual(ids)
})

test('a snapshot that a killed repair has brought and not removed stands in the way of nothing', async () => {
  const { own, client, ids, repair, idsNow, packs, copyBackOnly } = await scene()
  const [one = ''] = ids
  const file = join(own, 'snapshots', one)
  const content = readFileSync(file)
  rmSync(file)
  await copyBackOnly(one)
  writeFileSync(file, content)
  expect(await idsNow()).toHaveLength(3)
  for (const pack of packs()) flip(pack, 100)
  expect(await repair()).toMatchObject({ left: null, renamed: new Map() })
  expect((await idsNow()).sort()).toEqual([...ids].sort())
  await client.ok('check', '--read-data')
})
