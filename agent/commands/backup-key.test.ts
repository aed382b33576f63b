import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ResticEngine } from '../../shared/device/backup.ts'
import { makeQuickRepository, quickPassword } from '../testing/quick-repository.ts'
import { restic, scratchFolder } from '../testing/restic.ts'
import { backupKey } from './backup.ts'

/** The passwords of a repository in a folder of the device, with the real restic. */

test('a password is added and the former one removed, each also when it was done before; without a repository nothing is', async () => {
  const folder = scratchFolder()
  const url = join(folder, 'repository')
  const file = process.env.RESTIC_PATH ?? 'restic'
  const command = backupKey({
    programs: { find: async () => ({ file, version: '0.14.0' }), hold: () => () => {} },
    settings: { folder: join(folder, 'runs'), cacheFolder: join(folder, 'cache'), serverUrl: 'http://127.0.0.1' },
    stateDir: folder,
    sendFiles: () => expect.unreachable(),
    authorities: () => undefined,
  })
  const engine: ResticEngine = {
    kind: 'restic',
    repositoryId: randomUUID(),
    place: { at: 'elsewhere', url, env: {}, options: [] },
    password: quickPassword,
    init: false,
    host: randomUUID(),
    tags: [],
  }
  const change = (op: 'add' | 'remove', password: string, opened: string) =>
    command.execute(
      { op, password, engine: { ...engine, password: opened } },
      {
        id: randomUUID(),
        signal: AbortSignal.timeout(60_000),
        output: () => {},
        cancel: () => false,
        progress: () => {},
      },
    )
  const opens = async (password: string) => (await restic(url, password).run('cat', 'config')).code === 0

  expect(await change('add', 'the next', quickPassword)).toMatchObject({ result: { isThere: false } })
  makeQuickRepository(url)
  expect(await change('add', 'the next', 'a wrong one')).toMatchObject({ status: 'failed' })
  const done = { status: 'completed', result: { isThere: true } }
  expect(await change('add', 'the next', quickPassword)).toMatchObject(done)
  expect([await opens(quickPassword), await opens('the next')]).toEqual([true, true])
  expect(await change('add', 'the next', quickPassword)).toMatchObject(done)
  expect(await change('remove', quickPassword, 'the next')).toMatchObject(done)
  expect(await change('remove', quickPassword, 'the next')).toMatchObject(done)
  expect([await opens(quickPassword), await opens('the next')]).toEqual([false, true])
  const keys = JSON.parse(await restic(url, 'the next').ok('key', 'list', '--json')) as object[]
  expect(keys).toHaveLength(1)
}, 120_000)
