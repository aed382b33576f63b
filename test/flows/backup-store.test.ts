import { createHash, randomBytes, randomUUIDv7 } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeQuickRepository, quickPassword } from '../../agent/testing/quick-repository.ts'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import { StoreCredentials } from '../../server/features/backup-store/credentials.ts'
import { storePath } from '../../server/features/backup-store/index.ts'
import { hour } from '../../server/platform/clock.ts'
import { bootstrapped, holdings } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { atLength } from '../helpers/thorough.ts'

/** The backup store of the appliance, with the real restic. */

async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { token } = await bootstrapped(app)
  const { org, device } = await holdings(app, token)
  const origin = await app.app.fastify.listen({ host: '127.0.0.1', port: 0 })
  const credentials = new StoreCredentials(app.db, app.clock)
  const storage = storageOf(app, org.id)
  const repository = (deviceId: string) => {
    const id = repositoryOf(app, { ...storage, orgId: org.id, deviceId })
    const open = (mode: 'append' | 'read', of = id) => {
      const { id: user, secret } = credentials.issue({
        repositoryId: id,
        commandId: randomUUIDv7(),
        mode,
        lifeMs: hour,
      })
      const url = new URL(storePath(of), origin)
      const authorization = `Basic ${btoa(`${user}:${secret}`)}`
      return {
        url: url.href,
        authorization,
        repository: `rest:${Object.assign(new URL(url), { username: user, password: secret }).href}`,
        call: (path: string, init: RequestInit = {}) =>
          fetch(new URL(path, url), { ...init, headers: { authorization, ...init.headers } }),
      }
    }
    return { id, open, folder: join(app.dataDir, 'backups', id), used: () => isUsed(app, id) }
  }
  return { app, token, device, repository }
}

function storageOf({ db }: TestApp, orgId: string) {
  const [keyId, configId] = [randomUUIDv7(), randomUUIDv7()]
  const at = '2026-03-01T09:00:00.000Z'
  db.statement(
    `INSERT INTO storage_encryption_keys (id, org_id, name, encrypted_private_key, key_hash, created_at, updated_at)
     VALUES (?, ?, 'key', '', '', ?, ?)`,
  ).run(keyId, orgId, at, at)
  db.statement(
    `INSERT INTO backup_configs (id, org_id, name, provider, provider_config, created_at, updated_at)
     VALUES (?, ?, 'store', 'local', '', ?, ?)`,
  ).run(configId, orgId, at, at)
  return { keyId, configId }
}

function repositoryOf({ db }: TestApp, of: { orgId: string; configId: string; deviceId: string; keyId: string }) {
  const id = randomUUIDv7()
  db.statement(
    `INSERT INTO backup_repositories (id, org_id, config_id, device_id, sub_path, key_id, created_at, updated_at)
     VALUES (@id, @orgId, @configId, @deviceId, @id, @keyId, @at, @at)`,
  ).run({ ...of, id, at: '2026-03-01T09:00:00.000Z' })
  return id
}

const isUsed = ({ db }: TestApp, id: string) =>
  db.statement(`UPDATE backup_repositories SET state = 'ready' WHERE id = ?`).run(id)

/** Some files, a few of them large enough for packs of their own. */
function files() {
  const folder = scratchFolder()
  mkdirSync(join(folder, 'deep', 'deeper'), { recursive: true })
  for (let n = 0; n < 40; n++) writeFileSync(join(folder, 'deep', `file ${n}`), randomBytes(1 + n * 997))
  writeFileSync(join(folder, 'deep', 'deeper', 'large'), randomBytes(24 * 1024 * 1024))
  return folder
}

function treeOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return Object.fromEntries(
    names.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path.slice(folder.length), createHash('sha256').update(readFileSync(path)).digest('hex')]
    }),
  )
}

test('restic makes a repository, backs up twice, checks, restores, and the server prunes', async () => {
  const { device, repository } = await scene()
  const { id, open, folder, used } = repository(device.deviceId)
  const source = files()
  const client = restic(open('append').repository)
  await client.ok('init')
  used()
  await client.ok('backup', '--host', device.deviceId, source)
  writeFileSync(join(source, 'new'), 'new')
  await client.ok('backup', '--host', device.deviceId, source)
  const snapshots = JSON.parse(await client.ok('snapshots', '--json')) as { id: string }[]
  expect(snapshots).toHaveLength(2)
  await client.ok('check', '--read-data')

  const reader = restic(open('read').repository)
  const target = scratchFolder()
  await reader.ok('restore', snapshots[1]?.id ?? '', '--target', target, '--verify')
  expect(treeOf(join(target, source))).toEqual(treeOf(source))

  // The server opens the same folder as a repository on its own disk.
  const server = restic(folder)
  await server.ok('forget', snapshots[0]?.id ?? '', '--prune')
  await server.ok('check', '--read-data')
  expect(JSON.parse(await client.ok('snapshots', '--json'))).toHaveLength(1)
  expect(readdirSync(join(folder, 'locks'))).toEqual([])
  expect(id).toBeTruthy()
})

test('a repository that a kill cut off while it was made is made anew', async () => {
  const { device, repository } = await scene()
  const { open, folder } = repository(device.deviceId)
  const client = restic(open('append').repository)
  await client.ok('init')
  // restic stores the key first, and the configuration last.
  rmSync(join(folder, 'config'))
  await client.ok('init')
  expect(readdirSync(join(folder, 'keys'))).toHaveLength(1)
  await client.ok('cat', 'config')
})

/** A repository with one snapshot, in the store of the appliance. */
async function backedUp() {
  const { device, repository } = await scene()
  const { open, folder, used } = repository(device.deviceId)
  makeQuickRepository(folder)
  used()
  const source = files()
  const client = restic(open('append').repository, quickPassword)
  await client.ok('backup', '--host', device.deviceId, source)
  return { open, folder, source, client, server: restic(folder, quickPassword) }
}

atLength('snapshots are copied to a second repository once each, and from there back into the store', async () => {
  const { open, folder, source, server } = await backedUp()
  const second = join(scratchFolder(), 'second')
  makeQuickRepository(second)
  const [near, far] = [server, restic(second, quickPassword)]
  const from = (path: string) => ['--from-repo', path, '--from-password-file', near.passwordFile]
  type Snapshot = { id: string; original?: string }
  const snapshotsIn = async ({ ok }: typeof far) => JSON.parse(await ok('snapshots', '--json')) as Snapshot[]
  await far.ok('copy', ...from(folder))
  const [there] = await snapshotsIn(near)
  expect(await snapshotsIn(far)).toEqual([expect.objectContaining({ original: there?.id })])
  await far.ok('copy', ...from(folder))
  expect(await snapshotsIn(far)).toHaveLength(1)

  writeFileSync(join(source, 'new'), 'new')
  await far.ok('backup', '--host', 'another', source)
  const client = restic(open('append').repository, quickPassword)
  await client.ok('copy', ...from(second))
  const all = await snapshotsIn(near)
  expect(all).toHaveLength(2)
  const target = scratchFolder()
  await near.ok('restore', all[1]?.id ?? '', '--target', target, '--verify')
  expect(treeOf(join(target, source))).toEqual(treeOf(source))
  await near.ok('check', '--read-data')
})

test('while the server works on a repository no device backs up, and the server does not prune while one does', async () => {
  const { client, server, source, folder } = await backedUp()
  writeFileSync(join(source, 'more'), randomBytes(30_000_000))
  const stopped = async (run: ReturnType<typeof client.start>, lock: number) => {
    const end = once(run, 'close')
    // While restic writes a lock, it has another name.
    const locks = () => readdirSync(join(folder, 'locks')).filter((name) => /^[0-9a-f]{64}$/.test(name))
    await expect.poll(() => locks().length, { interval: 2 }).toBe(lock)
    run.kill('SIGSTOP')
    return () => {
      run.kill('SIGCONT')
      return end
    }
  }
  const goOnPruning = await stopped(server.start('check', '--read-data'), 1)
  const refused = await client.run('backup', '--host', 'a', source)
  expect([refused.code, refused.stderr]).toEqual([expect.toBeOneOf([1, 11]), expect.stringContaining('locked')])
  await goOnPruning()
  const goOnBackingUp = await stopped(client.start('backup', '--host', 'a', source), 1)
  expect((await server.run('prune')).stderr).toContain('locked')
  expect(await goOnBackingUp()).toEqual([0, null])
  expect(readdirSync(join(folder, 'locks'))).toEqual([])
  await server.ok('prune')
  expect(JSON.parse(await client.ok('snapshots', '--json'))).toHaveLength(2)
})

atLength('a backup that is killed leaves nothing that counts, and the next one goes on where it was', async () => {
  const { client, server, source, folder } = await backedUp()
  for (let n = 0; n < 8; n++) writeFileSync(join(source, `large-${n}`), randomBytes(16_000_000))
  const packs = () =>
    readdirSync(join(folder, 'data'), { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const before = packs().length
  const killed = client.start('backup', '--host', 'a', source)
  const end = once(killed, 'close')
  await expect.poll(() => packs().length, { interval: 2 }).toBeGreaterThan(before)
  killed.kill('SIGKILL')
  await end
  expect(JSON.parse(await client.ok('snapshots', '--json'))).toHaveLength(1)
  // A device may remove what it has left of locks, and nothing else.
  await client.ok('unlock')
  expect(readdirSync(join(folder, 'locks'))).toEqual([])
  await client.ok('backup', '--host', 'a', source)
  await server.ok('check', '--read-data')
  const target = scratchFolder()
  await client.ok('restore', 'latest', '--target', target)
  expect(treeOf(join(target, source))).toEqual(treeOf(source))
})

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
const post = (body: string | Buffer) => ({ method: 'POST', body: new Uint8Array(Buffer.from(body)) })

/** A repository with one object of each kind. */
async function filled() {
  const at = await scene()
  const repository = at.repository(at.device.deviceId)
  const append = repository.open('append')
  expect((await append.call('?create=true', { method: 'POST' })).status).toBe(200)
  expect((await append.call('config', post('the configuration'))).status).toBe(200)
  repository.used()
  for (const kind of ['data', 'index', 'keys', 'snapshots', 'locks'])
    expect((await append.call(`${kind}/${sha256(kind)}`, post(kind))).status, kind).toBe(200)
  return { ...at, ...repository, append, tree: () => treeOf(repository.folder) }
}

test('objects are listed in both versions of the protocol, and read whole, in part, or only their size', async () => {
  const { append } = await filled()
  const name = sha256('data')
  const v2 = await append.call('data/', { headers: { accept: 'application/vnd.x.restic.rest.v2' } })
  expect(v2.headers.get('content-type')).toBe('application/vnd.x.restic.rest.v2')
  expect(await v2.json()).toEqual([{ name, size: 4 }])
  expect(await (await append.call('data/')).json()).toEqual([name])
  expect(await (await append.call(`data/${name}`)).text()).toBe('data')
  const part = await append.call(`data/${name}`, { headers: { range: 'bytes=1-2' } })
  expect([part.status, await part.text()]).toEqual([206, 'at'])
  const head = await append.call(`data/${name}`, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '4'])
  expect((await append.call(`data/${sha256('other')}`)).status).toBe(404)
  expect((await append.call('config', { method: 'HEAD' })).headers.get('content-length')).toBe('17')
})

test('what was stored can neither be removed nor replaced with the credential of a device', async () => {
  const { append, open, tree } = await filled()
  const before = tree()
  const reader = open('read')
  for (const { call } of [append, reader]) {
    for (const kind of ['data', 'index', 'keys', 'snapshots'])
      expect((await call(`${kind}/${sha256(kind)}`, { method: 'DELETE' })).status, kind).toBe(403)
    expect((await call('config', { method: 'DELETE' })).status).toBe(403)
    expect((await call('config', post('another'))).status).toBe(403)
    expect((await call('?create=true', { method: 'POST' })).status).toBe(403)
  }
  expect((await append.call(`data/${sha256('data')}`, post('date'))).status, 'not its hash').toBe(400)
  expect((await append.call(`data/${sha256('data')}`, post('data'))).status, 'the same again').toBe(200)
  expect((await reader.call(`data/${sha256('new')}`, post('new'))).status).toBe(403)
  expect(tree()).toEqual(before)
  const lock = sha256('a lock')
  expect((await reader.call(`locks/${lock}`, post('a lock'))).status).toBe(200)
  expect((await reader.call(`locks/${lock}`, { method: 'DELETE' })).status).toBe(200)
  expect(tree()).toEqual(before)
})

test('a credential opens its own repository until it expires, and nothing else', async () => {
  const { app, token, append, repository, open, tree } = await filled()
  const other = repository((await holdings(app, token, 'Oslo', 'pc-2')).device.deviceId)
  const before = tree()
  for (const path of ['', 'config', `data/${sha256('data')}`, 'keys/'])
    expect((await open('append', other.id).call(path)).status, path).toBe(403)
  const anonymous = await fetch(append.url)
  expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Basic')])
  const wrong = await append.call('config', { headers: { authorization: `Basic ${btoa('x:y')}` } })
  expect(wrong.status).toBe(401)
  app.clock.advance(hour)
  expect((await append.call('config')).status).toBe(401)
  expect(tree()).toEqual(before)
})

test.each([
  'data/..%2f..%2fkeyring.json',
  `data/${'a'.repeat(63)}`,
  `data/${'A'.repeat(64)}`,
  `other/${'a'.repeat(64)}`,
  'locks',
  'data/a/b',
])('the path %s leads nowhere', async (path) => {
  const { append, tree } = await filled()
  const before = tree()
  for (const method of ['GET', 'POST', 'DELETE']) {
    if (method === 'GET' && path === 'locks') continue
    const answer = await append.call(path, { method, ...(method === 'POST' && { body: 'x' }) })
    expect(answer.status, method).toBeGreaterThanOrEqual(400)
    expect(answer.status, method).toBeLessThan(500)
    expect(await answer.text()).not.toContain('encryption')
  }
  expect(tree()).toEqual(before)
})

test('an upload that is cut off leaves nothing, and ten at once of the same object are one', async () => {
  const { append, tree, app } = await filled()
  const before = tree()
  const name = sha256('never complete')
  const cut = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('never'))
      controller.error(new Error('the network is gone'))
    },
  })
  const options = { method: 'POST', body: cut, duplex: 'half', headers: { 'content-length': '14' } }
  await expect(append.call(`data/${name}`, options as RequestInit)).rejects.toThrow()
  await expect.poll(() => readdirSync(join(app.dataDir, 'backups', '.incoming'))).toEqual([])
  expect(tree()).toEqual(before)

  const content = randomBytes(300_000)
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => append.call(`data/${sha256(content)}`, post(content))),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
  expect(Object.keys(tree())).toHaveLength(Object.keys(before).length + 1)
  expect(readdirSync(join(app.dataDir, 'backups', '.incoming'))).toEqual([])
})

test('the bytes of a repository are counted, and saved when the appliance stops', async () => {
  const { app, id, append } = await filled()
  const content = randomBytes(50_000)
  await append.call(`data/${sha256(content)}`, post(content))
  await append.call(`data/${sha256(content)}`, post(content))
  const stored = () => app.db.statement('SELECT stored_bytes FROM backup_repositories WHERE id = ?').pluck().get(id)
  await expect.poll(stored, { timeout: 10_000 }).toBe(50_000 + 17 + 4 + 5 + 4 + 9 + 5)
})

/** An upload that has announced itself, and sends its content when it is told to. */
function uploadOf(
  { url, authorization }: { url: string; authorization: string },
  content: string | Buffer,
  bytes = content.length,
) {
  const headers = { authorization, 'content-length': bytes }
  const upload = request(new URL(`data/${sha256(content)}`, url), { method: 'POST', headers })
  upload.flushHeaders()
  const status = once(upload, 'response').then(([response]) => {
    upload.destroy()
    return (response as IncomingMessage).statusCode
  })
  upload.on('error', () => {})
  return { status, finish: () => upload.end(content) }
}

test('locks and configurations are small, locks are few, and no object is larger than restic makes one', async () => {
  const { append, folder, tree } = await filled()
  const large = randomBytes(70_000)
  expect((await append.call(`locks/${sha256(large)}`, post(large))).status).toBe(413)
  expect((await append.call('config', { method: 'DELETE' })).status).toBe(403)
  expect(await uploadOf(append, 'never sent', 300 * 1024 * 1024).status).toBe(413)
  for (let n = 0; n < 999; n++) writeFileSync(join(folder, 'locks', sha256(`lock ${n}`)), 'lock')
  const before = tree()
  expect((await append.call(`locks/${sha256('one more')}`, post('one more'))).status).toBe(403)
  expect((await append.call(`locks/${sha256('lock 1')}`, { method: 'DELETE' })).status).toBe(200)
  expect((await append.call(`locks/${sha256('one more')}`, post('one more'))).status).toBe(200)
  expect(Object.keys(tree())).toHaveLength(Object.keys(before).length)
})

test('the 33rd upload at once is refused, and the others go on', async () => {
  const { app, append, tree } = await filled()
  const before = Object.keys(tree()).length
  const contents = Array.from({ length: 33 }, () => randomBytes(1000))
  const slow = contents.slice(0, 32).map((content) => uploadOf(append, content))
  await expect.poll(() => readdirSync(join(app.dataDir, 'backups', '.incoming')).length).toBe(32)
  const [last = Buffer.alloc(0)] = contents.slice(32)
  expect((await append.call(`data/${sha256(last)}`, post(last))).status).toBe(503)
  for (const { finish } of slow) finish()
  expect(await Promise.all(slow.map(({ status }) => status))).toEqual(contents.slice(1).map(() => 200))
  expect((await append.call(`data/${sha256(last)}`, post(last))).status).toBe(200)
  expect(Object.keys(tree())).toHaveLength(before + 33)
})

test('who tries what no backup does is in the audit log once an hour, with the device', async () => {
  const { app, token, device, append, repository, id } = await filled()
  const other = repository((await holdings(app, token, 'Oslo', 'pc-2')).device.deviceId)
  const events = () =>
    app.db
      .statement<{ actor_id: string; resource_id: string; details: string }>(
        `SELECT actor_id, resource_id, details FROM audit_logs WHERE action = 'backup.store.refuse' AND result = 'denied' ORDER BY seq`,
      )
      .all()
  // What belongs to every backup, and what goes wrong without anybody’s intent.
  for (const [path, init] of [
    [`data/${sha256('data')}`, post('data')],
    [`data/${sha256('other')}`, {}],
    [`data/${sha256('x')}`, post('y')],
    [`locks/${sha256('locks')}`, { method: 'DELETE' }],
  ] as const)
    await append.call(path, init)
  expect(events()).toEqual([])
  const attack = async () => {
    for (let n = 0; n < 40; n++) await append.call(`data/${sha256('data')}`, { method: 'DELETE' })
    await append.call('config', post('another'))
  }
  await attack()
  await attack()
  const told = (tried: string) => ({ actor_id: device.deviceId, resource_id: id, details: JSON.stringify({ tried }) })
  expect(events()).toEqual([told('delete')])
  app.clock.advance(hour)
  await other.open('append', id).call('config')
  expect(events()).toHaveLength(2)

  // Somebody without credentials tries them out.
  const stranger = () => append.call('config', { headers: { authorization: `Basic ${btoa('x:y')}` } })
  const answers = new Set<number>()
  for (let n = 0; n < 60; n++) answers.add((await stranger()).status)
  expect([...answers]).toEqual([401, 429])
  expect(events()).toHaveLength(3)
})
