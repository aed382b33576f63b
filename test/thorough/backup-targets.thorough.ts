import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testBackupConfig, updateBackupConfig } from '../../shared/api/backup-configs.ts'
import { protectedDevice } from '../flows/backup-agent-kit.ts'
import { peerFor } from '../helpers/peers.ts'
import { sshServer } from '../helpers/ssh-server.ts'
import { restServer, s3Server } from '../helpers/storage-servers.ts'

/** Backups and restores by the agent to storage of other makers, with real servers on this machine. */

const onThisMachine = { OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' }

async function device(storage: { provider: string; details: object }) {
  const scene = await protectedDevice({ storage, env: onThisMachine })
  const { app, token, config } = scene
  const params = { id: config.id }
  return {
    ...scene,
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
  await scene.patch({ secretKey: 'another' })
  expect(await scene.tested()).toMatchObject({ status: 'failed', error: 'The storage does not take these credentials' })
  expect(await scene.backedUp()).toMatchObject({ status: 'failed', errorLog: refusal })
})

test('SFTP: there and back, and a key that is refused says so', async () => {
  const { details, path, stranger } = await sshServer()
  const scene = await device({ provider: 'sftp', details })
  await thereAndBack(scene)
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
  const before = filesIn(folder)
  expect(before.filter((file) => file.includes('/locks/'))).toEqual([])
  await scene.patch({ password: 'another' })
  expect(await scene.tested()).toMatchObject({ status: 'failed', error: 'The storage does not take these credentials' })
  expect(await scene.backedUp()).toMatchObject({ status: 'failed', errorLog: refusal })
  expect(filesIn(folder)).toEqual(before)
})
