import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recoverRepository } from '../../server/admin/recover.ts'
import { testBackupConfig, updateBackupConfig } from '../../shared/api/backup-configs.ts'
import {
  listEncryptionKeys,
  openRecoverySheet,
  readKeyRotation,
  rotateEncryptionKey,
} from '../../shared/api/backup-keys.ts'
import { protectedDevice } from '../flows/backup-agent-kit.ts'
import { peerFor } from '../helpers/peers.ts'
import { sshServer } from '../helpers/ssh-server.ts'
import { restServer, s3Server } from '../helpers/storage-servers.ts'

/** Backups and restores by the agent to storage of other makers, with real servers on this machine. */

const onThisMachine = { OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' }

async function device(storage: { provider: string; details: object }) {
  const engine: Record<string, string> = process.env.RESTIC_PATH ? { RESTIC_PATH: process.env.RESTIC_PATH } : {}
  const scene = await protectedDevice({ storage, env: { ...onThisMachine, ...engine } })
  const { app, token, config } = scene
  const params = { id: config.id }
  const as = { token }
  /** The key of the organization is changed, and the new one alone opens the repository. */
  const rotated = async () => {
    const [key] = (await app.call(listEncryptionKeys, {}, as)).body.data
    expect((await app.call(rotateEncryptionKey, { params: { id: key?.id ?? '' }, body: {} }, as)).status).toBe(200)
    const { repositories } = (await app.call(readKeyRotation, {}, as)).body.data
    expect(repositories).toMatchObject([{ step: 'waiting', error: null }])
    expect(await app.app.jobs.runNow('components.take-installed')).toMatchObject({ lastError: null })
    expect(await app.app.jobs.runNow('backup.rotate-keys')).toMatchObject({ lastError: null })
    expect((await app.call(readKeyRotation, {}, as)).body.data).toMatchObject({ changing: 0, repositories: [] })
    const sheet = (await app.call(openRecoverySheet, {}, as)).body.data
    expect(sheet.keys).toHaveLength(1)
    const [storage] = sheet.storages
    const [repository] = sheet.repositories
    return { key: sheet.keys[0]?.key ?? '', place: storage?.place.replace('FOLDER', repository?.folder ?? '') ?? '' }
  }
  return {
    ...scene,
    rotated,
    tested: async () => (await app.call(testBackupConfig, { params }, { token })).body,
    patch: (details: object) => app.call(updateBackupConfig, { params, body: { details } as never }, { token }),
  }
}

/** Backs up twice, and brings a file back into a folder of its own. */
async function thereAndBack({
  source,
  folder,
  tested,
  backedUp,
  restored,
  snapshots,
}: Awaited<ReturnType<typeof device>>) {
  expect(await tested()).toMatchObject({ status: 'success', error: null })
  writeFileSync(join(source, 'large'), randomBytes(20_000_000))
  expect(await backedUp()).toMatchObject({ status: 'completed', fileCount: 3, errorCount: 0 })
  writeFileSync(join(source, 'new'), 'new')
  expect(await backedUp()).toMatchObject({ status: 'completed', fileCount: 4 })
  const [newest, first] = await snapshots()
  expect([first?.fileCount, newest?.fileCount]).toEqual([3, 4])
  const back = join(folder, 'back')
  expect(await restored({ snapshotId: newest?.id, restoreType: 'full', targetPath: back })).toMatchObject({
    status: 'completed',
    restoredFiles: 4,
  })
  for (const name of ['large', 'new', 'docs/report.txt'])
    expect(readFileSync(join(back, source, name)).equals(readFileSync(join(source, name))), name).toBe(true)
}

/** The key is changed, and backups and restores go on. */
async function andAfterRotation({
  source,
  folder,
  rotated,
  backedUp,
  restored,
  snapshots,
}: Awaited<ReturnType<typeof device>>) {
  const opens = await rotated()
  writeFileSync(join(source, 'newer'), 'newer')
  expect(await backedUp()).toMatchObject({ status: 'completed', fileCount: 5, errorCount: 0 })
  const [newest, , first] = await snapshots()
  for (const [snapshot, files] of [
    [first, 3],
    [newest, 5],
  ] as const) {
    const targetPath = join(folder, `back ${files}`)
    const wish = { snapshotId: snapshot?.id, restoreType: 'full', targetPath }
    expect(await restored(wish)).toMatchObject({ status: 'completed', restoredFiles: files })
  }
  return opens
}

/** As with the recovery sheet on another computer. */
const recovered = (place: string, key: string, environment: Record<string, string>) =>
  recoverRepository({ place, key, environment, restic: process.env.RESTIC_PATH ?? 'restic' })

const refusal = 'The storage refuses access. Check its credentials and permissions'

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

test('S3: there and back, and a key that is refused says so', async (context) => {
  const { details, folder } = await s3Server(peerFor(context, 'S3 server'))
  const scene = await device({ provider: 's3', details: { ...details, prefix: 'a b/c+d' } })
  await thereAndBack(scene)
  expect(filesIn(folder).every((file) => file.startsWith(join(folder, 'a b/c+d')))).toBe(true)
  const { place, key } = await andAfterRotation(scene)
  const { accessKey, secretKey, region } = details
  const account = { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey, AWS_DEFAULT_REGION: region }
  expect(await recovered(place, key, account)).toContainEqual(expect.stringMatching(/: 3 snapshots$/))
  await expect(recovered(place, 'f'.repeat(64), account)).rejects.toThrow('this key does not open it')
  await scene.patch({ secretKey: 'another' })
  expect(await scene.tested()).toMatchObject({ status: 'failed', error: 'The storage does not take these credentials' })
  expect(await scene.backedUp()).toMatchObject({ status: 'failed', errorLog: refusal })
})

test('SFTP: there and back, and a key that is refused says so', async () => {
  const { details, path, stranger } = await sshServer()
  const scene = await device({ provider: 'sftp', details })
  await thereAndBack(scene)
  await andAfterRotation(scene)
  const before = filesIn(path)
  expect(before.some((file) => file.endsWith('/config'))).toBe(true)
  await scene.patch({ privateKey: stranger.privateKey })
  expect(await scene.backedUp()).toMatchObject({ status: 'failed', errorLog: refusal })
  await scene.patch({ privateKey: details.privateKey, hostKey: stranger.publicKey })
  const otherHost = 'The server has another host key than the one that was entered'
  expect(await scene.backedUp()).toMatchObject({ status: 'failed', errorLog: otherHost })
  expect(filesIn(path)).toEqual(before)
})

test('a REST server with an account: there and back, and a wrong password says so', async (context) => {
  const { details, folder } = await restServer(peerFor(context, 'REST server'))
  const scene = await device({ provider: 'rest', details })
  await thereAndBack(scene)
  const { place, key } = await andAfterRotation(scene)
  const account = `${details.username}:${encodeURIComponent(details.password)}`
  const listed = await recovered(place.replace('://', `://${account}@`), key, {})
  expect(listed).toContainEqual(expect.stringMatching(/: 3 snapshots$/))
  expect(listed.join(), 'nor the account in what it says').not.toContain(details.password)
  const before = filesIn(folder)
  expect(before.filter((file) => file.includes('/locks/'))).toEqual([])
  await scene.patch({ password: 'another' })
  expect(await scene.tested()).toMatchObject({ status: 'failed', error: 'The storage does not take these credentials' })
  expect(await scene.backedUp()).toMatchObject({ status: 'failed', errorLog: refusal })
  expect(filesIn(folder)).toEqual(before)
})
