import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import type { Resolve } from '../../server/platform/outbound/index.ts'
import { testBackupConfig, updateBackupConfig } from '../../shared/api/backup-configs.ts'
import { contents } from '../contract/stage.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { company, otherCompany, person } from '../helpers/factories.ts'
import { privateHost } from '../helpers/private-host.ts'
import { sshServer } from '../helpers/ssh-server.ts'
import { testApp } from '../helpers/test-app.ts'

/** “Test” of backup storage: what it asks, what it says, and what it must not do. */

const onThisMachine = { OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' }

async function scene(env: Record<string, string> = onThisMachine, resolve?: Resolve) {
  const app = await testApp({ env, ...(resolve && { resolve }) })
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { admin } = await company(app)
  const { token } = admin
  const operator = backupOperator(app, token)
  const storage = (provider: string, details: object) => operator.storage({ provider, details })
  const call = (id: string, as = token) => app.call(testBackupConfig, { params: { id } }, { token: as })
  const tested = async (provider: string, details: object) => (await call((await storage(provider, details)).id)).body
  const patch = (id: string, details: object) =>
    app.call(updateBackupConfig, { params: { id }, body: { details } as never }, { token })
  const events = () =>
    app.db
      .statement(`SELECT resource_id, result, details FROM audit_logs WHERE action = 'backup.config.test'`)
      .all() as { resource_id: string; result: string; details: string }[]
  return { app, admin, token, storage, call, tested, patch, events }
}

/** A server on this machine that answers as it is told. */
async function listener(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('the store of the appliance is written to and read, and says how much room it has', async () => {
  const { app, storage, call, events } = await scene()
  const config = await storage('local', {})
  const { status, body } = await call(config.id)
  expect(status).toBe(200)
  expect(body).toEqual({
    id: config.id,
    provider: 'local',
    status: 'success',
    checkedAt: new Date(app.clock.now()).toISOString(),
    error: null,
    providerCapabilities: null,
    freeBytes: expect.any(Number),
    config,
  })
  expect(body.freeBytes).toBeGreaterThan(1024)
  expect(readdirSync(join(app.dataDir, 'backups'))).toEqual([])
  expect(events()).toMatchObject([{ resource_id: config.id, result: 'success' }])
})

test('a store that is gone fails, with the same answer as a success and status 400', async () => {
  const { app, storage, call, events } = await scene()
  const config = await storage('local', {})
  rmSync(join(app.dataDir, 'backups'), { recursive: true })
  const { status, body } = await call(config.id)
  expect([status, body.status]).toEqual([400, 'failed'])
  expect(body).toMatchObject({ id: config.id, provider: 'local', providerCapabilities: null, config })
  expect(body.error).toBe('The folder of the backup store is missing')
  expect(existsSync(join(app.dataDir, 'backups')), 'a disk that is not mounted is not replaced').toBe(false)
  expect(events()).toMatchObject([{ resource_id: config.id, result: 'failure' }])
})

test('a folder on the device is not looked for on the appliance', async () => {
  const { storage, call, events } = await scene()
  const folder = scratchFolder()
  const { status, body } = await call((await storage('local', { path: folder })).id)
  expect([status, body.status, body.error]).toEqual([
    400,
    'unsupported',
    'Path is checked on the device at the first backup',
  ])
  expect(readdirSync(folder)).toEqual([])
  expect(events()).toMatchObject([{ result: 'failure' }])
})

test('an empty body that calls itself JSON is accepted', async () => {
  const { app, token, storage } = await scene()
  const { id } = await storage('local', {})
  const { statusCode } = await app.inject({
    method: 'POST',
    url: `/api/v1/backup/configs/${id}/test`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })
  expect(statusCode).toBe(200)
})

test('somebody of another company, somebody who only reads, and somebody who asks too often get no test', async () => {
  const { app, admin, storage, call } = await scene({ ...onThisMachine, HOMEPORT_LIMIT_BACKUP_CONFIG_TEST: '2/60' })
  const asked: string[] = []
  const url = await listener((request, response) => {
    asked.push(String(request.url))
    response.writeHead(404).end()
  })
  const { id } = await storage('rest', { url })
  const stranger = await otherCompany(app)
  backupOperator(app, stranger.admin.token)
  const viewer = await person(app, {
    email: 'v@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    role: 'Partner Viewer',
  })
  const before = await contents(app)
  expect((await call(id, stranger.admin.token)).status).toBe(404)
  expect((await call(id, viewer.token)).status).toBe(403)
  expect((await call('no-id')).status).toBe(404)
  expect(await contents(app)).toEqual(before)
  expect(asked).toEqual([])
  expect([(await call(id)).status, (await call(id)).status, (await call(id)).status]).toEqual([200, 200, 429])
  expect(asked).toHaveLength(2)
})

test.each([
  ['rest', { url: 'http://127.0.0.1:9/', password: 'p' }],
  ['rest', { url: 'http://169.254.169.254/latest/', password: 'p' }],
  ['rest', { url: 'http://2130706433/' }],
  ['s3', { endpoint: 'http://localhost:9000', bucket: 'b', region: 'x-1', accessKey: 'a', secretKey: 's' }],
  ['s3', { endpoint: 'http://[::ffff:169.254.169.254]', bucket: 'b', region: 'x-1', accessKey: 'a', secretKey: 's' }],
  ['sftp', { host: '127.0.0.1', username: 'u', path: '/b', privateKey: 'k', hostKey: 'ssh-ed25519 AAAA' }],
  ['sftp', { host: 'nowhere.test', username: 'u', path: '/b', privateKey: 'k', hostKey: 'ssh-ed25519 AAAA' }],
])('%s at %j is not asked, and looks like a server that does not answer', async (provider, details) => {
  const { tested } = await scene({})
  expect(await tested(provider, details)).toMatchObject({
    status: 'failed',
    error: 'The server cannot be reached. Check its address, its port and its certificate.',
  })
})

test.each([
  [404, 'success', null],
  [401, 'failed', 'The storage does not take these credentials'],
  [403, 'failed', 'The storage does not take these credentials'],
  [302, 'failed', 'The address leads elsewhere (302); give the one it leads to'],
  [500, 'failed', 'The server answered 500'],
])('a REST server that answers %i: %s', async (code, status, error) => {
  const { tested } = await scene()
  const asked: string[] = []
  const url = await listener((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    response.writeHead(code, { location: 'http://169.254.169.254/' }).end('a secret of the intranet')
  })
  const answer = await tested('rest', { url: `${url}/all`, username: 'u', password: '100%:é' })
  expect(answer).toMatchObject({ status, error })
  expect(JSON.stringify(answer)).not.toContain('intranet')
  const basic = Buffer.from('u:100%:é').toString('base64')
  expect(asked).toEqual([
    expect.stringMatching(new RegExp(`^GET /all/[\\w-]+-\\.probe-[\\w-]+/config Basic ${basic}$`)),
  ])
})

test('a REST server with a certificate of its own authority needs that authority', async () => {
  const { app, tested, storage } = await scene()
  const host = await privateHost(['127.0.0.1'], (_request, response) => response.writeHead(404).end())
  onTestFinished(() => host[Symbol.asyncDispose]())
  const url = `https://127.0.0.1:${host.port}/`
  expect(await tested('rest', { url })).toMatchObject({ status: 'failed' })
  const caCertificate = readFileSync(host.pemFile, 'utf8')
  expect(await tested('rest', { url, caCertificate })).toMatchObject({ status: 'success' })
  await expect(storage('rest', { url, caCertificate: 'no certificate' })).rejects.toThrow('Must be a certificate')
  expect(app.logLines).toEqual([])
})

interface S3Answers {
  /** Status and code of an error, by method. */
  refuse?: Record<string, [number, string]>
  objectLock?: string
  spoil?: boolean
}

/** The little of S3 that a test asks for; signatures are looked at by real servers in the thorough tests. */
async function bucket({ refuse = {}, objectLock, spoil }: S3Answers) {
  const objects = new Map<string, Buffer>()
  const asked: string[] = []
  const url = await listener(async (request, response) => {
    const { method = '', url: path = '' } = request
    asked.push(`${method} ${path.replace(/probe-[\w-]+/, 'probe')}`)
    const chunks: Buffer[] = await request.toArray()
    const fail = (status: number, code: string) =>
      response.writeHead(status).end(`<Error><Code>${code}</Code><Message>of the intranet</Message></Error>`)
    if (path.includes('?object-lock'))
      return objectLock
        ? response.end(objectLock)
        : fail(...(refuse.LOCK ?? ([404, 'ObjectLockConfigurationNotFoundError'] as const)))
    const refusal = refuse[method]
    if (refusal) return fail(...refusal)
    if (method === 'PUT') objects.set(path, Buffer.concat(chunks))
    if (method === 'DELETE') objects.delete(path)
    return response.end(method === 'GET' ? (spoil ? 'other' : objects.get(path)) : '')
  })
  const details = {
    endpoint: url,
    bucket: 'b',
    region: 'eu-1',
    prefix: 'a b/c+d',
    accessKey: 'AKIA1',
    secretKey: 's3c',
  }
  return { details, asked, objects }
}

const locking = '<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>'

test('an S3 bucket is written to, read, cleared and asked for object lock; another address forgets the answer', async () => {
  const { storage, call, patch } = await scene()
  const { details, asked, objects } = await bucket({ objectLock: locking })
  const { id } = await storage('s3', details)
  const { status, body } = await call(id)
  const object = '/b/a%20b/c%2Bd/.probe'
  expect(asked).toEqual([`PUT ${object}`, `GET ${object}`, `DELETE ${object}`, 'GET /b?object-lock='])
  expect(objects.size).toBe(0)
  const found = { objectLock: { supported: true, checkedAt: body.checkedAt, error: null } }
  expect([status, body.providerCapabilities, body.config.providerCapabilities]).toEqual([200, found, found])
  expect((await patch(id, { prefix: 'other' })).body.providerCapabilities).toBeNull()
})

test.each<[S3Answers, object]>([
  [{}, { status: 'success', providerCapabilities: { objectLock: { supported: false, error: null } } }],
  [
    { refuse: { LOCK: [403, 'AccessDenied'] } },
    { status: 'success', providerCapabilities: { objectLock: { supported: false, error: expect.any(String) } } },
  ],
  [{ refuse: { PUT: [404, 'NoSuchBucket'] } }, { status: 'failed', error: 'There is no such bucket' }],
  [
    { refuse: { PUT: [403, 'SignatureDoesNotMatch'] } },
    { status: 'failed', error: 'The storage does not take these credentials' },
  ],
  [
    { refuse: { PUT: [301, 'PermanentRedirect'] } },
    { status: 'failed', error: 'The bucket is in another region or has another endpoint' },
  ],
  [
    { refuse: { DELETE: [403, 'AccessDenied'] } },
    { status: 'failed', error: 'The access key may not do that in this bucket' },
  ],
  [{ refuse: { PUT: [418, 'Intranet'] } }, { status: 'failed', error: 'The storage answered 418' }],
  [{ spoil: true }, { status: 'failed', error: 'The storage does not return what was stored' }],
])('an S3 bucket with %j: %j', async (answers, expected) => {
  const { tested } = await scene()
  const { details, objects } = await bucket(answers)
  const answer = await tested('s3', details)
  expect(answer).toMatchObject(expected)
  expect(JSON.stringify(answer)).not.toMatch(/intranet|s3c/i)
  if (!answers.refuse?.DELETE) expect(objects.size).toBe(0)
})

test('SFTP on a real server: the right key, a wrong one, another host key, another port', async () => {
  const { app, storage, call, patch } = await scene()
  const { details, path, stranger } = await sshServer()
  const { id } = await storage('sftp', details)
  expect(await call(id)).toMatchObject({ status: 200, body: { status: 'success', error: null } })
  expect(readdirSync(path)).toEqual([])
  await patch(id, { privateKey: stranger.privateKey })
  expect((await call(id)).body).toMatchObject({
    status: 'failed',
    error: 'The storage does not take these credentials',
  })
  await patch(id, { privateKey: details.privateKey, hostKey: stranger.publicKey })
  expect((await call(id)).body).toMatchObject({
    status: 'failed',
    error: 'The server has another host key than the one that was entered',
  })
  await patch(id, { privateKey: details.privateKey, port: 9 })
  const unreachable = { status: 'failed', error: expect.stringContaining('cannot be reached') }
  expect((await call(id)).body).toMatchObject(unreachable)
  const silent = new URL(await listener((_request, response) => response.end())).port
  await patch(id, { privateKey: details.privateKey, port: Number(silent) })
  expect((await call(id)).body, 'a server of another kind tells nothing of itself').toMatchObject(unreachable)
  expect(readdirSync(join(app.dataDir, 'restic')), 'no secret is left').toEqual([])
  expect(JSON.stringify(await contents(app))).not.toContain('OPENSSH PRIVATE KEY')
})

/** A program in the place of restic, which writes down how it was started and says what it is told to say. */
function recordingRestic(says: string, code: number) {
  const folder = scratchFolder()
  const [file, seen] = [join(folder, 'restic'), join(folder, 'seen.json')]
  writeFileSync(
    file,
    `#!${process.execPath}
const { readFileSync, writeFileSync } = require('node:fs')
const { env, argv } = process
if (argv[2] === 'version') process.stdout.write('restic 0.18.0 compiled')
else {
  const { RESTIC_REPOSITORY_FILE, GOOGLE_APPLICATION_CREDENTIALS: key } = env
  const url = readFileSync(RESTIC_REPOSITORY_FILE, 'utf8')
  writeFileSync(${JSON.stringify(seen)}, JSON.stringify({ args: argv.slice(2), env, url, key: key && readFileSync(key, 'utf8') }))
  process.stderr.write(${JSON.stringify(says)})
  process.exitCode = ${code}
}
`,
    { mode: 0o755 },
  )
  return {
    file,
    seen: () => JSON.parse(readFileSync(seen, 'utf8')) as { args: string[]; env: object; url: string; key?: string },
  }
}

const serviceAccount = { type: 'service_account', client_email: 'a@b.test', private_key: 'PRIVATE-G' }
const clouds = [
  {
    provider: 'azure_blob',
    details: { accountName: 'acme', container: 'backups', prefix: 'x', accountKey: 'KEY-A' },
    host: 'acme.blob.core.windows.net',
    url: /^azure:backups:\/x\/[\w-]+\/\.probe-[\w-]+$/,
    env: { AZURE_ACCOUNT_NAME: 'acme', AZURE_ACCOUNT_KEY: 'KEY-A' },
    secret: 'KEY-A',
  },
  {
    provider: 'azure_blob',
    details: { accountName: 'acme', container: 'backups', sasToken: '?sv=SAS-1&sig=x' },
    host: 'acme.blob.core.windows.net',
    url: /^azure:backups:\/[\w-]+\/\.probe-[\w-]+$/,
    env: { AZURE_ACCOUNT_NAME: 'acme', AZURE_ACCOUNT_SAS: 'sv=SAS-1&sig=x' },
    secret: 'SAS-1',
  },
  {
    provider: 'google_cloud',
    details: { projectId: 'p-1', bucket: 'backups', credentialsJson: JSON.stringify(serviceAccount) },
    host: 'storage.googleapis.com',
    url: /^gs:backups:\/[\w-]+\/\.probe-[\w-]+$/,
    env: { GOOGLE_PROJECT_ID: 'p-1' },
    secret: 'PRIVATE-G',
  },
  {
    provider: 'backblaze',
    details: { bucket: 'backups', keyId: 'id-1', applicationKey: 'KEY-B' },
    host: 'api.backblazeb2.com',
    url: /^b2:backups:[\w-]+\/\.probe-[\w-]+$/,
    env: { B2_ACCOUNT_ID: 'id-1', B2_ACCOUNT_KEY: 'KEY-B' },
    secret: 'KEY-B',
  },
]

async function cloud(says: string, code: number, address = '20.60.1.2') {
  const { file, seen } = recordingRestic(says, code)
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return [address]
  }
  return { ...(await scene({ RESTIC_PATH: file }, resolve)), asked, seen }
}

test.each(clouds)('$provider is asked by restic, its secret not on the command line: $env', async (one) => {
  const missing = 'Fatal: unable to open config file: does not exist\nIs there a repository at the following location?'
  const { tested, seen, asked } = await cloud(missing, 10)
  expect(await tested(one.provider, one.details)).toMatchObject({ status: 'success' })
  const { args, env, url, key } = seen()
  expect(args).toEqual(['--no-cache', '--json', 'cat', 'config'])
  expect(url).toMatch(one.url)
  expect(env).toMatchObject(one.env)
  expect(asked).toEqual([one.host])
  if (key) expect(JSON.parse(key)).toMatchObject(serviceAccount)
})

test.each(clouds)('$provider with $host: what restic says of a failure is told without secrets', async (one) => {
  const { tested } = await cloud(`Fatal: create: ${one.secret} is bad, https://u:${one.secret}@x/y: 400\n`, 1)
  const answer = await tested(one.provider, one.details)
  expect(answer).toMatchObject({ status: 'failed', error: expect.stringContaining('is bad') })
  expect(JSON.stringify(answer)).not.toContain(one.secret)
})

test('a cloud whose name leads to this machine is not asked, and one that never answers is given up', async () => {
  const poisoned = await cloud('', 0, '127.0.0.1')
  const { provider, details } = clouds[0] as (typeof clouds)[0]
  expect(await poisoned.tested(provider, details)).toMatchObject({ status: 'failed' })
  expect(poisoned.seen).toThrow('ENOENT')
  const retry = 'Stat(<config/>) returned error, retrying after 671.7ms: Head "https://x": 403 Forbidden\n'
  const { tested } = await cloud(retry, 1)
  expect(await tested(provider, details)).toMatchObject({ error: 'The storage does not take these credentials' })
})

test('without restic on the appliance it is said that nobody knows', async () => {
  const { call, storage } = await scene({ RESTIC_PATH: '/nowhere/restic' }, async () => ['20.60.1.2'])
  const { provider, details } = clouds[3] as (typeof clouds)[0]
  const { status, body } = await call((await storage(provider, details)).id)
  expect([status, body.status]).toEqual([400, 'unsupported'])
})
