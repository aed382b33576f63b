import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import { SnapshotIndex } from '../../server/features/snapshot-index/index.ts'
import { startBackupDownload } from '../../shared/api/backup-downloads.ts'
import { listFilesOfSnapshot, readFileListing } from '../../shared/api/backup-file-listings.ts'
import { readBackupFolder, searchBackedUpFiles } from '../../shared/api/backup-snapshots.ts'
import { listingPath } from '../../shared/device/backup.ts'
import { eventually } from '../helpers/eventually.ts'
import { otherCompany } from '../helpers/factories.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { passFactor } from '../helpers/sessions.ts'
import { storingDevice } from '../helpers/stored-snapshot.ts'
import { testApp } from '../helpers/test-app.ts'

/** The files of snapshots, which the appliance reads from the storage itself, with the real restic. */

async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const device = await storingDevice(app)
  const source = join(scratchFolder(), 'source')
  mkdirSync(source)
  writeFileSync(join(source, 'a [1].txt'), 'a')
  const as = (token = device.token) => ({ token })
  const state = async (id: string) => (await app.call(readFileListing, { params: { id } }, as())).body.data
  const list = (id: string, token?: string) => app.call(listFilesOfSnapshot, { params: { id } }, as(token))
  const names = async (id: string) => {
    const call = { params: { id }, query: { path: source } }
    const { body } = await app.call(readBackupFolder, call, as())
    return body.data?.map(({ name }) => name) ?? body.code
  }
  const known = (id: string) => eventually(async () => expect((await state(id)).state).toBe('known'))
  const forget = async (repositoryId: string, ...snapshotIds: string[]) => {
    const index = new SnapshotIndex(join(app.dataDir, 'backup-index'))
    await index.remove(repositoryId, snapshotIds)
    await index.stop()
  }
  return { app, ...device, source, state, list, names, known, forget }
}

test('what the device did not send is read from the storage, without anybody asking', async () => {
  const { app, backUp, source, known, names, list, state } = await scene()
  const { id, folder } = await backUp(source, { isListed: false })
  await known(id)
  expect(await names(id)).toEqual(['a [1].txt'])
  expect(readdirSync(join(folder, 'locks'))).toEqual([])
  expect((await list(id)).body.code).toBe('backup_files_known')
  expect(await state(id)).toEqual({ state: 'known', error: null })
  expect(auditOf(app, 'backup.snapshot.list_files')).toEqual([])
})

test('a list that is gone is made anew on request, once', async () => {
  const { app, backUp, source, known, names, list, forget, state } = await scene()
  const first = await backUp(source)
  app.clock.advance(60_000)
  writeFileSync(join(source, 'b.txt'), 'b')
  const second = await backUp(source)
  expect(await names(second.id)).toEqual(['a [1].txt', 'b.txt'])

  await forget(first.repositoryId, first.snapshotId, second.snapshotId)
  expect(await state(first.id)).toEqual({ state: 'unknown', error: null })
  // Ten at once are one piece of work.
  const asked = await Promise.all(Array.from({ length: 10 }, () => list(second.id)))
  expect(asked.filter(({ status }) => status !== 202)).toEqual([])
  await known(second.id)
  expect((await list(first.id)).status).toBe(202)
  await known(first.id)
  expect([await names(first.id), await names(second.id)]).toEqual([['a [1].txt'], ['a [1].txt', 'b.txt']])
  expect(readdirSync(join(first.folder, 'locks'))).toEqual([])
})

test('a list that is damaged is made anew, with those of the other snapshots', async () => {
  const { app, token, device, backUp, source, known, names, list } = await scene()
  const first = await backUp(source)
  app.clock.advance(60_000)
  writeFileSync(join(source, 'b.txt'), 'b')
  const second = await backUp(source)
  writeFileSync(join(app.dataDir, 'backup-index', `${first.repositoryId}.db`), 'no database')
  expect(await names(second.id)).toBe('backup_files_unknown')
  expect((await list(first.id)).status).toBe(202)
  await known(first.id)
  await known(second.id)
  const params = { deviceId: device.deviceId }
  const { body } = await app.call(searchBackedUpFiles, { params, query: { q: 'txt' } } as never, { token })
  expect(body.data.map(({ name, newestSnapshot }) => [name, newestSnapshot.id])).toEqual([
    ['a [1].txt', second.id],
    ['b.txt', second.id],
  ])
  expect(readdirSync(join(first.folder, 'locks'))).toEqual([])
})

test('a device sends one list of files at a time', async () => {
  const { device, origin, operator, socket } = await scene()
  const job = (await operator.run(device.deviceId)).body
  await socket.frame((frame) => frame.id === job.id)
  const url = (name: string) => `${origin}/api/v1${listingPath(device.agentId, job.id, name.repeat(32))}`
  const headers = { authorization: `Bearer ${device.authToken}` }
  const slow = request(url('aa'), { method: 'PUT', headers })
  slow.on('error', () => {})
  slow.write('a part')
  const send = () => fetch(url('bb'), { method: 'PUT', headers, body: 'no listing' })
  await eventually(async () => expect((await send()).status).toBe(409))
  slow.destroy()
  await eventually(async () => expect((await send()).status).toBe(422))
})

test('why it cannot be read is said, and who may not ask is refused', async () => {
  const { app, org, backUp, source, list, state, forget } = await scene()
  const { id, folder, repositoryId, snapshotId } = await backUp(source)
  await forget(repositoryId, snapshotId)
  const stranger = (await otherCompany(app)).admin.token
  passFactor(app, stranger)
  const before = app.rowCounts()
  expect((await list(id, stranger)).status).toBe(404)
  setOrganization(app, org.id, { status: 'suspended' })
  expect((await list(id)).status).toBe(409)
  setOrganization(app, org.id, { status: 'active' })
  app.db.run(q.updateTable('backup_configs').set({ is_active: 0 }))
  expect((await list(id)).body.code).toBe('restore_storage_gone')
  app.db.run(q.updateTable('backup_configs').set({ is_active: 1 }))
  const row = q.updateTable('backup_snapshots').where('id', '=', id)
  app.db.run(row.set({ repository_id: null }))
  expect((await list(id)).body.code).toBe('restore_legacy_snapshot')
  app.db.run(row.set({ repository_id: repositoryId }))
  expect(app.rowCounts()).toEqual(before)

  rmSync(join(folder, 'snapshots'), { recursive: true })
  mkdirSync(join(folder, 'snapshots'))
  expect((await list(id)).status).toBe(202)
  const ended = await eventually(async () => {
    const { state: now, error } = await state(id)
    expect(error).not.toBeNull()
    return [now, error]
  })
  expect(ended[1]).toMatch(/snapshot|matching ID|did not say/i)
  expect(readdirSync(join(folder, 'locks'))).toEqual([])
})

test.each(['--repository-file=/etc/passwd', '-h', 'latest'])(
  'a device that names a snapshot %s gives no order to the restic of the appliance',
  async (snapshotId) => {
    const { app, token, device, operator, socket, source, backUp, state, list } = await scene()
    await backUp(source)
    const job = (await operator.run(device.deviceId)).body
    await socket.frame((frame) => frame.id === job.id)
    const result = { status: 'completed', snapshotId, isListed: false, filesBackedUp: 1, bytesBackedUp: 1 }
    socket.send({ type: 'command_result', commandId: job.id, status: 'completed', result })
    await socket.settled()
    const { id } = app.db.one(q.selectFrom('backup_snapshots').select('id').where('job_id', '=', job.id))
    expect(await state(id)).toEqual({ state: 'unknown', error: null })
    expect((await list(id)).body.code).toBe('restore_legacy_snapshot')
    const download = { params: { id }, query: {}, body: { paths: ['/'] } }
    expect((await app.call(startBackupDownload, download, { token })).body.code).toBe('restore_legacy_snapshot')
  },
)
