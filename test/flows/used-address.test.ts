import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { iso, minute } from '../../server/platform/clock.ts'
import { forgotPassword } from '../../shared/api/passwords.ts'
import { listSsoPresets } from '../../shared/api/sso-providers.ts'
import { bootstrap, connectionInfo, updatePublicAddress } from '../../shared/api/system.ts'
import { eventually } from '../helpers/eventually.ts'
import { password, person } from '../helpers/factories.ts'
import { serveHere } from '../helpers/in-process-appliance.ts'
import { linkIn, mailsOf, mailToFiles } from '../helpers/mail.ts'
import { auditOf } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** The public address: where the administrator set the appliance up, unless somebody says otherwise. */

const email = 'ada@acme.test'

function setUp(app: TestApp, headers: Record<string, string>, setupCode = codeOf(app)) {
  const body = { setupCode, companyName: 'Acme', name: 'Ada Admin', email, password }
  return app.call(bootstrap, { body }, { headers })
}

function codeOf(app: TestApp): string {
  app.app.bootstrap.setupCode()
  return readFileSync(join(app.dataDir, 'setup-code'), 'utf8').trim()
}

async function setUpAt(app: TestApp, headers: Record<string, string>) {
  const { status, body } = await setUp(app, headers)
  expect(status).toBe(201)
  return { token: body.tokens.accessToken, userId: body.user.id, partnerId: body.partner.id }
}

const publicAddress = async (app: TestApp, token: string) =>
  (await app.call(connectionInfo, {}, { token })).body.publicAddress

/** The origin of the link in a mail that a stranger causes, whatever they call the appliance. */
async function mailedOrigin(app: TestApp) {
  await app.call(forgotPassword, { body: { email } }, { headers: { host: 'evil.test', origin: 'https://evil.test' } })
  const mail = (await mailsOf(app)).at(-1)
  return mail && linkIn(mail).origin
}

test('links begin with the address at which the administrator set the appliance up', async () => {
  await using app = await testApp({ env: mailToFiles })
  const { token } = await setUpAt(app, { host: 'homeport.acme.test:8443' })
  const origin = 'http://homeport.acme.test:8443'
  expect(await publicAddress(app, token)).toEqual({ url: origin, source: 'stored' })
  expect(await mailedOrigin(app)).toBe(origin)
  expect((await app.call(listSsoPresets, {}, { token })).body.callbackUrl).toBe(`${origin}/api/v1/sso/callback`)
  expect(auditOf(app, 'platform_admin.public_address')).toMatchObject([
    { actor_type: 'system', details: { before: null, after: origin } },
  ])
})

test.each([
  ['a browser says that a proxy ends the encryption', { host: 'box.acme.test', origin: 'https://box.acme.test' }],
  ['a trusted proxy says so', { host: 'box.acme.test', 'x-forwarded-proto': 'https' }],
])('the address is https where %s', async (_, headers) => {
  const env = { TRUST_PROXY_HEADERS: 'true', TRUSTED_PROXY_CIDRS: '127.0.0.1' }
  await using app = await testApp({ env: { ...mailToFiles, ...env } })
  const { token } = await setUpAt(app, headers)
  expect(await publicAddress(app, token)).toEqual({ url: 'https://box.acme.test', source: 'stored' })
})

test.each([
  ['localhost:8443'],
  ['127.0.0.1:8443'],
  ['[::1]:8443'],
  ['box_1.acme.test'],
  ['ada@box.acme.test'],
  ['box.acme.test/console'],
  ['box.acme.test:99999'],
])('a set-up at %s leaves the address to the appliance', async (host) => {
  await using app = await testApp({ env: mailToFiles })
  const { token } = await setUpAt(app, { host })
  expect((await publicAddress(app, token)).source).toBe('automatic')
  expect(auditOf(app, 'platform_admin.public_address')).toEqual([])
})

test('an origin of another host than the one that was called does not count', async () => {
  await using app = await testApp({ env: mailToFiles })
  const { token } = await setUpAt(app, { host: 'box.acme.test', origin: 'https://evil.test' })
  expect((await publicAddress(app, token)).url).toBe('http://box.acme.test')
})

test('neither a wrong setup code nor a second set-up changes the address', async () => {
  await using app = await testApp({ env: mailToFiles })
  const code = codeOf(app)
  expect((await setUp(app, { host: 'evil.test' }, 'AAAA-BBBB-CCCC-DDDD')).body.code).toBe('setup_code_invalid')
  expect(app.rowCounts().settings).toBe(0)
  const { token } = await setUpAt(app, { host: 'box.acme.test' })
  expect((await setUp(app, { host: 'evil.test' }, code)).body.code).toBe('already_bootstrapped')
  expect((await publicAddress(app, token)).url).toBe('http://box.acme.test')
})

test('PUBLIC_URL overrules the address of the set-up and closes its change', async () => {
  await using app = await testApp({ env: { ...mailToFiles, PUBLIC_URL: 'https://homeport.acme.test' } })
  const { token } = await setUpAt(app, { host: 'box.acme.test' })
  expect(await publicAddress(app, token)).toEqual({ url: 'https://homeport.acme.test', source: 'environment' })
  expect(await mailedOrigin(app)).toBe('https://homeport.acme.test')
  const refused = await app.call(updatePublicAddress, { body: { url: 'https://box.acme.test' } }, { token })
  expect([refused.status, refused.body.code]).toEqual([400, 'set_by_environment'])
})

test('a platform administrator changes the address, and leaves it to the appliance again', async () => {
  await using app = await testApp({ env: mailToFiles })
  const { token, userId, partnerId } = await setUpAt(app, { host: 'box.acme.test' })
  const put = (url: string | null, bearer = token, currentPassword?: string) =>
    app.call(updatePublicAddress, { body: { url, ...(currentPassword && { currentPassword }) } }, { token: bearer })
  expect((await put(' https://Homeport.acme.test:443/ ')).status).toBe(200)
  expect(await mailedOrigin(app)).toBe('https://homeport.acme.test')
  expect((await put(null)).status).toBe(200)
  expect((await publicAddress(app, token)).source).toBe('automatic')
  expect(auditOf(app, 'platform_admin.public_address').slice(1)).toMatchObject([
    { actor_id: userId, details: { before: 'http://box.acme.test', after: 'https://homeport.acme.test' } },
    { actor_id: userId, details: { before: 'https://homeport.acme.test', after: null } },
  ])

  const state = async () => [auditOf(app, 'platform_admin.public_address').length, await publicAddress(app, token)]
  const before = await state()
  for (const url of ['', 'homeport', 'https://localhost', 'https://a.test/path', 'javascript:alert(1)']) {
    const { status, body } = await put(url)
    expect([status, Object.keys(body.details?.fieldErrors ?? {})], url).toEqual([400, ['url']])
  }
  const other = await person(app, { email: 'bo@acme.test', scope: 'partner', partnerId })
  expect((await put('https://evil.test', other.token)).status).toBe(403)
  app.db.run(q.updateTable('sessions').set({ auth_at: iso(app.clock.now() - 16 * minute) }))
  expect((await put('https://evil.test')).body.code).toBe('password_required')
  expect((await put('https://evil.test', token, 'Wrong1Horse')).body.code).toBe('invalid_credentials')
  expect(await state()).toEqual(before)
  expect((await put('https://box.acme.test', token, password)).status).toBe(200)
})

test('the certificate of the appliance names the public address as soon as it is set', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'homeport-address-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const appliance = await serveHere(dataDir, { HOMEPORT_TLS: 'auto' })
  onTestFinished(() => appliance.stop())
  const names = () => new X509Certificate(appliance.tls?.secureContext().cert ?? '').subjectAltName
  expect(names()).not.toContain('homeport.acme.test')
  appliance.app.bootstrap.setupCode()
  const setupCode = readFileSync(join(dataDir, 'setup-code'), 'utf8').trim()
  const { statusCode } = await appliance.app.fastify.inject({
    method: 'POST',
    url: '/api/v1/system/bootstrap',
    headers: { host: 'homeport.acme.test:8443' },
    payload: { setupCode, companyName: 'Acme', name: 'Ada Admin', email, password },
  })
  expect(statusCode).toBe(201)
  await eventually(() => expect(names()).toContain('DNS:homeport.acme.test'))
  expect(names()).toContain('DNS:localhost')
})
