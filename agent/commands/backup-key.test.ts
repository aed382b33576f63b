import { expect, test } from 'vitest'
import { commandRun, deviceRepository } from '../testing/device-repository.ts'
import { makeQuickRepository, quickPassword } from '../testing/quick-repository.ts'
import { restic } from '../testing/restic.ts'
import { backupKey } from './backup.ts'

/** The passwords of a repository in a folder of the device, with the real restic. */

test('a password is added and the former one removed, each also when it was done before; without a repository nothing is', async () => {
  const { url, using, engine } = deviceRepository()
  const command = backupKey(using)
  const change = (op: 'add' | 'remove', password: string, opened: string) =>
    command.execute({ op, password, engine: { ...engine, password: opened } }, commandRun())
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
