import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeQuickRepository, quickPassword } from '../../../agent/testing/quick-repository.ts'
import { restic, scratchFolder } from '../../../agent/testing/restic.ts'
import { bringUpToDate, copyingFrom } from '../../../shared/node/restic-copy.ts'
import type { RunThere } from '../../../shared/node/restic-maintenance.ts'
import { type ResticRepository, runRestic } from '../../../shared/node/restic-run.ts'
import { repairRepository } from './repair-repository.ts'

/** A damaged repository and its second copy, with the real restic. */

async function scene() {
  const folder = scratchFolder()
  const [own, copy] = [join(folder, 'own'), join(folder, 'copy')]
  makeQuickRepository(own)
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
  const [first, second] = [at(own, quickPassword), at(copy, 'of the copy')]
  const runs = { source: run(first), copy: run(second), both: run(copyingFrom(first, second)) }
  const wish = { isNew: true, resticId: null, copy: ids, forget: [], readBack: null }
  const { snapshots } = await bringUpToDate(runs, wish, () => {})
  const pairs = new Map(snapshots.map(({ id, original }) => [id, original]))
  const repair = (which = pairs) =>
    repairRepository(
      {
        ...{ repository: run(first), copy: run(second), back: run(copyingFrom(second, first)), folder: own },
        ...{ aside: join(folder, 'aside'), onlyHost: hostname() },
      },
      which,
    )
  const packs = () =>
    readdirSync(join(own, 'data'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  const idsNow = async () =>
    (JSON.parse(await client.ok('snapshots', '--json')) as { id: string }[]).map(({ id }) => id)
  return { folder, own, copy, client, ids, pairs, repair, packs, idsNow, source }
}

const byLength = (one: string, other: string) => readFileSync(other).length - readFileSync(one).length

test('what is damaged or missing is put back from the second copy, and snapshots keep their ids', async () => {
  const { folder, client, ids, repair, packs, idsNow, source } = await scene()
  const [largest = '', next = ''] = packs().toSorted(byLength)
  writeFileSync(largest, randomBytes(1000), { flag: 'r+' })
  rmSync(next)
  expect((await client.run('check', '--read-data')).code).not.toBe(0)
  expect(await repair()).toEqual({ damaged: 1, snapshots: 2, left: null })
  expect(await idsNow()).toEqual(ids)
  await client.ok('check', '--read-data')
  const target = join(folder, 'back')
  await client.ok('restore', ids[1] ?? '', '--target', target)
  for (const name of ['one', 'two'])
    expect(readFileSync(join(target, source, name)).equals(readFileSync(join(source, name)))).toBe(true)
})

test('a repository that is well stays as it is', async () => {
  const { repair, packs, idsNow, ids } = await scene()
  const before = packs()
  expect(await repair()).toEqual({ damaged: 0, snapshots: 0, left: null })
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

test('snapshots that a killed repair has put aside are back first', async () => {
  const { folder, own, repair, ids, idsNow } = await scene()
  const aside = join(folder, 'aside', 'snapshots')
  mkdirSync(aside, { recursive: true })
  writeFileSync(join(aside, ids[0] ?? ''), readFileSync(join(own, 'snapshots', ids[0] ?? '')))
  rmSync(join(own, 'snapshots', ids[0] ?? ''))
  expect(await repair()).toMatchObject({ left: null })
  expect(await idsNow()).toEqual(ids)
})
