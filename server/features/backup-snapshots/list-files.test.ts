import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeQuickRepository, quickPassword } from '../../../agent/testing/quick-repository.ts'
import { restic, scratchFolder } from '../../../agent/testing/restic.ts'
import { findInstalledRestic } from '../../../shared/node/restic.ts'
import type { ResticEnd } from '../../../shared/node/restic-refusals.ts'
import { runRestic } from '../../../shared/node/restic-run.ts'
import type { OpenRepository } from '../backup-engine/index.ts'
import { SnapshotIndex } from '../snapshot-index/index.ts'
import { listFiles } from './list-files.ts'

const repositoryId = '00000000-0000-4000-8000-000000000000'

test('restic is read to its end although the list is too long to be taken', async () => {
  const [folder, source] = [join(scratchFolder(), 'repository'), scratchFolder()]
  makeQuickRepository(folder)
  for (let n = 0; n < 1500; n++) writeFileSync(join(source, `${'x'.repeat(150)}${n}`), '')
  const engine = restic(folder, quickPassword)
  await engine.ok('backup', source)
  const [snapshot] = JSON.parse(await engine.ok('snapshots', '--json')) as [{ id: string }]
  const file = (await findInstalledRestic(process.env))?.file ?? ''
  const ends: ResticEnd[] = []
  const repository: OpenRepository = {
    run: async (args, signal, listeners) => {
      const runner = { file, folder: scratchFolder(), cacheFolder: null }
      const end = await runRestic(
        runner,
        { url: folder, password: quickPassword, env: {}, options: [] },
        args,
        signal,
        listeners,
      )
      ends.push(end)
      return end
    },
    refusalFor: ({ stderr }) => {
      throw new Error(stderr)
    },
  }
  const index = new SnapshotIndex(scratchFolder(), { packedBytes: 1000 })
  onTestFinished(() => index.stop())
  const { signal } = new AbortController()
  const row = { snapshot_id: snapshot.id, timestamp: '2026-03-01T09:00:00.000Z' }
  await expect(listFiles(repository, index, repositoryId, row, signal)).rejects.toMatchObject({ code: 'too_large' })
  expect(ends).toMatchObject([{ code: 0, signal: null }])
  expect(readdirSync(join(folder, 'locks'))).toEqual([])
  expect(await index.isIndexed(repositoryId, snapshot.id)).toBe(false)
})
