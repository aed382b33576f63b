import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import {
  browseBackupSnapshot,
  compareBackupSnapshots,
  listBackupSnapshots,
  readBackupFolder,
  readFileVersions,
  searchBackedUpFiles,
} from '../../shared/api/backup-snapshots.ts'
import { listingPath } from '../../shared/device/backup.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { company, otherCompany, person, siteOf } from '../helpers/factories.ts'
import { connect, listening } from '../helpers/fake-device.ts'
import { setDevice } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'

/** What people find in snapshots, without anybody asking the device. */

const monday = '2026-03-01T08:00:00Z'
const tuesday = '2026-03-02T08:00:00Z'
const node = (path: string, size?: number, mtime = monday) => ({
  name: path.split('/').at(-1),
  type: size === undefined ? 'dir' : 'file',
  path,
  mtime,
  ...(size !== undefined && { size }),
  struct_type: 'node',
})
const before = [
  node('/home'),
  node('/home/a [1].txt', 100),
  node('/home/docs'),
  node('/home/docs/b.txt', 50),
  node('/home/docs/old.txt', 7),
]
const after = [
  node('/home'),
  node('/home/a [1].txt', 100),
  node('/home/docs'),
  node('/home/docs/b.txt', 60, tuesday),
  node('/home/docs/c.txt', 25),
]

async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { admin, org, device } = await company(app)
  const { token } = admin
  const origin = await listening(app)
  const { storage, run, snapshots } = backupOperator(app, token)
  await storage()
  setDevice(app, device.deviceId, { backup_version: 'restic/0.18.0' })
  const socket = await connect(origin, device)
  const backUp = async (id: string, nodes: object[] | null) => {
    const job = (await run(device.deviceId)).body
    await socket.frame((frame) => frame.id === job.id)
    const first = { time: monday, tree: 'x', paths: ['/home'], hostname: 'h', id, struct_type: 'snapshot' }
    const lines = [first, ...(nodes ?? [])].map((one) => `${JSON.stringify(one)}\n`).join('')
    const request = {
      method: 'PUT',
      headers: { authorization: `Bearer ${device.authToken}` },
      body: new Uint8Array(gzipSync(lines)),
    }
    if (nodes) await fetch(`${origin}/api/v1${listingPath(device.agentId, job.id, id)}`, request)
    const result = { status: 'completed', snapshotId: id, filesBackedUp: 3, bytesBackedUp: 185 }
    socket.send({ type: 'command_result', commandId: job.id, status: 'completed', result })
    await socket.settled()
    app.clock.advance(60_000)
    return (await snapshots())[0]?.id ?? ''
  }
  const browse = async (id: string, query: object = {}, as = token) => {
    const { status, body } = await app.call(browseBackupSnapshot, { params: { id }, query } as never, { token: as })
    return { status, body: body as unknown as { data: unknown[]; manifestUnavailable: boolean; truncated?: boolean } }
  }
  const folder = (id: string, path: string, more: object = {}) =>
    app.call(readBackupFolder, { params: { id }, query: { path, ...more } } as never, { token })
  return { app, admin, org, token, device, backUp, browse, folder }
}

const [first, second] = ['ab'.repeat(32), 'cd'.repeat(32)]

test('the whole tree, as other clients know it, and one folder of it', async () => {
  const { backUp, browse } = await scene()
  const id = await backUp(first, before)
  const { status, body } = await browse(id)
  expect(status).toBe(200)
  const file = (path: string, sizeBytes: number) => ({
    name: path.split('/').at(-1),
    path,
    type: 'file',
    sizeBytes,
    modifiedAt: '2026-03-01T08:00:00.000Z',
  })
  const directory = (path: string, children: object[]) => ({
    ...{ name: path.split('/').at(-1), path, type: 'directory', modifiedAt: '2026-03-01T08:00:00.000Z', children },
  })
  expect(body).toEqual({
    snapshotId: id,
    manifestUnavailable: false,
    data: [
      directory('/home', [
        directory('/home/docs', [file('/home/docs/b.txt', 50), file('/home/docs/old.txt', 7)]),
        file('/home/a [1].txt', 100),
      ]),
    ],
  })
  const level = await browse(id, { path: '/home' })
  expect((level.body.data as { path: string }[]).map(({ path }) => path)).toEqual(['/home/docs', '/home/a [1].txt'])
  expect((await browse(id, { path: '/no' })).status).toBe(404)
})

test('a snapshot whose files are not known says so, and is no error', async () => {
  const { backUp, browse, folder } = await scene()
  const id = await backUp(first, null)
  expect(await browse(id)).toMatchObject({ status: 200, body: { manifestUnavailable: true, data: [] } })
  expect((await folder(id, '/')).body.code).toBe('backup_files_unknown')
})

test('a folder comes page by page, folders first, with what is in it', async () => {
  const { backUp, folder } = await scene()
  const id = await backUp(first, before)
  const page = await folder(id, '/home', { limit: 1 })
  expect(page.body).toMatchObject({
    data: [{ name: 'docs', type: 'folder', size: null }],
    counts: { files: 1, folders: 1 },
  })
  const rest = await folder(id, '/home', { limit: 1, after: page.body.next })
  expect(rest.body).toMatchObject({ data: [{ name: 'a [1].txt', type: 'file', size: 100 }], counts: null, next: null })
  expect((await folder(id, '/home', { after: 'nonsense' })).body).toMatchObject({
    details: { fieldErrors: { after: [expect.any(String)] } },
  })
  expect((await folder(id, '/home/no')).status).toBe(404)
  expect((await folder(id, 'home')).status).toBe(404)
})

test('a folder is narrowed to the names that contain a text, page by page, with the counts of those', async () => {
  const { backUp, folder } = await scene()
  const id = await backUp(first, [
    node('/home'),
    ...['a', 'b', 'c'].map((letter) => node(`/home/Report ${letter}.txt`, 10)),
    node('/home/reports'),
    node('/home/Übersicht.txt', 5),
    node('/home/other.txt', 99),
    node('/home/reports/report.txt', 1),
  ])
  const page = await folder(id, '/home', { q: 'rePORT', limit: 2 })
  expect(page.body.data.map(({ name }) => name)).toEqual(['reports', 'Report a.txt'])
  expect(page.body.counts).toEqual({ files: 3, folders: 1, bytes: 30 })
  const rest = await folder(id, '/home', { q: 'rePORT', limit: 2, after: page.body.next })
  expect(rest.body.data.map(({ name }) => name)).toEqual(['Report b.txt', 'Report c.txt'])
  expect(rest.body.next).toBeNull()
  expect((await folder(id, '/home', { q: 'übers' })).body.data).toHaveLength(1)
  expect((await folder(id, '/home', { q: '%' })).body).toMatchObject({ data: [], counts: { files: 0, folders: 0 } })
})

test('snapshots are listed page by page, with the names of their device and storage', async () => {
  const { app, token, device, backUp } = await scene()
  for (const digit of ['1', '2', '3']) await backUp(digit.repeat(64), before)
  const list = (query: object) => app.call(listBackupSnapshots, { query } as never, { token })
  const { body } = await list({ limit: 2 })
  expect(body.pagination).toEqual({ page: 1, limit: 2, total: 3 })
  expect(body.data).toMatchObject([{ deviceName: 'pc-1', configName: 'Appliance' }, { deviceId: device.deviceId }])
  const last = await list({ limit: 2, page: 2, deviceId: device.deviceId })
  expect(last.body.data).toHaveLength(1)
  const all = [...body.data, ...last.body.data].map(({ createdAt }) => createdAt)
  expect(all).toEqual([...new Set(all)].toSorted().toReversed())
  expect((await list({ deviceId: device.deviceId, configId: randomUUID() })).body).toMatchObject({
    data: [],
    pagination: { total: 0 },
  })
})

test('file first: a name is found over all snapshots, and its versions with their sizes and dates', async () => {
  const { app, token, device, backUp } = await scene()
  const [old, newest] = [await backUp(first, before), await backUp(second, after)]
  const params = { deviceId: device.deviceId }
  const search = await app.call(searchBackedUpFiles, { params, query: { q: 'B.TX' } } as never, { token })
  expect(search.body.data).toMatchObject([
    { path: '/home/docs/b.txt', size: 60, versions: 2, newestSnapshot: { id: newest } },
  ])
  const gone = await app.call(searchBackedUpFiles, { params, query: { q: 'old' } } as never, { token })
  expect(gone.body.data).toMatchObject([{ path: '/home/docs/old.txt', newestSnapshot: { id: old } }])
  const { body } = await app.call(readFileVersions, { params, query: { path: '/home/docs/b.txt' } }, { token })
  expect(body.data.versions).toMatchObject([
    { size: 60, modifiedAt: '2026-03-02T08:00:00.000Z', newestSnapshot: { id: newest }, snapshots: 1 },
    { size: 50, modifiedAt: '2026-03-01T08:00:00.000Z', newestSnapshot: { id: old }, snapshots: 1 },
  ])
})

test('two snapshots are compared: what was added, changed and removed', async () => {
  const { app, token, backUp } = await scene()
  const [old, newest] = [await backUp(first, before), await backUp(second, after)]
  const compare = (query: object) =>
    app.call(compareBackupSnapshots, { params: { id: newest, olderId: old }, query } as never, { token })
  const { body } = await compare({})
  expect(body.data.map(({ change, path }) => `${change} ${path}`).toSorted()).toEqual([
    'added /home/docs/c.txt',
    'changed /home/docs/b.txt',
    'removed /home/docs/old.txt',
  ])
  expect(body.counts).toMatchObject({ added: { files: 1, bytes: 25 }, removed: { files: 1, bytes: 7 } })
  expect((await compare({ only: 'added' })).body.data).toMatchObject([{ path: '/home/docs/c.txt', before: null }])
})

test('nobody sees files of another company, or of a site they do not see', async () => {
  const { app, admin, org, device, backUp, browse } = await scene()
  const id = await backUp(first, before)
  const stranger = await otherCompany(app)
  const elsewhere = await siteOf(app, admin.token, org.id, 'Elsewhere')
  const confined = await person(app, {
    email: 's@x.test',
    scope: 'organization',
    orgId: org.id,
    siteIds: [elsewhere.id],
  })
  for (const [token, status] of [
    [stranger.admin.token, 404],
    [confined.token, 403],
  ] as const) {
    expect((await browse(id, {}, token)).status).toBe(status)
    const params = { deviceId: device.deviceId }
    expect((await app.call(searchBackedUpFiles, { params, query: { q: 'a' } } as never, { token })).status).toBe(status)
    expect((await app.call(readFileVersions, { params, query: { path: '/home' } }, { token })).status).toBe(status)
    expect((await app.call(readBackupFolder, { params: { id }, query: {} } as never, { token })).status).toBe(status)
  }
})
