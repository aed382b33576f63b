import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeQuickRepository, quickPassword } from '../../agent/testing/quick-repository.ts'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import { atLength } from '../../test/helpers/thorough.ts'
import { bringUpToDate, copyingFrom } from './restic-copy.ts'
import type { RunThere } from './restic-maintenance.ts'
import { type ResticRepository, runRestic } from './restic-run.ts'

/** A second copy with the real restic, one snapshot of which seems to lack a file. */

async function scene() {
  const folder = scratchFolder()
  const [own, copy, source] = [join(folder, 'own'), join(folder, 'copy'), join(folder, 'work')]
  for (const repository of [own, copy]) makeQuickRepository(repository)
  mkdirSync(source)
  const client = restic(own, quickPassword)
  for (const name of ['one', 'two']) {
    writeFileSync(join(source, name), randomBytes(1000))
    await client.ok('backup', source)
  }
  const ids = (JSON.parse(await client.ok('snapshots', '--json')) as { id: string }[]).map(({ id }) => id)
  const runner = { file: process.env.RESTIC_PATH ?? 'restic', folder: join(folder, 'runs'), cacheFolder: null }
  const at = (url: string): ResticRepository => ({ url, password: quickPassword, env: {}, options: [] })
  const run = (repository: ResticRepository): RunThere => {
    return (args, listeners) => runRestic(runner, repository, args, AbortSignal.timeout(120_000), listeners)
  }
  const runs = { source: run(at(own)), copy: run(at(copy)), both: run(copyingFrom(at(own), at(copy))) }
  const sync = (other: RunThere = runs.copy) => {
    const wish = { isNew: true, resticId: null, copy: ids, forget: [], readBack: null }
    return bringUpToDate({ ...runs, copy: other }, wish, () => {})
  }
  const copiesNow = async () =>
    JSON.parse(await restic(copy, quickPassword).ok('snapshots', '--json')) as { id: string; original: string }[]
  /** Restic in the copy, which does not list a file of the snapshot of two. */
  const forgetful: RunThere = (args, listeners) =>
    args[0] === 'ls'
      ? runs.copy(args, {
          ...listeners,
          onJson: (value) => {
            if ((value as { name?: unknown }).name !== 'two') listeners?.onJson?.(value)
          },
        })
      : runs.copy(args, listeners)
  return { ids, sync, copiesNow, forgetful }
}

test('a copy that has other files than its original is taken out and said, and made again the next time', async () => {
  const { ids, sync, copiesNow, forgetful } = await scene()
  const differing = await sync(forgetful)
  expect(differing.manifests).toMatchObject([
    { snapshotId: ids[0], isSame: true, files: 1 },
    { snapshotId: ids[1], isSame: false, files: 1 },
  ])
  expect(differing.snapshots).toMatchObject([{ original: ids[0] }])
  expect(await copiesNow()).toMatchObject([{ original: ids[0] }])
  const again = await sync()
  expect(again.manifests).toMatchObject([{ isSame: true }, { isSame: true, files: 2 }])
  expect(again.snapshots).toMatchObject([{ original: ids[0] }, { original: ids[1] }])
})

atLength('what was there already, but was never compared, is compared as well', async () => {
  const { ids, sync, copiesNow, forgetful } = await scene()
  await sync()
  const before = await copiesNow()
  expect((await sync()).manifests).toMatchObject([{ isSame: true }, { isSame: true }])
  expect(await copiesNow(), 'nothing is copied again').toEqual(before)
  expect((await sync(forgetful)).snapshots).toMatchObject([{ original: ids[0] }])
})
