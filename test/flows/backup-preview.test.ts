import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { previewBackup } from '../../shared/api/backup-preview.ts'
import { company, enrolledDevice, otherCompany, person } from '../helpers/factories.ts'
import { connect, listening } from '../helpers/fake-device.ts'
import { startAgentProcess } from '../helpers/real-appliance.ts'
import { auditOf, setDevice } from '../helpers/rows.ts'
import { passFactor } from '../helpers/sessions.ts'
import { testApp } from '../helpers/test-app.ts'

/** What a backup of a device would read, asked of the device. */

async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { admin, key, device, org } = await company(app)
  passFactor(app, admin.token)
  const origin = await listening(app)
  const ask = (deviceId: string, paths: string[], token = admin.token) => {
    const selection = { mode: 'file' as const, targets: { paths, excludes: ['.cache'] } }
    return app.call(previewBackup, { body: { deviceId, selection } }, { token })
  }
  return { app, admin, org, key, device, origin, ask }
}

const found = {
  ...{ files: 2, bytes: 30, folders: 1, isWhole: true, missing: [] },
  largest: [{ path: '/srv', files: 2, bytes: 30 }],
  leftOut: [{ pattern: '.cache', count: 0, example: null }],
  unreadable: { count: 0, examples: [] },
}

test('the agent of a device looks, and what it left out and did not find is said', async () => {
  const { app, key, origin, ask } = await scene()
  const folder = scratchFolder()
  const source = join(folder, 'work')
  mkdirSync(join(source, '.cache'), { recursive: true })
  writeFileSync(join(source, 'notes.txt'), 'notes')
  const agentProcess = (...args: string[]) => {
    const started = startAgentProcess([...args, '--state-dir', join(folder, 'state')])
    onTestFinished(() => started.stop('SIGKILL'))
    return started
  }
  const [, deviceId = ''] =
    /as device (\S+)\./.exec(await agentProcess('enroll', key.key, '--server', origin).saying(/as device \S+\./)) ?? []
  await agentProcess('run').saying('socket: connected')
  const gone = join(folder, 'gone')
  const { status, body } = await ask(deviceId, [source, gone])
  expect([status, body.data]).toEqual([
    200,
    {
      ...{ files: 1, bytes: 5, folders: 1, isWhole: true, missing: [gone] },
      largest: [{ path: source, files: 1, bytes: 5 }],
      leftOut: [{ pattern: '.cache', count: 1, example: join(source, '.cache') }],
      unreadable: { count: 0, examples: [] },
    },
  ])
  expect(auditOf(app, 'backup.preview.run')).toMatchObject([{ resource_id: deviceId, details: { mode: 'file' } }])
})

test('a device works on one preview at a time, and its result counts once', async () => {
  const { app, device, origin, ask } = await scene()
  const socket = await connect(origin, device)
  const first = ask(device.deviceId, ['/srv'])
  const { id, payload } = await socket.frame(({ type }) => type === 'backup_preview')
  expect(payload).toEqual({ paths: ['/srv'], excludes: ['.cache'] })
  expect((await ask(device.deviceId, ['/home'])).body.code).toBe('backup_preview_running')
  expect(auditOf(app, 'backup.preview.run')).toHaveLength(1)
  // The result of another device, or of another command, is not its answer.
  const answer = (commandId: unknown, result: object) =>
    socket.send({ type: 'command_result', commandId, status: 'completed', result })
  answer(randomUUID(), { ...found, files: 99 })
  answer(id, found)
  expect((await first).body.data).toEqual(found)
  answer(id, { ...found, files: 99 })
  await socket.settled()
  const second = ask(device.deviceId, ['/home'])
  const next = await socket.frame((frame) => frame.type === 'backup_preview' && frame.id !== id)
  socket.send({ type: 'command_result', commandId: next.id, status: 'failed', error: 'unknown command type: x' })
  expect((await second).body).toMatchObject({ code: 'backup_preview_failed', reason: 'its agent is too old for that' })
  const third = ask(device.deviceId, ['/home'])
  const last = await socket.frame(({ type, id: of }) => type === 'backup_preview' && of !== id && of !== next.id)
  answer(last.id, { files: 'many' })
  expect((await third).body.reason).toBe('its answer could not be read')
})

test('when the device goes, the answer does not wait for it; when the client goes, the device is told', async () => {
  const { device, origin, ask, admin } = await scene()
  const socket = await connect(origin, device)
  const leaving = new AbortController()
  const selection = { mode: 'system_image' }
  const asked = fetch(`${origin}/api/v1/backup/preview`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ deviceId: device.deviceId, selection }),
    signal: leaving.signal,
  })
  const { id, payload } = await socket.frame(({ type }) => type === 'backup_preview')
  expect(payload).toEqual({ paths: ['{system}'] })
  leaving.abort()
  await expect(asked).rejects.toThrow()
  const stop = await socket.frame(({ type }) => type === 'backup_stop')
  expect(stop.payload).toEqual({ jobId: id })
  const again = ask(device.deviceId, ['/srv'])
  await socket.frame((frame) => frame.type === 'backup_preview' && frame.id !== id)
  await socket.close()
  expect((await again).body.code).toBe('backup_preview_silent')
  expect((await ask(device.deviceId, ['/srv'])).body.code).toBe('backup_preview_offline')
})

test('strangers, those who may only look, and sessions without a second factor get no answer from a device', async () => {
  const { app, org, key, device, origin, ask } = await scene()
  const socket = await connect(origin, device)
  const other = await enrolledDevice(app, key.key, 'pc-2')
  setDevice(app, other.deviceId, { status: 'quarantined' })
  expect((await ask(other.deviceId, ['/srv'])).body.code).toBe('device_quarantined')
  const { admin: stranger } = await otherCompany(app)
  passFactor(app, stranger.token)
  expect((await ask(device.deviceId, ['/srv'], stranger.token)).status).toBe(404)
  const reader = await person(app, { email: 'r@x.test', scope: 'organization', orgId: org.id, role: 'Org Viewer' })
  passFactor(app, reader.token)
  expect((await ask(device.deviceId, ['/srv'], reader.token)).status).toBe(403)
  for (const paths of [[], ['a\0b'], ['  '], ['/srv', 'Documents']])
    expect((await ask(device.deviceId, paths)).status).toBe(400)
  await socket.settled()
  expect(socket.frames.filter(({ type }) => type === 'backup_preview')).toEqual([])
  expect(auditOf(app, 'backup.preview.run')).toEqual([])
})
