import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { updateBackupConfig } from '../../shared/api/backup-configs.ts'
import { createVault, listSnapshotCopies, listVaults, syncVault } from '../../shared/api/backup-vaults.ts'
import { protectedDevice } from '../flows/backup-agent-kit.ts'
import { peerFor } from '../helpers/peers.ts'
import { sshServer } from '../helpers/ssh-server.ts'
import { restServer, s3Server } from '../helpers/storage-servers.ts'

/** Second copies in storage of other makers, with real servers on this machine, a real agent and the real restic. */

/** A server far away, or a busy machine, may take minutes. */
const patience = { timeout: 300_000, interval: 200 }

interface Storage {
  provider: string
  details: object
  /** The folder of the server. */
  folder: string
  server: { stop(): Promise<void>; start(): Promise<void> }
  /** What it does not let in. */
  wrong: object
}

async function scene({ provider, details, wrong }: Storage) {
  const engine: Record<string, string> = process.env.RESTIC_PATH ? { RESTIC_PATH: process.env.RESTIC_PATH } : {}
  const made = await protectedDevice({ env: { OUTBOUND_ALLOWED_CIDRS: '127.0.0.1', ...engine } })
  const { app, token, source, backedUp } = made
  const as = { token }
  expect(await app.app.jobs.runNow('components.take-installed')).toMatchObject({ lastError: null })
  const elsewhere = await made.storage({ name: 'Elsewhere', provider, isDefault: false, details })
  const wanted = { deviceId: null, place: 'storage', configId: elsewhere.id, retentionCount: 2 }
  const created = await app.call(createVault, { body: wanted } as never, as)
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  const { id } = created.body
  const vault = async () => {
    const found = (await app.call(listVaults, {}, as)).body.data.find((one) => one.id === id)
    if (!found) throw new Error('There is no such second copy')
    return found
  }
  /** Lets the appliance do what is due, until the second copy is as expected. */
  const comesTo = async (state: object) => {
    const next = async () => {
      await app.app.jobs.runNow('backup.sync-copies')
      return vault()
    }
    await expect.poll(next, patience).toMatchObject(state)
    return vault()
  }
  const isUnderWay = async () => /pending|running/.test((await vault()).lastSyncStatus ?? '')
  const syncNow = async () => {
    await expect.poll(isUnderWay, patience).toBe(false)
    expect((await app.call(syncVault, { params: { id }, body: {} }, as)).status).toBe(200)
    await expect.poll(isUnderWay, patience).toBe(false)
    return vault()
  }
  const backUp = async (name: string) => {
    writeFileSync(join(source, name), randomBytes(3_000_000))
    app.clock.advance(1000)
    expect(await backedUp()).toMatchObject({ status: 'completed', errorCount: 0 })
    const [newest] = await made.snapshots()
    return newest?.id ?? ''
  }
  const copiesOf = async (snapshotId: string) =>
    (await app.call(listSnapshotCopies, { params: { id: snapshotId } }, as)).body.data
  const patch = (changed: object) =>
    app.call(updateBackupConfig, { params: { id: elsewhere.id }, body: { details: changed } as never }, as)
  const refuse = () => patch(wrong)
  const admit = () => patch(details)
  return { ...made, id, vault, comesTo, syncNow, backUp, copiesOf, refuse, admit }
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && !one.parentPath.includes('/locks'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()

async function proven(storage: Storage, { refused, away }: { refused: RegExp; away: RegExp }) {
  const { app, folder, source, vault, comesTo, syncNow, backUp, copiesOf, refuse, admit, restored } =
    await scene(storage)
  const one = await backUp('one')
  const first = await comesTo({ lastSyncStatus: 'completed', lastSyncError: null, snapshots: 1, damage: null })
  expect(first.checkedAt, 'a part of its data was read back').not.toBeNull()
  expect(await copiesOf(one)).toMatchObject([{ place: 'storage', manifestVerified: true }])
  const [two, three] = [await backUp('two'), await backUp('three')]
  await comesTo({ lastSyncStatus: 'completed', lastSyncError: null, snapshots: 2 })
  expect(await copiesOf(one), 'it keeps two').toEqual([])
  for (const id of [two, three]) expect(await copiesOf(id)).toMatchObject([{ manifestVerified: true }])

  const before = filesIn(storage.folder)
  expect(before.some((file) => file.includes('copies'))).toBe(true)
  await refuse()
  const wrongKey = await syncNow()
  expect(wrongKey).toMatchObject({
    lastSyncStatus: 'failed',
    lastSyncError: expect.stringMatching(refused),
    snapshots: 2,
  })
  await admit()
  await storage.server.stop()
  const stopped = await syncNow()
  expect(stopped).toMatchObject({ lastSyncStatus: 'failed', lastSyncError: expect.stringMatching(away), snapshots: 2 })
  expect(filesIn(storage.folder)).toEqual(before)
  const four = await backUp('four')
  await storage.server.start()
  await syncNow()
  await comesTo({ lastSyncStatus: 'completed', lastSyncError: null, snapshots: 2 })
  expect(await copiesOf(four)).toMatchObject([{ manifestVerified: true }])

  const { id: repositoryId } = app.db.one(q.selectFrom('backup_repositories').select('id'))
  rmSync(join(app.dataDir, 'backups', repositoryId), { recursive: true })
  const target = join(folder, 'back')
  const wish = { snapshotId: four, restoreType: 'full', targetPath: target, vaultId: (await vault()).id }
  expect(await restored(wish)).toMatchObject({ status: 'completed', restoredFiles: 6 })
  for (const name of ['one', 'two', 'three', 'four', 'notes.txt', 'docs/report.txt'])
    expect(readFileSync(join(target, source, name)).equals(readFileSync(join(source, name))), name).toBe(true)
  const said = JSON.stringify([wrongKey, stopped])
  for (const secret of Object.values({ ...storage.details, ...storage.wrong }))
    if (typeof secret === 'string' && secret.length > 20) expect(said).not.toContain(secret)
}

const refused = /^The storage refuses access. Check its credentials and permissions$/
const away = /^The storage could not be reached$/

test('a second copy in S3 is made, compared, read back, kept short, and brings everything back alone', async (context) => {
  const { details, folder, server } = await s3Server(peerFor(context, 'S3 server'))
  await proven(
    { provider: 's3', details, folder, server, wrong: { secretKey: 'another key that is long enough' } },
    { refused, away },
  )
})

test('the same on a server with SSH', async () => {
  const { details, path, server, stranger } = await sshServer()
  const wrong = { privateKey: stranger.privateKey }
  await proven({ provider: 'sftp', details, folder: path, server, wrong }, { refused, away })
})

test('the same on a REST server', async (context) => {
  const { details, folder, server } = await restServer(peerFor(context, 'REST server'))
  await proven({ provider: 'rest', details, folder, server, wrong: { password: 'another' } }, { refused, away })
})
