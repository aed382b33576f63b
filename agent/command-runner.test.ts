import { expect, test } from 'vitest'
import { createCommandRunner } from './command-runner.ts'
import { type Command, completed } from './commands/command.ts'
import { openJournal } from './journal.ts'
import { createLog } from './log.ts'
import { eventually, makeFolder } from './testing/scene.ts'

/** A runner with one command that runs until it is released, and one that may skip the queue. */
async function makeRunner() {
  const log = createLog({ write: () => {} })
  const journal = openJournal(await makeFolder(), log)
  const begun: string[] = []
  const letGo = new Map<string, () => void>()
  const wait: Command = {
    name: 'wait',
    execute: (_, { id, signal }) =>
      new Promise((resolve) => {
        begun.push(id)
        const end = () => resolve(completed())
        letGo.set(id, end)
        signal.addEventListener('abort', end)
      }),
  }
  const urgent: Command = { ...wait, name: 'urgent', isUrgent: true, execute: async () => completed('at once') }
  const runner = createCommandRunner({
    journal,
    log,
    commands: new Map([wait, urgent].map((one) => [one.name, one])),
    report: async (id) => journal.acknowledge(id),
    openOutput: () => ({ push: () => {}, close: () => {} }),
    sendProgress: () => {},
  })
  const submit = (id: string, type = 'wait') => runner.submit({ id, type, payload: {} })
  return { journal, begun, letGo, runner, submit }
}

test('runs ten commands at a time, queues a hundred in order, refuses more, and runs an urgent one at once', async () => {
  const { journal, begun, letGo, runner, submit } = await makeRunner()
  for (let index = 0; index < 111; index += 1) submit(`c${index}`)
  expect(begun).toHaveLength(10)
  await eventually(() => expect(journal.result('c110')).toMatchObject({ status: 'failed', error: 'worker pool full' }))
  submit('now', 'urgent')
  await eventually(() => expect(journal.result('now')?.stdout).toBe('at once'))
  letGo.get('c3')?.()
  await eventually(() => expect(begun.at(-1)).toBe('c10'))
  await runner.stop()
  expect(begun).toHaveLength(11)
  expect(journal.waiting()).toHaveLength(99)
})
