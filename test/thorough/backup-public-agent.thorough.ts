import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AwsClient } from 'aws4fetch'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { createRestore, readRestore } from '../../shared/api/backup-restores.ts'
import { policyScene } from '../flows/policy-kit.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { connect, listening } from '../helpers/fake-device.ts'
import { peerFor } from '../helpers/peers.ts'
import { setDevice } from '../helpers/rows.ts'
import { s3Server } from '../helpers/storage-servers.ts'

/** An agent that knows nothing but the public shapes, with a real S3 server and a folder of its own. */

interface Payload {
  provider: 's3' | 'local'
  providerConfig: Record<'bucket' | 'region' | 'endpoint' | 'accessKey' | 'secretKey' | 'path', string>
  paths: string[]
  snapshotId: string
  targetPath: string
}

/** Where the agent puts objects and finds them, by nothing but what it was told. */
function placeOf({ provider, providerConfig: config }: Payload) {
  if (provider === 'local')
    return {
      put: async (name: string, content: Uint8Array) => {
        const file = join(config.path, name)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, content)
      },
      get: async (name: string) => readFileSync(join(config.path, name)),
    }
  const { accessKey: accessKeyId, secretKey: secretAccessKey, region } = config
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 })
  const ask = async (method: string, name: string, body?: Uint8Array<ArrayBuffer>) => {
    const answer = await client.fetch(`${config.endpoint}/${config.bucket}/${name}`, { method, body })
    const content = Buffer.from(await answer.arrayBuffer())
    if (!answer.ok) throw new Error(`S3 ${method}: ${answer.status} ${/<Code>(\w+)/.exec(String(content))?.[1]}`)
    return content
  }
  return {
    put: (name: string, content: Uint8Array) => ask('PUT', name, new Uint8Array(content)),
    get: (name: string) => ask('GET', name),
  }
}

async function scene(storage: object) {
  const { app, admin, org, one, policy } = await policyScene({ OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' })
  const operator = backupOperator(app, admin.token)
  await operator.storage(storage, org.id)
  const source = scratchFolder()
  writeFileSync(join(source, 'ledger.ods'), 'the ledger')
  writeFileSync(join(source, 'ünï çødé.txt'), 'letters')
  const settings = { backupMode: 'file', targets: { paths: [source], excludes: [] } }
  await policy('All', settings, { level: 'organization', targetId: org.id })
  setDevice(app, one.deviceId, { status: 'online', backup_version: '0.65.1' })
  const socket = await connect(await listening(app), one)
  onTestFinished(() => socket.close().catch(() => {}))

  const commandOf = async (id: string) => {
    const { payload } = await socket.frame((frame) => frame.id === id)
    return payload as unknown as Payload
  }
  const report = async (commandId: string, status: 'completed' | 'failed', result: object, error?: string) => {
    socket.send({ type: 'command_result', commandId, status, result, ...(error && { error }) })
    await socket.settled()
  }
  /** Accepted, told of on the way, and reported when it is over. */
  const backedUp = async () => {
    const { id } = (await operator.run(one.deviceId)).body
    const payload = await commandOf(id)
    await report(id, 'completed', { started: true })
    const snapshotId = `snapshot-${id}`
    const place = placeOf(payload)
    const files: { sourcePath: string; backupPath: string; size: number; modTime: string }[] = []
    try {
      for (const path of payload.paths)
        for (const name of readdirSync(path)) {
          const content = readFileSync(join(path, name))
          const backupPath: string = `snapshots/${snapshotId}/files/${files.length}`
          await place.put(backupPath, content)
          const [sourcePath, size] = [join(path, name), content.length]
          files.push({ sourcePath, backupPath, size, modTime: '2026-03-01T08:00:00Z' })
          const progress = { phase: 'uploading', current: size, total: 0, filesDone: files.length, snapshotId }
          socket.send({ type: 'backup_progress', commandId: id, progress })
        }
      const size = files.reduce((sum, file) => sum + file.size, 0)
      const snapshot = { id: snapshotId, timestamp: '2026-03-01T09:01:00Z', files, size }
      await place.put(`snapshots/${snapshotId}/manifest.json`, Buffer.from(JSON.stringify(snapshot)))
      const counts = { filesBackedUp: files.length, bytesBackedUp: size }
      await report(id, 'completed', { id, status: 'completed', snapshot, ...counts, error: {} })
    } catch (error) {
      const [message, counts] = [String((error as Error).message), { filesBackedUp: 0, bytesBackedUp: 0 }]
      await report(id, 'failed', { id, status: 'failed', snapshot: null, ...counts, error: message }, message)
    }
    return operator.job(id)
  }
  const restored = async (snapshotId: string) => {
    const targetPath = scratchFolder()
    const asked = await app.call(createRestore, { body: { snapshotId, targetPath } }, { token: admin.token })
    const { id } = asked.body
    const payload = await commandOf(id)
    const place = placeOf(payload)
    const manifest = JSON.parse(String(await place.get(`snapshots/${payload.snapshotId}/manifest.json`)))
    let bytes = 0
    for (const { sourcePath, backupPath } of manifest.files as { sourcePath: string; backupPath: string }[]) {
      const content = await place.get(backupPath)
      bytes += content.length
      const file = join(payload.targetPath, sourcePath)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
    }
    const counts = { filesRestored: manifest.files.length, bytesRestored: bytes, filesFailed: 0 }
    await report(id, 'completed', { snapshotId: payload.snapshotId, status: 'completed', ...counts })
    const { data } = (await app.call(readRestore, { params: { id } }, { token: admin.token })).body
    return { ...data, back: join(targetPath, source) }
  }
  return { ...operator, source, backedUp, restored }
}

async function thereAndBack({ backedUp, restored, snapshots, source }: Awaited<ReturnType<typeof scene>>) {
  const job = await backedUp()
  expect(job).toMatchObject({ status: 'completed', fileCount: 2, totalSize: 17, errorLog: null })
  const [snapshot] = await snapshots()
  expect(snapshot).toMatchObject({ jobId: job.id, fileCount: 2 })
  const { back, ...restore } = await restored(snapshot?.id ?? '')
  expect(restore).toMatchObject({ status: 'completed', restoredFiles: 2 })
  for (const name of readdirSync(source))
    expect(readFileSync(join(back, name))).toEqual(readFileSync(join(source, name)))
}

test('S3: what it stored with what it was told comes back, and a refused key makes a failed job and no snapshot', async (context) => {
  const { details, folder } = await s3Server(peerFor(context, 'S3 server'))
  await thereAndBack(await scene({ provider: 's3', details }))
  expect(readdirSync(join(folder, 'snapshots'))).toHaveLength(1)

  const refused = await scene({ provider: 's3', details: { ...details, secretKey: 'another' } })
  expect(await refused.backedUp()).toMatchObject({ status: 'failed', errorLog: 'S3 PUT: 403 SignatureDoesNotMatch' })
  expect(await refused.snapshots()).toEqual([])
  expect(readdirSync(join(folder, 'snapshots'))).toHaveLength(1)
})

test('a folder of its own: what it stored there comes back', async () => {
  await thereAndBack(await scene({ details: { path: scratchFolder() } }))
})
