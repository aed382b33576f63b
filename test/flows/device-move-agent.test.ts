import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readDevice } from '../../shared/api/devices.ts'
import { commander } from '../helpers/commands.ts'
import { eventually } from '../helpers/eventually.ts'
import { listening } from '../helpers/fake-device.ts'
import { startAgentProcess } from '../helpers/real-appliance.ts'
import { deviceRowOf } from '../helpers/rows.ts'
import { moveScene } from './move-kit.ts'

test('the agent on a device that is moved reconnects, finishes its script and beats on', async () => {
  const { app, admin, key, hamburg, move } = await moveScene({ HOMEPORT_HEARTBEAT_SECONDS: '5' })
  await using _ = app
  const origin = await listening(app)
  const folder = mkdtempSync(join(tmpdir(), 'homeport-move-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const agentProcess = (...args: string[]) => {
    const started = startAgentProcess([...args, '--state-dir', join(folder, 'state')])
    onTestFinished(() => started.stop('SIGKILL'))
    return started
  }
  const [, id = ''] =
    /as device (\S+)\./.exec(await agentProcess('enroll', key.key, '--server', origin).saying(/as device \S+\./)) ?? []
  const agent = agentProcess('run')
  await agent.saying('socket: connected')
  const { script, read } = commander(app, admin.token)
  const [begun, go] = [join(folder, 'begun'), join(folder, 'go')]
  const running = (await script(id, `touch ${begun}; until [ -e ${go} ]; do sleep 0.05; done; echo done`)).body.id
  await eventually(() => expect(existsSync(begun)).toBe(true))

  expect((await move(id)).status).toBe(200)

  await agent.saying(/moved to another organization[\s\S]*socket: connected/)
  writeFileSync(go, '')
  await eventually(async () =>
    expect(await read(id, running)).toMatchObject({ status: 'completed', result: { exitCode: 0, stdout: 'done\n' } }),
  )
  app.clock.advance(60_000)
  const from = new Date(app.clock.now()).toISOString()
  await eventually(() => expect(deviceRowOf(app, id)?.last_seen_at).toBe(from))
  const { body } = await app.call(readDevice, { params: { id } }, { token: admin.token })
  expect(body).toMatchObject({ orgId: hamburg.org.id, status: 'online', isConnected: true })
})
