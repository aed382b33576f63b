import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openJournal } from './journal.ts'
import { createLog } from './log.ts'
import { makeFolder } from './testing/scene.ts'

const log = createLog({ write: () => {} })
const directive = (id: string) => ({ id, type: 'script', payload: { content: 'echo secret' } })
const done = { status: 'completed' as const, exitCode: 0, stdout: 'ok' }

test('remembers every step of a command over a restart', async () => {
  const folder = await makeFolder()
  const before = openJournal(folder, log)
  for (const id of ['accepted', 'running', 'finished', 'reported']) before.accept(directive(id))
  for (const id of ['running', 'finished', 'reported']) before.start(id)
  for (const id of ['finished', 'reported']) before.finish(id, done)
  before.acknowledge('reported')

  const after = openJournal(folder, log)
  expect(after.waiting()).toEqual([directive('accepted')])
  expect(after.interrupted().map(({ id }) => id)).toEqual(['running'])
  expect(after.unreported()).toEqual(['finished'])
  expect(after.result('finished')).toEqual(done)
  expect(after.state('reported')).toBe('reported')
  expect(after.state('never seen')).toBeUndefined()
})

test('deletes the payload of a command once it has run', async () => {
  const folder = await makeFolder()
  const journal = openJournal(folder, log)
  journal.accept(directive('a'))
  journal.finish('a', done)
  expect(
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join(),
  ).not.toContain('secret')
})

test('keeps the last 200 reported commands of the last seven days, and all others', async () => {
  const folder = await makeFolder()
  const day = 86_400_000
  let now = 0
  const journal = openJournal(folder, log, () => now)
  journal.accept(directive('still waiting'))
  for (let index = 0; index < 205; index += 1) {
    now += 1
    journal.accept(directive(`c${index}`))
    journal.finish(`c${index}`, done)
    journal.acknowledge(`c${index}`)
  }
  expect(journal.state('c4')).toBeUndefined()
  expect(journal.state('c5')).toBe('reported')
  const later = openJournal(folder, log, () => now + 8 * day)
  expect(later.state('c204')).toBeUndefined()
  expect(later.waiting()).toHaveLength(1)
  expect(readdirSync(folder)).toHaveLength(1)
})

test('deletes a large result once the server has it, and still knows the command as reported', async () => {
  const journal = openJournal(await makeFolder(), log)
  journal.accept(directive('a'))
  journal.finish('a', { ...done, stdout: 'x'.repeat(100_000) })
  expect(journal.result('a')?.stdout).toHaveLength(100_000)
  journal.acknowledge('a')
  expect(journal.result('a')).toBeUndefined()
  expect(journal.state('a')).toBe('reported')
})

test('keeps the order in which commands came, whatever the clock does', async () => {
  const folder = await makeFolder()
  const times = [1000, 1000, 1000, 500, 400]
  const journal = openJournal(folder, log, () => times.shift() ?? 0)
  const ids = ['a', 'b', 'c', 'd']
  for (const id of ids) journal.accept(directive(id))
  const reopened = openJournal(folder, log, () => 300)
  reopened.accept(directive('e'))
  expect(
    openJournal(folder, log)
      .waiting()
      .map(({ id }) => id),
  ).toEqual([...ids, 'e'])
})

test('a half-written draft and a damaged file do not stop it', async () => {
  const folder = await makeFolder()
  openJournal(folder, log).accept(directive('a'))
  writeFileSync(join(folder, 'abc.json.tmp'), '{"dir')
  writeFileSync(join(folder, 'def.json'), '')
  const journal = openJournal(folder, log)
  expect(journal.waiting()).toEqual([directive('a')])
  expect(readdirSync(folder)).not.toContain('abc.json.tmp')
})

test('ids that are not valid file names are kept, too', async () => {
  const folder = await makeFolder()
  openJournal(folder, log).accept(directive('../../../etc/passwd'))
  expect(openJournal(folder, log).state('../../../etc/passwd')).toBe('accepted')
  expect(readdirSync(folder)).toHaveLength(1)
})
