import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { iso } from '../../server/platform/clock.ts'
import { authMe } from '../../shared/api/auth.ts'
import { enrollmentOptions, mfaEnable, mfaSetup } from '../../shared/api/mfa.ts'
import {
  listPasskeys,
  passkeyRegisterOptions,
  passkeyRegisterVerify,
  renamePasskey,
} from '../../shared/api/passkeys.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { Authenticator, type Misbehaviour } from '../helpers/authenticator.ts'
import { bootstrapped, password, person } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf, CookieJar, codeOf, refreshWith, signedInJar, withFactor } from './kit.ts'
import { at, register, wide, withPasskey } from './passkey-kit.ts'

const statusOf = async (app: TestApp, token: string | undefined) => (await app.call(authMe, {}, { token })).status
const passkeysOf = async (app: TestApp, token: string) => (await app.call(listPasskeys, {}, { token })).body.passkeys
const registerOptions = (app: TestApp, token: string, body: object = { currentPassword: password }, headers = {}) =>
  app.call(passkeyRegisterOptions, { body }, { token, headers })
const verify = (app: TestApp, token: string, credential: Record<string, unknown>, body: object = {}) =>
  app.call(passkeyRegisterVerify, { body: { credential, ...body } }, { token })

test('the options request user verification and no attestation, and reveal only an opaque id', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const { body } = await registerOptions(app, admin.token)
  expect(body.options).toMatchObject({
    rp: { id: 'localhost', name: 'Homeport' },
    attestation: 'none',
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    excludeCredentials: [],
    timeout: 300_000,
    // ML-DSA is left out: not every runtime of the appliance can verify it.
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
  })
  const { user, challenge } = body.options as { user: { id: string; name: string }; challenge: string }
  expect(Buffer.from(user.id, 'base64url').toString()).toBe(admin.userId)
  expect(user.name).toBe(admin.email)
  expect(Buffer.from(challenge, 'base64url').length).toBeGreaterThanOrEqual(32)
})

test('the first passkey enables the second factor, returns ten codes and ends the other sessions', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const other = await signedInJar(app, admin.email, password)
  const made = await register(app, admin.token, new Authenticator(), { name: 'Laptop' })
  expect(made.status).toBe(200)
  expect(made.body.passkey).toMatchObject({
    name: 'Laptop',
    rpId: 'localhost',
    deviceType: 'singleDevice',
    backedUp: false,
    transports: ['hybrid', 'internal'],
    lastUsedAt: null,
  })
  expect(new Set(made.body.recoveryCodes).size).toBe(10)
  expect(await statusOf(app, admin.token)).toBe(200)
  expect(await statusOf(app, made.body.tokens?.accessToken)).toBe(200)
  expect(await statusOf(app, other.token)).toBe(401)
  expect((await refreshWith(app, other.jar)).status).toBe(401)
  expect((await refreshWith(app, new CookieJar().take(made))).status).toBe(200)
  const { body: me } = await app.call(usersMe, {}, { token: admin.token })
  expect(me).toMatchObject({ mfaEnabled: true, mfaMethod: 'passkey' })
  expect(await passkeysOf(app, admin.token)).toEqual([made.body.passkey])
  expect(auditOf(app, 'auth.mfa.passkey.register')).toHaveLength(1)
  expect(auditOf(app, 'auth.mfa.setup').map(({ details }) => details)).toEqual(['{"method":"passkey"}'])
  const session = app.db.first(q.selectFrom('sessions').selectAll().where('revoked_at', 'is', null))
  expect(session?.mfa_source).toBe('passkey')
})

test('a synced passkey is marked as synced', async () => {
  await using app = await testApp({ env: wide })
  const { passkey } = await withPasskey(app, new Authenticator(undefined, { isSynced: true }))
  expect(passkey).toMatchObject({ deviceType: 'multiDevice', backedUp: true, name: 'Passkey' })
})

test('a further passkey returns no codes, keeps the method, and the options exclude known passkeys', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  await withFactor(app, admin.token)
  const device = new Authenticator()
  const first = await register(app, admin.token, device)
  expect([first.status, first.body.recoveryCodes]).toEqual([200, undefined])
  expect((await app.call(usersMe, {}, { token: admin.token })).body.mfaMethod).toBe('totp')
  const { body } = await registerOptions(app, admin.token)
  expect(body.options.excludeCredentials).toMatchObject([{ id: device.ids[0], type: 'public-key' }])
  expect(() => device.create(body.options)).toThrow('InvalidStateError')
  expect((await register(app, admin.token, new Authenticator())).status).toBe(200)
  expect(await passkeysOf(app, admin.token)).toHaveLength(2)
  expect(auditOf(app, 'auth.mfa.setup').map(({ details }) => details)).toEqual(['{"method":"totp"}'])
})

test('an authenticator app confirmed next to a passkey becomes the method', async () => {
  await using app = await testApp({ env: wide })
  const { admin } = await withPasskey(app)
  const { body: setup } = await app.call(mfaSetup, {}, { token: admin.token })
  const enabled = await app.call(mfaEnable, { body: { code: codeOf(app, setup.secret) } }, { token: admin.token })
  expect(enabled.status).toBe(200)
  expect((await app.call(usersMe, {}, { token: admin.token })).body.mfaMethod).toBe('totp')
  expect(await passkeysOf(app, admin.token)).toHaveLength(1)
})

test('adding a passkey needs the password even in a fresh session, and wrong ones are limited', async () => {
  await using app = await testApp({ env: { ...wide, HOMEPORT_LIMIT_CURRENT_PASSWORD: '2/300' } })
  const admin = await bootstrapped(app)
  expect((await registerOptions(app, admin.token, {})).body.code).toBe('password_required')
  for (let n = 0; n < 2; n++) {
    const { status, body } = await registerOptions(app, admin.token, { currentPassword: 'Wrong1Horse' })
    expect([status, body.code]).toEqual([400, 'invalid_credentials'])
  }
  expect((await registerOptions(app, admin.token)).status).toBe(429)
})

test('an account without a password needs a fresh session to add a passkey', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  app.db.run(q.updateTable('users').set({ password_hash: null }).where('id', '=', admin.userId))
  expect((await registerOptions(app, admin.token, {})).status).toBe(200)
  app.db.run(q.updateTable('sessions').set({ auth_at: iso(app.clock.now() - 16 * 60_000) }))
  expect((await registerOptions(app, admin.token, {})).body.code).toBe('sign_in_again')
})

test('a user with a factor must show it before adding another one', async () => {
  await using app = await testApp({ env: wide })
  const { admin } = await withPasskey(app)
  app.db.run(q.updateTable('sessions').set({ mfa_at: '2020-01-01T00:00:00.000Z' }))
  const { status, body } = await registerOptions(app, admin.token)
  expect([status, body.code, body.stepUpUrl]).toEqual([403, 'existing_factor_step_up_required', '/auth/mfa/step-up'])
})

test.each<[what: string, wrong: Misbehaviour]>([
  ['another page', { origin: 'https://evil.test' }],
  ['another port', { origin: 'http://localhost:9' }],
  ['another relying party', { rpId: 'evil.test' }],
  ['another challenge', { challenge: 'AAAA' }],
  ['a device that did not verify its user', { isUserVerified: false }],
  ['a signature instead of a key', { type: 'webauthn.get' }],
])('a passkey from %s is refused, and its challenge is used up', async (_, wrong) => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const { body } = await registerOptions(app, admin.token)
  const device = new Authenticator()
  const refused = await verify(app, admin.token, device.create(body.options, wrong))
  expect([refused.status, refused.body.code]).toEqual([400, 'passkey_rejected'])
  const again = await verify(app, admin.token, device.create(body.options))
  expect([again.status, again.body.code]).toEqual([400, 'passkey_challenge_missing'])
  expect(await passkeysOf(app, admin.token)).toEqual([])
  expect(auditOf(app, 'auth.mfa.passkey.register')).toEqual([])
})

test.each<[what: string, credential: Record<string, unknown>, status: number, code: string]>([
  ['nothing inside', { id: 'x' }, 400, 'passkey_rejected'],
  ['numbers for texts', { id: 'x', rawId: 'x', type: 'public-key', response: 7 }, 400, 'passkey_rejected'],
  ['no id', { response: {} }, 400, 'validation_failed'],
])('a credential with %s is refused', async (_, credential, status, code) => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  await registerOptions(app, admin.token)
  const { body, ...refused } = await verify(app, admin.token, credential)
  expect([refused.status, body.code]).toEqual([status, code])
})

test('a challenge expires after five minutes, is replaced by a newer one, and belongs to its session', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const other = await signedInJar(app, admin.email, password)
  const device = () => new Authenticator()
  const missing = async (token: string, credential: Record<string, unknown>) =>
    expect((await verify(app, token, credential)).body.code).toBe('passkey_challenge_missing')

  const { body: late } = await registerOptions(app, admin.token)
  app.clock.advance(300_000)
  await missing(admin.token, device().create(late.options))
  const { body: old } = await registerOptions(app, admin.token)
  await registerOptions(app, admin.token)
  expect((await verify(app, admin.token, device().create(old.options))).body.code).toBe('passkey_rejected')
  const { body: mine } = await registerOptions(app, admin.token)
  await missing(other.token, device().create(mine.options))
  await missing(admin.token, device().create(mine.options))
})

test('a challenge becomes invalid when the factors change', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const { body } = await registerOptions(app, admin.token)
  await withFactor(app, admin.token)
  const { body: refused } = await verify(app, admin.token, new Authenticator().create(body.options))
  expect(refused.code).toBe('passkey_challenge_missing')
})

test('of ten simultaneous answers one makes a passkey', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const { body } = await registerOptions(app, admin.token)
  const credential = new Authenticator().create(body.options)
  const answers = await Promise.all(Array.from({ length: 10 }, () => verify(app, admin.token, credential)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
  expect(await passkeysOf(app, admin.token)).toHaveLength(1)
  expect(auditOf(app, 'auth.mfa.passkey.register')).toHaveLength(1)
})

test('a credential id that is already registered is refused, and nothing changes', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const eve = await person(app, { email: 'eve@acme.test', scope: 'partner', partnerId: admin.partnerId })
  const { body } = await registerOptions(app, eve.token)
  app.db.run(q.updateTable('user_passkeys').set({ credential_id: 'taken' }))
  const forged = new Authenticator().create(body.options)
  app.db.run(q.updateTable('user_passkeys').set({ credential_id: String(forged.id) }))
  const { status, body: refused } = await verify(app, eve.token, forged)
  expect([status, refused.code]).toEqual([400, 'passkey_rejected'])
  expect((await app.call(usersMe, {}, { token: eve.token })).body.mfaEnabled).toBe(false)
  expect(device.ids).toHaveLength(1)
})

test('the name in the second call overrides that in the first', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const { body } = await registerOptions(app, admin.token, { currentPassword: password, name: 'First' })
  const made = await verify(app, admin.token, new Authenticator().create(body.options), { name: 'Second' })
  expect(made.body.passkey.name).toBe('Second')
})

test('a passkey can be renamed only by its owner', async () => {
  await using app = await testApp({ env: wide })
  const { admin, passkey } = await withPasskey(app)
  const eve = await person(app, { email: 'eve@acme.test', scope: 'partner', partnerId: admin.partnerId })
  const rename = (token: string, id: string) =>
    app.call(renamePasskey, { params: { id }, body: { name: ' Work key ' } }, { token })
  expect((await rename(admin.token, passkey.id)).body.passkey).toEqual({ ...passkey, name: 'Work key' })
  for (const [token, id] of [
    [eve.token, passkey.id],
    [admin.token, 'nonsense'],
  ] as const) {
    const { status, body } = await rename(token, id)
    expect([status, body.code]).toEqual([404, 'passkey_not_found'])
  }
  expect(await statusOf(app, admin.token)).toBe(200)
  expect(auditOf(app, 'auth.mfa.passkey.rename')).toHaveLength(1)
  expect(await passkeysOf(app, eve.token)).toEqual([])
})

test('a passkey belongs to the host it was made at, and other hosts have their own', async () => {
  await using app = await testApp({ env: { ...wide, DASHBOARD_URL: 'https://rmm.example.test' } })
  const { admin, device } = await withPasskey(app)
  app.clock.advance(1000)
  const headers = at('https://rmm.example.test')
  const { body } = await registerOptions(app, admin.token, undefined, headers)
  expect(body.options).toMatchObject({ rp: { id: 'rmm.example.test' }, excludeCredentials: [] })
  const elsewhere = new Authenticator('https://rmm.example.test')
  expect((await register(app, admin.token, elsewhere, { headers })).status).toBe(200)
  expect((await passkeysOf(app, admin.token)).map(({ rpId }) => rpId)).toEqual(['localhost', 'rmm.example.test'])
  expect(device.ids).not.toEqual(elsewhere.ids)
})

test('where passkeys do not work, the refusal lists the addresses where they do', async () => {
  await using app = await testApp({ env: { ...wide, DASHBOARD_URL: 'https://rmm.example.test' } })
  const admin = await bootstrapped(app)
  const elsewhere = { host: 'box.local', origin: 'https://evil.test' }
  for (const headers of [at('http://192.168.1.5:8443'), { host: 'evil.test' }, elsewhere]) {
    const { status, body } = await registerOptions(app, admin.token, undefined, headers)
    expect([status, body.code]).toEqual([400, 'passkey_origin'])
    expect(body.addresses).toEqual(['https://rmm.example.test'])
  }
})

test('localhost is offered only to a browser that runs on the appliance itself', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const { body } = await registerOptions(app, admin.token, undefined, at('http://127.0.0.1:8443'))
  expect(body.addresses).toEqual(['http://localhost:8443'])
  const elsewhere = { headers: at('http://127.0.0.1:8443'), remoteAddress: '192.168.1.77', token: admin.token }
  const refused = await app.call(passkeyRegisterOptions, { body: { currentPassword: password } }, elsewhere)
  expect(refused.body.addresses).toEqual([])
  const options = await app.call(enrollmentOptions, {}, elsewhere)
  expect(options.body.passkeyAddresses).toEqual([])
})

test('challenges are limited per user', async () => {
  await using app = await testApp({ env: { ...wide, HOMEPORT_LIMIT_PASSKEY_OPTIONS: '2/300' } })
  const admin = await bootstrapped(app)
  const eve = await person(app, { email: 'eve@acme.test', scope: 'partner', partnerId: admin.partnerId })
  for (let n = 0; n < 2; n++) expect((await registerOptions(app, admin.token)).status).toBe(200)
  expect((await registerOptions(app, admin.token)).status).toBe(429)
  expect((await registerOptions(app, eve.token)).status).toBe(200)
})

test('without second factors the appliance offers no passkeys', async () => {
  await using app = await testApp({ env: { ...wide, ENABLE_2FA: 'false' } })
  const admin = await bootstrapped(app)
  const token = { token: admin.token }
  expect((await app.call(listPasskeys, {}, token)).status).toBe(404)
  expect((await registerOptions(app, admin.token)).status).toBe(404)
  expect((await verify(app, admin.token, { id: 'x' })).status).toBe(404)
  expect((await app.call(renamePasskey, { params: { id: 'x' }, body: { name: 'x' } }, token)).status).toBe(404)
})
