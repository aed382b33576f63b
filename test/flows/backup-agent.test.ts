import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
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

/** From a policy to a restored file, with the agent that devices have and the real restic. */

async function scene() {
  const app = await testApp()
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
  await operator.storage()
  const policy = (await app.call(createPolicy, { body: { name: 'Work', orgId: org.id } }, { token })).body
  const inlineSettings = { backupMode: 'file', targets: { paths: [source] } }
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
  return { app, deviceId, source, agent, ended, restored, ...operator }
}

test('a deleted file is back where it was, and the one that was changed meanwhile is kept beside it', async () => {
  const { app, deviceId, source, run, ended, restored, snapshots } = await scene()
  const started = await run(deviceId)
  expect(started.status, JSON.stringify(started.body)).toBe(201)
  expect(await ended(started.body.id)).toMatchObject({ status: 'completed', fileCount: 2, errorCount: 0 })
  const [snapshot] = await snapshots()
  expect(snapshot).toMatchObject({ fileCount: 2, sizeBytes: 15, deviceId })

  rmSync(join(source, 'docs'), { recursive: true })
  writeFileSync(join(source, 'notes.txt'), 'newer notes')
  const selectedPaths = [join(source, 'docs'), join(source, 'notes.txt')]
  const wanted = { snapshotId: snapshot?.id, restoreType: 'selective', selectedPaths, inPlace: true }
  const outcome = await restored(wanted)
  expect(outcome).toMatchObject({
    status: 'completed',
    expectedFiles: 2,
    restoredFiles: 2,
    resultDetails: { filesRenamed: 1 },
  })
  expect(readFileSync(join(source, 'docs', 'report.txt'), 'utf8')).toBe('the report')
  const notes = readdirSync(source).filter((name) => name.startsWith('notes'))
  expect(notes.map((name) => readFileSync(join(source, name), 'utf8')).sort()).toEqual(['newer notes', 'notes'])

  // The credentials of both ended with them.
  expect(app.rowCounts().backup_store_credentials).toBe(0)
  const second = (await run(deviceId)).body
  expect(await ended(second.id)).toMatchObject({ status: 'completed', fileCount: 3 })
})
