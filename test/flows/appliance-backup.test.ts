import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { backUp, restore } from '../../server/admin/archive.ts'
import type { Appliance } from '../../server/appliance.ts'
import { loadConfig } from '../../server/config/config.ts'
import { Database } from '../../server/db/database.ts'
import { databaseFile } from '../../server/db/location.ts'
import { q } from '../../server/db/query.ts'
import { systemClock } from '../../server/platform/clock.ts'
import { downloadBackup, readBackup } from '../../shared/api/appliance-backup.ts'
import type { Endpoint, ReplyOf } from '../../shared/endpoint.ts'
import { eventually } from '../helpers/eventually.ts'
import { bootstrapped, member, password } from '../helpers/factories.ts'
import { serveHere } from '../helpers/in-process-appliance.ts'
import { auditOf } from '../helpers/rows.ts'
import { sessionOf } from '../helpers/sessions.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** Backups of the appliance itself: downloaded in the console, or written by the command line. */

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'homeport-backup-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** An appliance on a file, because a backup is a copy of files. */
async function scene(env: Record<string, string> = {}) {
  const dataDir = temporaryFolder()
  const appliance = await serveHere(dataDir, env)
  onTestFinished(() => appliance.stop())
  const origin = `http://127.0.0.1:${appliance.port}`
  const config = loadConfig({ HOMEPORT_DATA_DIR: dataDir })
  // What the helpers of tests take.
  const app = { db: appliance.app.db, dataDir, config, clock: systemClock } as unknown as TestApp
  const { user, partnerId } = await setUp(appliance, origin, dataDir)
  const ask = (endpoint: Endpoint, token: string, body?: object, signal?: AbortSignal) =>
    fetch(`${origin}/api/v1${endpoint.path}`, {
      method: endpoint.method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  const last = async (token: string) =>
    ((await (await ask(readBackup, token)).json()) as ReplyOf<typeof readBackup>).last
  const leftovers = () => readdirSync(dataDir).filter((name) => name.startsWith('.backup-'))
  return { app, dataDir, config, origin, userId: user, partnerId, ask, last, leftovers }
}

async function setUp(appliance: Appliance, origin: string, dataDir: string) {
  appliance.app.bootstrap.setupCode()
  const setupCode = readFileSync(join(dataDir, 'setup-code'), 'utf8').trim()
  const admin = { setupCode, companyName: 'Acme', name: 'Ada', email: 'ada@acme.test', password }
  const made = await fetch(`${origin}/api/v1/system/bootstrap`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  })
  const { user, partner } = (await made.json()) as { user: { id: string }; partner: { id: string } }
  return { user: user.id, partnerId: partner.id }
}

test('a downloaded backup restores the appliance elsewhere, is recorded, and leaves no copy behind', async () => {
  const { app, userId, ask, last, leftovers } = await scene()
  const token = await sessionOf(app, userId, 'totp')
  expect(await last(token)).toBeNull()
  const reply = await ask(downloadBackup, token)
  expect([reply.status, reply.headers.get('content-type'), reply.headers.get('cache-control')]).toEqual([
    200,
    'application/gzip',
    'no-store',
  ])
  expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="homeport-\d{4}-\d\d-\d\d\.tgz"$/)
  const image = await reply.arrayBuffer()
  expect(Number(reply.headers.get('content-length'))).toBe(image.byteLength)
  expect(auditOf(app, 'platform_admin.backup.download')).toMatchObject([
    { actor_id: userId, details: { bytes: image.byteLength } },
  ])
  await eventually(async () => expect(await last(token)).toMatchObject({ by: 'download', bytes: image.byteLength }))
  await eventually(() => expect(leftovers()).toEqual([]))

  const elsewhere = temporaryFolder()
  const file = join(elsewhere, 'homeport.tgz')
  writeFileSync(file, Buffer.from(image))
  const config = loadConfig({ HOMEPORT_DATA_DIR: join(elsewhere, 'data') })
  await restore(config, file)
  const db = new Database({ file: databaseFile(config.dataDir) })
  expect(db.all(q.selectFrom('users').select('email'))).toEqual([{ email: 'ada@acme.test' }])
  db.close()
  expect(existsSync(join(config.dataDir, 'keyring.json'))).toBe(true)
})

test('only a platform administrator who has shown a second factor and is freshly signed in gets one', async () => {
  const { app, userId, partnerId, ask, last, leftovers } = await scene()
  const plain = await sessionOf(app, userId)
  const codeOf = async (reply: Response) => [reply.status, ((await reply.json()) as { code: string }).code]
  expect(await codeOf(await ask(downloadBackup, plain))).toEqual([403, 'MFA_REQUIRED'])
  const other = await member(app, { email: 'bo@acme.test', scope: 'partner', partnerId })
  const others = await sessionOf(app, other.id, 'totp')
  expect((await ask(downloadBackup, others)).status).toBe(403)
  expect((await ask(readBackup, others)).status).toBe(403)
  const token = await sessionOf(app, userId, 'totp')
  app.db.run(q.updateTable('sessions').set({ auth_at: '2020-01-01T00:00:00.000Z' }))
  expect(await codeOf(await ask(downloadBackup, token, {}))).toEqual([400, 'password_required'])
  expect(await codeOf(await ask(downloadBackup, token, { currentPassword: 'Wrong1Horse' }))).toEqual([
    400,
    'invalid_credentials',
  ])
  expect(auditOf(app, 'platform_admin.backup.download')).toEqual([])
  expect([await last(token), leftovers()]).toEqual([null, []])
  const reply = await ask(downloadBackup, token, { currentPassword: password })
  expect(reply.status).toBe(200)
  await reply.arrayBuffer()
})

test('one is made at a time, and a client that hangs up ends it without a trace', async () => {
  const { app, userId, ask, last, leftovers } = await scene()
  const token = await sessionOf(app, userId, 'totp')
  const hangUp = new AbortController()
  const first = ask(downloadBackup, token, {}, hangUp.signal)
  first.catch(() => {})
  await eventually(() => expect(leftovers()).toHaveLength(1))
  const second = await ask(downloadBackup, token)
  expect([second.status, await second.json()]).toMatchObject([409, { code: 'backup_in_progress' }])
  hangUp.abort()
  await eventually(() => expect(leftovers()).toEqual([]))
  expect(await last(token)).toBeNull()
  const again = await ask(downloadBackup, token)
  expect(again.status).toBe(200)
  await again.arrayBuffer()
})

test('a backup that cannot be made says so, is not recorded, and leaves nothing behind', async () => {
  // Its database is in memory, so that there is no file to copy.
  await using app = await testApp()
  const { userId } = await bootstrapped(app)
  const token = await sessionOf(app, userId, 'totp')
  const reply = await app.call(downloadBackup, {}, { token })
  expect([reply.status, reply.body]).toMatchObject([503, { code: 'backup_failed' }])
  expect((await app.call(readBackup, {}, { token })).body.last).toBeNull()
  expect(auditOf(app, 'platform_admin.backup.download')).toEqual([])
  expect(readdirSync(app.dataDir).filter((name) => name.startsWith('.backup-'))).toEqual([])
})

test('what a killed process left of a backup is removed at the start', async () => {
  const dataDir = temporaryFolder()
  const left = join(dataDir, '.backup-abc')
  mkdirSync(left)
  writeFileSync(join(left, 'homeport.tgz'), 'secrets')
  const appliance = await serveHere(dataDir)
  onTestFinished(() => appliance.stop())
  await eventually(() => expect(existsSync(left)).toBe(false))
})

test('a backup by the command line is known to the running appliance', async () => {
  const { app, userId, config, last } = await scene()
  const token = await sessionOf(app, userId)
  const file = join(temporaryFolder(), 'homeport.tgz')
  await backUp(config, file)
  expect(await last(token)).toMatchObject({ by: 'command', bytes: readFileSync(file).length })
  await expect(backUp(config, file)).rejects.toThrow('already exists')
})
