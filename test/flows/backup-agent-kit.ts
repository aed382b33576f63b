import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { createRestore, readRestore } from '../../shared/api/backup-restores.ts'
import { addPolicyLink, assignPolicy, createPolicy } from '../../shared/api/configuration-policies.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { eventually } from '../helpers/eventually.ts'
import { company } from '../helpers/factories.ts'
import { listening } from '../helpers/fake-device.ts'
import { startAgentProcess } from '../helpers/real-appliance.ts'
import { deviceRowOf } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'

interface Wish {
  /** The appliance itself, unless it is given. */
  storage?: { provider: string; details: object }
  /** Of the policy, beside what it protects. */
  settings?: object
  /** Of the appliance. */
  env?: Record<string, string>
}

/** An appliance with a company, and a device with the agent that devices have, whose policy protects a folder. */
export async function protectedDevice({ storage, settings, env }: Wish = {}) {
  const app = await testApp({ ...(env && { env }) })
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { admin, org, key } = await company(app)
  const { token } = admin
  const origin = await listening(app)
  const folder = scratchFolder()
  const source = join(folder, 'work')
  mkdirSync(join(source, 'docs'), { recursive: true })
  writeFileSync(join(source, 'docs', 'report.txt'), 'the report')
  writeFileSync(join(source, 'notes.txt'), 'notes')
  const operator = backupOperator(app, token)
  const config = await operator.storage(storage)
  const policy = (await app.call(createPolicy, { body: { name: 'Work', orgId: org.id } }, { token })).body
  const inlineSettings = { backupMode: 'file', targets: { paths: [source] }, ...settings }
  await app.call(addPolicyLink, { params: policy, body: { featureType: 'backup', inlineSettings } }, { token })
  await app.call(assignPolicy, { params: policy, body: { level: 'organization', targetId: org.id } }, { token })
  const agentProcess = (...args: string[]) => {
    const started = startAgentProcess([...args, '--state-dir', join(folder, 'state')])
    onTestFinished(() => started.stop('SIGKILL'))
    return started
  }
  const [, deviceId = ''] =
    /as device (\S+)\./.exec(await agentProcess('enroll', key.key, '--server', origin).saying(/as device \S+\./)) ?? []
  const agent = agentProcess('run')
  await agent.saying('socket: connected')
  await eventually(() => expect(deviceRowOf(app, deviceId)?.backup_version).toMatch(/^restic\//))
  const ended = async (id: string) =>
    eventually(async () => {
      const job = await operator.job(id)
      expect(['pending', 'running']).not.toContain(job.status)
      return job
    })
  const restored = async (body: object) => {
    const asked = await app.call(createRestore, { body } as never, { token })
    expect(asked.status, JSON.stringify(asked.body)).toBe(201)
    return eventually(async () => {
      const { data } = (await app.call(readRestore, { params: { id: asked.body.id } }, { token })).body
      expect(['pending', 'running']).not.toContain(data.status)
      return data
    })
  }
  /** Runs a backup to its end. */
  const backedUp = async () => {
    const started = await operator.run(deviceId)
    expect(started.status, JSON.stringify(started.body)).toBe(201)
    return ended(started.body.id)
  }
  return { app, token, config, deviceId, folder, source, agent, ended, restored, backedUp, ...operator }
}
