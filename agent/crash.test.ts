import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FakeServer } from './testing/fake-server.ts'
import { eventually, makeEnrolled, makeFolder, makeServer, spawnAgent } from './testing/scene.ts'

const bash = (content: string) => ({
  id: randomUUID(),
  type: 'script',
  payload: { language: 'bash', content, timeoutSeconds: 30 },
})

/** Every result of this command that reached the server, by socket or by HTTP. */
const resultsOf = (server: FakeServer, id: string) => [
  ...server.frames.filter((frame) => frame.type === 'command_result' && frame.commandId === id),
  ...server.to(`/commands/${id}/result`).map(({ body }) => body),
]

test('an agent killed in the middle of a script reports that after the restart and runs nothing twice', async () => {
  const server = await makeServer()
  const stateDir = await makeEnrolled(server)
  const marks = await makeFolder()
  const wanted = bash(`echo run >> ${marks}/log; touch ${marks}/$(date +%N); echo $$ > ${marks}/pid; sleep 10`)
  const first = spawnAgent(['run', '--state-dir', stateDir])
  await eventually(() => expect(server.connections).toBe(1))
  server.send(wanted)
  await eventually(() => expect(existsSync(join(marks, 'pid'))).toBe(true))
  first.child.kill('SIGKILL')
  await first.exit
  expect(resultsOf(server, wanted.id)).toEqual([])

  spawnAgent(['run', '--state-dir', stateDir])
  await eventually(() => expect(resultsOf(server, wanted.id)).toHaveLength(1))
  expect(resultsOf(server, wanted.id)[0]).toMatchObject({
    status: 'failed',
    error: 'agent restarted while the command was running',
  })
  const journal = join(stateDir, 'journal')
  const written = () => readdirSync(journal).map((name) => readFileSync(join(journal, name), 'utf8'))
  await eventually(() => expect(written().join()).toContain('"state":"reported"'))
  server.send(wanted)
  await eventually(() => expect(resultsOf(server, wanted.id)).toHaveLength(2))
  expect(readdirSync(marks)).toHaveLength(3) // log, pid and the mark of a single run
  expect(readdirSync(join(stateDir, 'scripts'))).toEqual([])
})

test('an agent killed before the server had a result delivers it after the restart', async () => {
  const server = await makeServer()
  server.acknowledges = false
  server.answer = ({ path }) => (path.endsWith('/result') ? { status: 503 } : undefined)
  const stateDir = await makeEnrolled(server)
  const wanted = bash('echo precious')
  const first = spawnAgent(['run', '--state-dir', stateDir])
  await eventually(() => expect(server.connections).toBe(1))
  server.send(wanted)
  await eventually(() => expect(resultsOf(server, wanted.id)).not.toEqual([]))
  first.child.kill('SIGKILL')
  await first.exit

  server.frames.length = 0
  server.heard.length = 0
  server.answer = () => undefined
  server.acknowledges = true
  spawnAgent(['run', '--state-dir', stateDir])
  await eventually(() => expect(resultsOf(server, wanted.id)).toHaveLength(1))
  expect(resultsOf(server, wanted.id)[0]).toMatchObject({ status: 'completed', stdout: 'precious\n' })
})

test('commands that were queued when the agent was killed run after the restart', async () => {
  const server = await makeServer()
  const stateDir = await makeEnrolled(server)
  const running = Array.from({ length: 10 }, () => bash('sleep 10'))
  const waiting = bash('echo my turn')
  const first = spawnAgent(['run', '--state-dir', stateDir])
  await eventually(() => expect(server.connections).toBe(1))
  for (const one of [...running, waiting]) server.send(one)
  const journaled = () => readdirSync(join(stateDir, 'journal')).filter((name) => name.endsWith('.json'))
  await eventually(() => expect(journaled()).toHaveLength(11)) // drafts are not in it yet
  first.child.kill('SIGKILL')
  await first.exit

  spawnAgent(['run', '--state-dir', stateDir])
  await eventually(() => expect(resultsOf(server, waiting.id)[0]).toMatchObject({ stdout: 'my turn\n' }))
  await eventually(() =>
    expect(running.map(({ id }) => resultsOf(server, id)[0]?.status)).toEqual(Array(10).fill('failed')),
  )
})

test('a reboot that ends the agent before it can answer is reported as completed after the restart', async () => {
  const server = await makeServer()
  const stateDir = await makeEnrolled(server)
  // Stands in for the tool of the system: leaves a mark and does not return, as when the machine goes down.
  const tools = await makeFolder()
  writeFileSync(join(tools, 'shutdown'), `#!/bin/sh\necho "$@" > ${tools}/asked\nexec sleep 4\n`, { mode: 0o755 })
  const wanted = { id: randomUUID(), type: 'reboot', payload: { delay: 0 } }
  const first = spawnAgent(['run', '--state-dir', stateDir], tools)
  await eventually(() => expect(server.connections).toBe(1))
  server.send(wanted)
  await eventually(() => expect(existsSync(join(tools, 'asked'))).toBe(true))
  first.child.kill('SIGKILL')
  await first.exit

  spawnAgent(['run', '--state-dir', stateDir], tools)
  await eventually(() => expect(resultsOf(server, wanted.id)[0]).toMatchObject({ status: 'completed' }))
})

test('on a signal to stop the agent ends running commands, reports them and exits with code 0', async () => {
  const server = await makeServer()
  const stateDir = await makeEnrolled(server)
  const agent = spawnAgent(['run', '--state-dir', stateDir])
  await eventually(() => expect(server.connections).toBe(1))
  const wanted = bash('echo started; sleep 10')
  server.send(wanted)
  await eventually(() => expect(server.frames.some(({ text }) => text === 'started\n')).toBe(true))
  agent.child.kill('SIGTERM')
  expect(await agent.exit).toBe(0)
  expect(resultsOf(server, wanted.id)[0]).toMatchObject({
    status: 'failed',
    error: 'the agent was stopped while the command was running',
  })
})
