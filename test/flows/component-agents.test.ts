import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ownPlatform } from '../../server/features/components/own-platform.ts'
import { readComponent } from '../../shared/api/components.ts'
import { eventually } from '../helpers/eventually.ts'
import { company } from '../helpers/factories.ts'
import { listening } from '../helpers/fake-device.ts'
import { startAgentProcess } from '../helpers/real-appliance.ts'
import { formOf, makeSigner } from '../helpers/release.ts'
import { deviceRowOf } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'

/** Real agents on a device without restic. */

const signer = await makeSigner()
const params = { component: 'restic' } as const

async function scene() {
  const RESTIC_PATH = process.env.RESTIC_PATH ?? '/usr/bin/restic'
  const app = await testApp({
    env: { HOMEPORT_HEARTBEAT_SECONDS: '5', RESTIC_PATH },
    releaseKey: signer.publicKey,
  })
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { admin, key } = await company(app)
  await app.app.jobs.runNow('components.take-installed')
  const origin = await listening(app)
  const folder = mkdtempSync(join(tmpdir(), 'homeport-component-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const state = join(folder, 'state')
  const agentProcess = (...args: string[]) => {
    const started = startAgentProcess([...args, '--state-dir', state], { RESTIC_PATH: join(folder, 'no-restic') })
    onTestFinished(() => started.stop('SIGKILL'))
    return started
  }
  const said = await agentProcess('enroll', key.key, '--server', origin).saying(/as device \S+\./)
  const id = /as device (\S+)\./.exec(said)?.[1] ?? ''
  const { programs } = (await app.call(readComponent, { params }, { token: admin.token })).body
  const upload = async (version: string) => {
    const { payload, headers } = formOf(await signer.release(version, [ownPlatform]))
    const url = '/api/v1/system/components/restic/upload'
    const authorization = `Bearer ${admin.token}`
    const { statusCode } = await app.inject({ method: 'POST', url, payload, headers: { ...headers, authorization } })
    expect(statusCode).toBe(200)
  }
  return {
    app,
    installed: programs[0]?.version ?? '',
    run: () => agentProcess('run'),
    store: join(state, 'components', 'restic'),
    upload,
    engine: () => deviceRowOf(app, id)?.backup_version,
  }
}

test('an agent without restic gets the one of the appliance, reports it, and later takes a newer one', async () => {
  const { installed, run, store, upload, engine } = await scene()
  const agent = run()
  await agent.saying(`components: restic ${installed} came from the appliance`)
  await eventually(() => expect(engine()).toBe(`restic/${installed}`))
  await agent.stop()
  await upload('0.18.0')
  const again = run()
  await again.saying('components: restic 0.18.0 came from the appliance')
  await eventually(() => expect(engine()).toBe('restic/0.18.0'))
  expect(readdirSync(store).toSorted()).toEqual([installed, '0.18.0', 'current.json'].toSorted())
})

test('an agent neither keeps nor runs a program that was changed on the appliance', async () => {
  const { app, installed, run, store, engine } = await scene()
  const file = join(app.dataDir, 'components', 'restic', installed, ownPlatform, 'restic')
  const ran = join(app.dataDir, 'ran')
  const script = `#!/bin/sh\ntouch ${ran}\necho "restic ${installed} compiled"\n#`
  writeFileSync(file, script.padEnd(statSync(file).size, '#'))
  const agent = run()
  await agent.saying('does not have the checksum it announced')
  expect([existsSync(ran), readdirSync(store)]).toEqual([false, []])
  expect(engine()).toBeNull()
})
