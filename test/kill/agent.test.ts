import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readCommand, runScript } from '../../shared/api/commands.ts'
import { readDevice } from '../../shared/api/devices.ts'
import { eventually } from '../helpers/eventually.ts'
import { startAgentProcess } from '../helpers/real-appliance.ts'
import { call, killableAppliance, setUp, showFactor, temporaryDirectory } from './scene.ts'

/** The real agent and the real server, either of them killed while a script is on its way. */

async function scene() {
  const appliance = await killableAppliance()
  const { origin } = appliance
  const { token, key } = await setUp(appliance)
  await showFactor(appliance, token)
  const stateDir = join(temporaryDirectory(), 'state')
  const enrolling = startAgentProcess(['enroll', key.key, '--server', origin, '--state-dir', stateDir])
  const [, deviceId = ''] = /as device (\S+)\./.exec(await enrolling.saying(/as device \S+\./)) ?? []
  await enrolling.stop()

  const startAgent = () => {
    const agent = startAgentProcess(['run', '--state-dir', stateDir])
    onTestFinished(() => agent.stop('SIGKILL'))
    return agent
  }
  const connected = () =>
    eventually(async () =>
      expect(await call(origin, readDevice, { params: { id: deviceId } }, token)).toMatchObject({
        status: 'online',
        isConnected: true,
      }),
    )
  const command = async (commandId: string) =>
    (await call(origin, readCommand, { params: { id: deviceId, commandId } }, token)).data
  const queue = async (content: string) => {
    const script = { language: 'bash', content, timeoutSeconds: 60 } as const
    return (await call(origin, runScript, { params: { id: deviceId }, body: script }, token)).id
  }
  return { appliance, startAgent, connected, command, queue, ...markedScript() }
}

/** A script that leaves one line for every time it is run, and ends when it is let go. */
function markedScript() {
  const marks = temporaryDirectory()
  const file = (name: string) => join(marks, name)
  const lines = () => (existsSync(file('log')) ? readFileSync(file('log'), 'utf8').trim().split('\n').length : 0)
  const letGo = () => writeFileSync(file('go'), '')
  onTestFinished(letGo)
  return {
    lines,
    letGo,
    hasBegun: () => eventually(() => expect(lines()).toBe(1)),
    hasEnded: () => eventually(() => expect(existsSync(file('end'))).toBe(true)),
    script: `echo run >> ${file('log')}
      for i in $(seq 600); do [ -e ${file('go')} ] && break; sleep 0.05; done
      touch ${file('end')}; echo done`,
  }
}

test('a script queued right before the server is killed is delivered once, when server and agent are back', async () => {
  const { appliance, startAgent, connected, command, queue, script, letGo, lines } = await scene()
  letGo()
  startAgent()
  await connected()
  await appliance.kill()
  await appliance.start()
  const id = await queue(script)
  await appliance.kill()
  await appliance.start()
  await eventually(async () =>
    expect(await command(id)).toMatchObject({ status: 'completed', result: { exitCode: 0, stdout: 'done\n' } }),
  )
  await connected()
  expect(lines()).toBe(1)
})

test('a result the agent has while the server is down arrives after its restart', async () => {
  const { appliance, startAgent, connected, command, queue, script, letGo, lines, hasBegun, hasEnded } = await scene()
  startAgent()
  await connected()
  const id = await queue(script)
  await hasBegun()
  await appliance.kill()
  letGo()
  await hasEnded()
  await appliance.start()
  await eventually(async () =>
    expect(await command(id)).toMatchObject({ status: 'completed', result: { exitCode: 0, stdout: 'done\n' } }),
  )
  await connected()
  expect(lines()).toBe(1)
})

test('a script whose agent is killed is not run again, and its command fails with the reason', async () => {
  const { startAgent, connected, command, queue, script, letGo, lines, hasBegun } = await scene()
  const agent = startAgent()
  await connected()
  const id = await queue(script)
  await hasBegun()
  await agent.stop('SIGKILL')
  startAgent()
  await eventually(async () =>
    expect(await command(id)).toMatchObject({
      status: 'failed',
      result: { error: 'agent restarted while the command was running' },
    }),
  )
  await connected()
  letGo()
  expect(lines()).toBe(1)
})
