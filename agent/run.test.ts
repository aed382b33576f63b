import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createAuthority } from './testing/certificates.ts'
import { authToken, type FakeServer } from './testing/fake-server.ts'
import { eventually, makeEnrolled, makeServer, startAgent } from './testing/scene.ts'

const command = (type: string, payload: object = {}) => ({ id: randomUUID(), type, payload })
const bash = (content: string, timeoutSeconds = 20) => command('script', { language: 'bash', content, timeoutSeconds })

const resultsOf = (server: FakeServer, id: string) =>
  server.frames.filter((frame) => frame.type === 'command_result' && frame.commandId === id)

async function connectedAgent() {
  const server = await makeServer()
  const stateDir = await makeEnrolled(server)
  const agent = startAgent(stateDir)
  await eventually(() => expect(server.connections).toBe(1))
  return { server, agent, stateDir }
}

test('comes online within seconds, with metrics, and sends its inventory', async () => {
  const { server } = await connectedAgent()
  await eventually(() => expect(server.to('/heartbeat')).not.toEqual([]))
  const [beat] = server.to('/heartbeat')
  expect(beat?.headers.authorization).toBe(`Bearer ${authToken}`)
  expect(beat?.body).toMatchObject({ status: expect.any(String), role: 'agent', hostname: expect.any(String) })
  expect(beat?.body.metrics).toMatchObject({ ramPercent: expect.any(Number), diskPercent: expect.any(Number) })
  expect(Number.isInteger(beat?.body.metrics.ramUsedMb)).toBe(true)
  await eventually(() => expect(server.to('/connections').length + server.to('/software').length).toBeGreaterThan(0))
  expect(server.to('/hardware')[0]).toMatchObject({ method: 'PUT', body: { cpuThreads: expect.any(Number) } })
  expect(server.to('/disks')[0]?.body.disks).toEqual(
    expect.arrayContaining([expect.objectContaining({ mountPoint: expect.any(String) })]),
  )
  expect(server.to('/network')[0]?.body.adapters).toBeInstanceOf(Array)
})

test('a script over the socket streams its output in order while it runs, and sends its result once', async () => {
  const { server, stateDir } = await connectedAgent()
  const [first, second] = [join(stateDir, 'first-heard'), join(stateDir, 'second-heard')]
  const until = (file: string) => `until [ -e '${file}' ]; do sleep 0.05; done`
  const wanted = bash(`echo one; ${until(first)}; echo two >&2; ${until(second)}; echo drei ä 🙂; exit 3`, 120)
  server.send(wanted)
  const outputs = () => server.frames.filter(({ type }) => type === 'command_output')
  await eventually(() => expect(outputs()).toHaveLength(1))
  writeFileSync(first, '')
  await eventually(() => expect(outputs()).toHaveLength(2))
  writeFileSync(second, '')
  const [result] = await eventually(() => {
    expect(resultsOf(server, wanted.id)).toHaveLength(1)
    return resultsOf(server, wanted.id)
  })
  expect(result).toMatchObject({ status: 'failed', exitCode: 3, stdout: 'one\ndrei ä 🙂\n', stderr: 'two\n' })
  expect(outputs()).toEqual([
    { type: 'command_output', commandId: wanted.id, sequence: 0, stream: 'stdout', text: 'one\n' },
    { type: 'command_output', commandId: wanted.id, sequence: 1, stream: 'stderr', text: 'two\n' },
    { type: 'command_output', commandId: wanted.id, sequence: 2, stream: 'stdout', text: 'drei ä 🙂\n' },
  ])
  expect(server.to(`/commands/${wanted.id}/result`)).toEqual([]) // the acknowledgement on the socket was enough
})

test('a result that is not acknowledged on the socket is sent by HTTP until it is accepted', async () => {
  const { server } = await connectedAgent()
  server.acknowledges = false
  let refusals = 0
  server.answer = ({ path }) => (path.endsWith('/result') && refusals++ < 1 ? { status: 503 } : undefined)
  const wanted = bash('echo done')
  server.send(wanted)
  await eventually(() => expect(server.to(`/commands/${wanted.id}/result`)).toHaveLength(2))
  expect(server.to('/result').at(-1)?.body).toMatchObject({ status: 'completed', exitCode: 0, stdout: 'done\n' })
})

test('a command that comes again is not run again, and its result is sent again', async () => {
  const { server } = await connectedAgent()
  const wanted = bash('echo $RANDOM$RANDOM$RANDOM')
  server.send(wanted)
  server.send(wanted)
  await eventually(() => expect(resultsOf(server, wanted.id)).toHaveLength(1))
  // After another command the agent has received the acknowledgement of the first result.
  const another = bash('true')
  server.send(another)
  await eventually(() => expect(resultsOf(server, another.id)).toHaveLength(1))
  server.send(wanted)
  await eventually(() => expect(resultsOf(server, wanted.id)).toHaveLength(2))
  const [first, second] = resultsOf(server, wanted.id)
  expect(second).toEqual(first)
})

test('without a socket, commands come by heartbeat and results go by HTTP', async () => {
  const server = await makeServer()
  server.acceptsSockets = false
  const wanted = bash('echo by heartbeat')
  server.answer = ({ path }) =>
    path.endsWith('/heartbeat') && server.to('/heartbeat').length === 1
      ? { status: 200, body: { commands: [wanted, wanted] } }
      : undefined
  const agent = startAgent(await makeEnrolled(server))
  await eventually(() => expect(server.to('/result')).toHaveLength(1))
  expect(server.to('/result')[0]?.body.stdout).toBe('by heartbeat\n')
  const refusals = (level: string) =>
    agent.lines.filter((line) => line.includes(`${level} socket: the server takes no`))
  await eventually(() => expect(refusals('debug')).not.toEqual([]))
  expect(refusals('warn'), 'said once').toHaveLength(1)
})

test('unknown commands and invalid payloads fail, each with a reason', async () => {
  const { server } = await connectedAgent()
  const unknown = command('unheard_of')
  const unfit = command('script', { language: 'perl' })
  server.send(unknown)
  server.send(unfit)
  await eventually(() => expect(resultsOf(server, unfit.id)).toHaveLength(1))
  expect(resultsOf(server, unknown.id)[0]).toMatchObject({
    status: 'failed',
    error: 'unknown command type: unheard_of',
  })
  expect(resultsOf(server, unfit.id)[0]).toMatchObject({ status: 'failed', error: expect.stringContaining('language') })
})

test('a running script can be cancelled', async () => {
  const { server } = await connectedAgent()
  const wanted = bash('echo started; sleep 60')
  server.send(wanted)
  await eventually(() => expect(server.frames.some(({ text }) => text === 'started\n')).toBe(true))
  const cancel = command('script_cancel', { commandId: wanted.id })
  server.send(cancel)
  await eventually(() => expect(resultsOf(server, wanted.id)).toHaveLength(1))
  expect(resultsOf(server, wanted.id)[0]).toMatchObject({ status: 'failed', error: 'cancelled', stdout: 'started\n' })
  expect(resultsOf(server, cancel.id)[0]).toMatchObject({ status: 'completed' })
})

test('reboot and shutdown use the power switch with their delay, and a delay that is too long fails', async () => {
  const { server, agent } = await connectedAgent()
  const wanted = [command('reboot', { delay: 5 }), command('shutdown'), command('reboot', { delay: 2000 })]
  for (const one of wanted) server.send(one)
  await eventually(() => expect(resultsOf(server, wanted[2]?.id ?? '')).toHaveLength(1))
  expect(agent.orders).toEqual(['reboot 5', 'shutdown 0'])
  expect(wanted.map(({ id }) => resultsOf(server, id)[0]?.status)).toEqual(['completed', 'completed', 'failed'])
})

test('refresh_inventory sends everything again and answers with the counts', async () => {
  const { server } = await connectedAgent()
  const wanted = command('refresh_inventory')
  server.send(wanted)
  await eventually(() => expect(resultsOf(server, wanted.id)).toHaveLength(1))
  const result = resultsOf(server, wanted.id)[0]
  expect(JSON.parse(result.stdout)).toMatchObject({ hardware: 1, disks: expect.any(Number) })
})

test('self_uninstall answers, deletes the state and ends the agent', async () => {
  const { server, agent, stateDir } = await connectedAgent()
  const wanted = command('self_uninstall', { removeConfig: true })
  server.send(wanted)
  await agent.done
  expect(resultsOf(server, wanted.id)[0]).toMatchObject({ status: 'completed', durationMs: expect.any(Number) })
  expect(existsSync(stateDir)).toBe(false)
})

test('after a restart of the server it is back within seconds', async () => {
  const { server } = await connectedAgent()
  await eventually(() => expect(server.to('/heartbeat')).toHaveLength(1))
  await server.stop()
  await new Promise((resolve) => setTimeout(resolve, 2000))
  await server.start()
  await eventually(() => expect(server.connections).toBe(2))
  const wanted = bash('echo again')
  server.send(wanted)
  await eventually(() => expect(resultsOf(server, wanted.id)[0]?.stdout).toBe('again\n'))
})

test('malformed and unknown frames are ignored', async () => {
  const { server, agent } = await connectedAgent()
  for (const frame of ['text', 7, null, [], {}, { type: 'ack' }, { type: 'nonsense', id: 'x' }, { type: 'error' }]) {
    server.send(frame)
  }
  server.send({ type: 'ping' })
  await eventually(() => expect(server.frames.at(-1)).toMatchObject({ type: 'pong' }))
  expect(server.connections).toBe(1)
  expect(agent.lines.join('')).not.toContain(authToken)
})

test('a second agent with the same state folder is refused', async () => {
  const server = await makeServer()
  const stateDir = await makeEnrolled(server)
  startAgent(stateDir)
  await eventually(() => expect(server.connections).toBe(1))
  await expect(startAgent(stateDir).done).rejects.toThrow('already running')
})

test('learns the next authority from a heartbeat and follows the appliance to it', async () => {
  const [now, next] = await Promise.all([createAuthority('Homeport CA now'), createAuthority('Homeport CA next')])
  const tls = { ...(await now.issue(['127.0.0.1'])), caPem: now.pem }
  const server = await makeServer(tls)
  server.answer = ({ path, body }) =>
    path.endsWith('/heartbeat') && !body.trustFingerprints.includes(next.fingerprint)
      ? { status: 200, body: { commands: [], trust: { caPem: `${now.pem}\n${next.pem}` } } }
      : undefined
  const stateDir = await makeEnrolled(server)
  const caFile = join(stateDir, 'ca.pem')
  writeFileSync(caFile, now.pem)
  startAgent(stateDir)
  await eventually(() => expect(readFileSync(caFile, 'utf8').match(/BEGIN/g)).toHaveLength(2))
  expect(server.to('/api/v1/health')).toHaveLength(1)

  await server.stop()
  Object.assign(tls, await next.issue(['127.0.0.1']))
  await server.start()
  await eventually(() => expect(server.connections).toBe(2))
  await eventually(() => {
    expect(server.to('/heartbeat').at(-1)?.body.trustFingerprints).toEqual([now.fingerprint, next.fingerprint])
  })
})
