import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { quickPassword } from '../../agent/testing/quick-repository.ts'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import { logout } from '../../shared/api/auth.ts'
import { startBackupDownload } from '../../shared/api/backup-downloads.ts'
import { eventually } from '../helpers/eventually.ts'
import { otherCompany, person, siteOf } from '../helpers/factories.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { passFactor } from '../helpers/sessions.ts'
import { storingDevice } from '../helpers/stored-snapshot.ts'
import { testApp } from '../helpers/test-app.ts'
import { atLength } from '../helpers/thorough.ts'
import { filesInZip } from '../helpers/zip.ts'

/** Files of a snapshot as downloads of a browser, with the real restic and real connections. */

const oddNames = [
  'ünï çødé.txt',
  'a [1]*?$.txt',
  '!bang',
  ' spaces at both ends ',
  'new\nline',
  '100% "quoted".txt',
  '雪',
]

/** Of 255 bytes, as long as a name can be. */
const longName = `${'ü'.repeat(127)}x`

async function scene(prepare?: (source: string) => void) {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const device = await storingDevice(app)
  const { origin, token } = device
  const source = join(scratchFolder(), 'source')
  mkdirSync(join(source, 'docs', 'empty'), { recursive: true })
  for (const name of oddNames) writeFileSync(join(source, 'docs', name), `content of ${name}`)
  writeFileSync(join(source, 'nothing'), '')
  writeFileSync(join(source, 'large'), randomBytes(24 * 1024 * 1024))
  symlinkSync('large', join(source, 'link'))
  prepare?.(source)
  const snapshot = await device.backUp(source)

  const start = async (path: string | string[], as = token, id = snapshot.id) => {
    const call = { params: { id }, query: {}, body: { paths: [path].flat() } }
    const { status, body, headers } = await app.call(startBackupDownload, call, { token: as })
    const set = [headers['set-cookie'] ?? []].flat().join()
    return { status, body, set, cookie: set.split(';')[0] ?? '' }
  }
  const fetchAs = (id: string, cookie: string) =>
    fetch(`${origin}/api/v1/backup/downloads/${id}`, { headers: { cookie } })
  const download = async (path: string | string[]) => {
    const { status, body, cookie } = await start(path)
    expect(status, JSON.stringify(body)).toBe(201)
    return fetchAs(body.id, cookie)
  }
  const locks = () => readdirSync(join(snapshot.folder, 'locks'))
  /** What restic needs while it runs. */
  const traces = () => readdirSync(app.dataDir, { recursive: true }).filter((name) => /\brun-/.test(String(name)))
  return { app, ...device, source, snapshot, start, fetchAs, download, locks, traces }
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

/** Opens the connection and reads nothing of the body. */
async function opened(origin: string, id: string, cookie: string): Promise<IncomingMessage> {
  const request = get(`${origin}/api/v1/backup/downloads/${id}`, { headers: { cookie } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

/** One in each piece of a few kilobytes. */
function damage(file: string): void {
  const content = readFileSync(file)
  for (let at = 0; at < content.length; at += 4096) content[at] = (content[at] ?? 0) ^ 1
  chmodSync(file, 0o600)
  writeFileSync(file, content)
}

test('a file comes byte for byte under its name, whatever that is, and a folder as an archive with all that is in it', async () => {
  const { app, source, device, snapshot, download, locks } = await scene()
  for (const name of oddNames) {
    const response = await download(join(source, 'docs', name))
    expect(response.status).toBe(200)
    expect(String(await bytesOf(response))).toBe(`content of ${name}`)
    const disposition = response.headers.get('content-disposition') ?? ''
    expect(disposition).toMatch(/^attachment; filename/)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(Buffer.byteLength(`content of ${name}`)),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
  }
  const snow = await download(join(source, 'docs', '雪'))
  expect(snow.headers.get('content-disposition')).toContain("filename*=UTF-8''%E9%9B%AA")
  await snow.arrayBuffer()
  expect((await bytesOf(await download(join(source, 'large')))).equals(readFileSync(join(source, 'large')))).toBe(true)
  expect((await bytesOf(await download(join(source, 'nothing')))).length).toBe(0)

  const folder = await download(join(source, 'docs'))
  expect([folder.headers.get('content-type'), folder.headers.get('content-length')]).toEqual(['application/zip', null])
  expect(folder.headers.get('content-disposition')).toBe('attachment; filename=docs.zip')
  const inside = `${join(source, 'docs').slice(1)}/`
  expect(await filesInZip(await bytesOf(folder))).toEqual({
    ...Object.fromEntries(oddNames.map((name) => [`${inside}${name}`, `content of ${name}`])),
    [`${inside}empty/`]: '',
  })
  expect(Object.keys(await filesInZip(await bytesOf(await download('/'))))).toContain(`${source.slice(1)}/large`)

  await eventually(() => expect(locks()).toEqual([]))
  const events = auditOf(app, 'backup.snapshot.download')
  expect(events).toHaveLength(oddNames.length + 5)
  const paths = oddNames.map((name) => join(source, 'docs', name))
  for (const path of [...paths, join(source, 'docs'), '/'])
    expect(events.map(({ details }) => details)).toContainEqual(
      expect.objectContaining({ deviceId: device.deviceId, path }),
    )
  expect(new Set(events.map(({ resource_id }) => resource_id))).toEqual(new Set([snapshot.id]))
})

atLength('several files and folders come as one archive, each once', async () => {
  const { app, source, device, download, start, locks, traces } = await scene((folder) => {
    const deep = join(folder, 'more', 'inside', longName)
    mkdirSync(deep, { recursive: true })
    writeFileSync(join(deep, longName), 'deep')
    symlinkSync('inside', join(folder, 'more', 'shortcut'))
    writeFileSync(join(folder, 'more', 'many'), randomBytes(3 * 1024 * 1024))
    utimesSync(join(folder, 'more', 'many'), 0, 0)
    mkdirSync(join(folder, 'hollow'))
    writeFileSync(Buffer.concat([Buffer.from(join(folder, 'no text ')), Buffer.from([0xff])]), '')
  })
  const chosen = [
    ...oddNames.map((name) => join(source, 'docs', name)),
    ...['nothing', 'large', 'more', 'hollow'].map((name) => join(source, name)),
  ]
  // What is in a folder comes with it.
  const response = await download([...chosen, join(source, 'more', 'many'), `${source}/nothing`])
  expect([response.headers.get('content-type'), response.headers.get('content-length')]).toEqual([
    'application/zip',
    null,
  ])
  expect(response.headers.get('content-disposition')).toMatch(/\.zip"?$/)
  const inside = source.slice(1)
  const found = await filesInZip(await bytesOf(response))
  const contentOf = (...path: string[]) => String(readFileSync(join(source, ...path)))
  expect(new Map(Object.entries(found))).toEqual(
    new Map([
      ...oddNames.map((name) => [`${inside}/docs/${name}`, `content of ${name}`] as const),
      [`${inside}/nothing`, ''],
      [`${inside}/large`, contentOf('large')],
      [`${inside}/more/`, ''],
      [`${inside}/more/inside/`, ''],
      [`${inside}/more/inside/${longName}/`, ''],
      [`${inside}/more/inside/${longName}/${longName}`, 'deep'],
      [`${inside}/more/many`, contentOf('more', 'many')],
      [`${inside}/more/shortcut`, 'inside'],
      [`${inside}/hollow/`, ''],
    ]),
  )
  await eventually(() => expect([locks(), traces()]).toEqual([[], []]))
  expect(auditOf(app, 'backup.snapshot.download').map(({ details }) => details)).toEqual([
    {
      deviceId: device.deviceId,
      paths: chosen,
      files: oddNames.length + 2 + 3,
      folders: 4,
      bytes: expect.any(Number),
    },
  ])

  const before = app.rowCounts()
  const refusalOf = async (...paths: string[]) => {
    const { status, body } = await start(paths)
    return [status, body.code, body.name]
  }
  const file = join(source, 'nothing')
  expect(await refusalOf(file, join(source, 'link'))).toEqual([409, 'backup_not_downloadable', 'link'])
  expect(await refusalOf(file, `${source}/no text \uFFFD`)).toEqual([
    ...[409, 'backup_name_not_downloadable', 'no text \uFFFD'],
  ])
  expect((await refusalOf(file, `${file}!`)).slice(0, 2)).toEqual([404, 'backup_path_not_found'])
  expect((await refusalOf())[0]).toBe(400)
  expect((await refusalOf(...Array.from({ length: 101 }, (_, at) => `${file}${at}`)))[0]).toBe(400)
  expect([app.rowCounts(), locks()]).toEqual([before, []])
})

test('a download is for the browser that began it, once, for a minute, while its session goes on', async () => {
  const { app, source, token, start, fetchAs, locks, admin } = await scene()
  const path = join(source, 'nothing')
  const one = await start(path)
  expect(one.set).toMatch(new RegExp(`Path=/api/v1/backup/downloads/${one.body.id}; HttpOnly; SameSite=Strict`))
  const other = await start(path)
  for (const cookie of ['', 'svc_backup_download=', other.cookie]) {
    const refused = await fetchAs(one.body.id, cookie)
    expect([refused.status, (await refused.json()).code]).toEqual([404, 'backup_download_gone'])
  }
  const head = await app.inject({
    method: 'HEAD',
    url: `/api/v1/backup/downloads/${one.body.id}`,
    headers: { cookie: one.cookie },
  })
  expect(head.statusCode).toBe(404)
  expect((await fetchAs(one.body.id, one.cookie)).status).toBe(200)
  expect((await fetchAs(one.body.id, one.cookie)).status).toBe(404)
  expect((await fetchAs(other.body.id, other.cookie)).status).toBe(200)

  const late = await start(path)
  app.clock.advance(60_000)
  expect((await fetchAs(late.body.id, late.cookie)).status).toBe(404)

  // Of somebody who has lost the permission meanwhile, and of somebody who has signed out.
  const demoted = await start(path)
  const membership = q.updateTable('partner_users').set({ org_access: 'none' }).where('user_id', '=', admin.userId)
  app.db.run(membership)
  expect((await fetchAs(demoted.body.id, demoted.cookie)).status).toBe(404)
  app.db.run(q.updateTable('partner_users').set({ org_access: 'all' }).where('user_id', '=', admin.userId))
  const left = await start(join(source, 'large'))
  await app.call(logout, {}, { token })
  expect((await fetchAs(left.body.id, left.cookie)).status).toBe(404)
  await eventually(() => expect(locks()).toEqual([]))
})

test('who may not restore may not download, and what is refused leaves nothing', async () => {
  const { app, org, source, snapshot, start, token, admin } = await scene()
  const stranger = await otherCompany(app)
  const elsewhere = await siteOf(app, admin.token, org.id, 'Elsewhere')
  const scoped = { scope: 'organization', orgId: org.id } as const
  const confined = await person(app, { email: 's@x.test', ...scoped, siteIds: [elsewhere.id] })
  const viewer = await person(app, { email: 'v@x.test', ...scoped, role: 'Org Viewer' })
  for (const { token: one } of [stranger.admin, confined, viewer]) passFactor(app, one)
  const path = join(source, 'large')
  const before = app.rowCounts()
  const refusalOf = async (...call: Parameters<typeof start>) => {
    const { status, body, set } = await start(...call)
    expect(set).toBe('')
    return [status, body.code]
  }
  expect(await refusalOf(path, stranger.admin.token)).toEqual([404, 'backup_snapshot_not_found'])
  expect(await refusalOf(path, confined.token)).toEqual([403, 'site_access_denied'])
  expect(await refusalOf(path, viewer.token)).toEqual([403, 'permission_denied'])
  expect(await refusalOf(`${path}r`)).toEqual([404, 'backup_path_not_found'])
  expect(await refusalOf(`${source}/../source/large`)).toEqual([404, 'backup_path_not_found'])
  expect(await refusalOf(join(source, 'link'))).toEqual([409, 'backup_not_downloadable'])
  setOrganization(app, org.id, { status: 'suspended' })
  expect((await refusalOf(path))[0]).toBe(409)
  setOrganization(app, org.id, { status: 'active' })
  app.db.run(q.updateTable('sessions').set({ mfa_at: null, mfa_source: null }).where('user_id', '=', admin.userId))
  expect(await refusalOf(path)).toEqual([403, 'MFA_REQUIRED'])
  passFactor(app, token)

  const repository = q.updateTable('backup_snapshots').where('id', '=', snapshot.id)
  app.db.run(repository.set({ repository_id: null }))
  expect(await refusalOf('/')).toEqual([422, 'restore_legacy_snapshot'])
  app.db.run(repository.set({ repository_id: snapshot.repositoryId }))
  expect(app.rowCounts()).toEqual(before)
  expect(auditOf(app, 'backup.snapshot.download')).toEqual([])
})

test('two downloads at once, and none is left over when their browsers go', async () => {
  const { app, origin, source, start, fetchAs, locks } = await scene()
  const path = join(source, 'large')
  const [one, two] = [await start(path), await start('/')]
  expect(await start(path)).toMatchObject({ status: 409, body: { code: 'backup_downloads_busy' } })
  const stalled = await opened(origin, one.body.id, one.cookie)
  expect(locks().length).toBeGreaterThan(0)
  stalled.destroy()
  const third = await eventually(async () => {
    const again = await start(path)
    expect(again.status).toBe(201)
    return again
  })
  // One that nobody comes for gives its place back.
  app.clock.advance(60_000)
  for (const { body, cookie } of [two, third]) expect((await fetchAs(body.id, cookie)).status).toBe(404)
  const late = await eventually(async () => {
    const again = await start(path)
    expect(again.status).toBe(201)
    return again
  })
  expect((await bytesOf(await fetchAs(late.body.id, late.cookie))).length).toBe(24 * 1024 * 1024)
  await eventually(() => expect(locks()).toEqual([]))
})

test('an archive of several breaks off with its browser, and leaves nothing', async () => {
  const { origin, source, start, locks, traces } = await scene((folder) => {
    writeFileSync(join(folder, 'docs', 'much'), randomBytes(24 * 1024 * 1024))
  })
  const nothing = join(source, 'nothing')
  for (const paths of [
    [join(source, 'large'), nothing],
    [join(source, 'docs'), nothing],
  ]) {
    const { body, cookie } = await start(paths)
    const opening = await opened(origin, body.id, cookie)
    expect(locks().length).toBe(1)
    opening.destroy()
    await eventually(() => expect([locks(), traces()]).toEqual([[], []]))
  }
  // While the second one begins.
  const { body, cookie } = await start([nothing, join(source, 'docs')])
  const opening = await opened(origin, body.id, cookie)
  opening.destroy()
  await eventually(() => expect([locks(), traces()]).toEqual([[], []]))
})

atLength('one that takes nothing for a minute gives its place back, and one that takes little keeps it', async () => {
  const { app, origin, source, start } = await scene()
  const path = join(source, 'large')
  const [one, two] = [await start([path, join(source, 'docs')]), await start(path)]
  const stalled = await opened(origin, one.body.id, one.cookie)
  const slow = await opened(origin, two.body.id, two.cookie)
  for (const one of [stalled, slow]) one.on('error', () => {})
  let taken = 0
  for (const _ of Array.from({ length: 3 })) {
    await delay(1500)
    app.clock.advance(30_000)
    const before = taken
    // What is left does not fit into the buffers of the connection: the download goes on.
    while (taken < before + 4 * 1024 * 1024) {
      const chunk: Buffer | null = slow.read()
      if (chunk) taken += chunk.length
      else await once(slow, 'readable')
    }
  }
  await eventually(async () => expect((await start(path)).status).toBe(201))
  expect((await start(path)).body.code).toBe('backup_downloads_busy')
  await expect(buffer(stalled)).rejects.toThrow()
  slow.on('data', (chunk: Buffer) => {
    taken += chunk.length
  })
  await once(slow, 'end')
  expect(taken).toBe(24 * 1024 * 1024)
})

test('a damaged backup is refused before the first byte, and breaks the connection after it', async () => {
  const { source, snapshot, start, fetchAs } = await scene()
  const packs = readdirSync(join(snapshot.folder, 'data'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  // The folders of the snapshot are in the smallest pack, and the large file is in several others.
  const bySize = packs.map((file) => ({ file, bytes: readFileSync(file).length })).toSorted((a, b) => b.bytes - a.bytes)
  const damaged = bySize.filter(({ bytes }) => bytes > 1024 * 1024)
  expect(damaged.length).toBeGreaterThan(1)
  const begun = await start(join(source, 'large'))
  expect(begun.status).toBe(201)
  for (const { file } of damaged) damage(file)
  await expect(fetchAs(begun.body.id, begun.cookie).then(bytesOf)).rejects.toThrow()
  const second = await start([join(source, 'nothing'), join(source, 'large')])
  expect(second.status).toBe(201)
  await expect(fetchAs(second.body.id, second.cookie).then(bytesOf)).rejects.toThrow()
  expect(await start(join(source, 'large'))).toMatchObject({
    status: 502,
    body: { code: 'backup_repository_unreadable' },
  })
  rmSync(snapshot.folder, { recursive: true })
  const { status, body } = await start(join(source, 'nothing'))
  expect([status, body.code]).toEqual([502, 'backup_repository_unreadable'])
  expect(JSON.stringify(body)).not.toContain(quickPassword)
})

test('nothing is read while the repository is being maintained, and maintenance makes way', async () => {
  const { app, source, snapshot, start, locks } = await scene()
  const path = join(source, 'nothing')
  const lease = q.updateTable('backup_repositories').where('id', '=', snapshot.repositoryId)
  app.db.run(lease.set({ lock_until: '2026-03-01T09:05:00.000Z' }))
  const before = app.rowCounts()
  expect(await start(path)).toMatchObject({ status: 409, body: { code: 'backup_repository_busy' } })
  expect([app.rowCounts(), locks()]).toEqual([before, []])
  app.db.run(lease.set({ lock_until: null }))
  expect((await start(path)).status).toBe(201)
})
