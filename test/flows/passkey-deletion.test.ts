import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { iso } from '../../server/platform/clock.ts'
import { authMe, login } from '../../shared/api/auth.ts'
import { enrollmentOptions, type StepUpOperation, stepUp, stepUpOptions } from '../../shared/api/mfa.ts'
import { deletePasskey, listPasskeys } from '../../shared/api/passkeys.ts'
import { resetUserMfa } from '../../shared/api/people.ts'
import { Authenticator, type Misbehaviour } from '../helpers/authenticator.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, organizationOf, password, person } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf, CookieJar, refreshWith, signedInJar, withFactor } from './kit.ts'
import { handIn, register, signInAlone, signInWith, wide, withPasskey } from './passkey-kit.ts'

const statusOf = async (app: TestApp, token: string | undefined) => (await app.call(authMe, {}, { token })).status
const userRow = (app: TestApp, id: string) => app.db.first(q.selectFrom('users').selectAll().where('id', '=', id))
const passkeysIn = (app: TestApp) => app.db.all(q.selectFrom('user_passkeys').select('id')).map(({ id }) => id)
const remove = (app: TestApp, token: string, id: string, body: object = { currentPassword: password }) =>
  app.call(deletePasskey, { params: { id }, body }, { token })
const secure = (app: TestApp, settings: object) =>
  app.db.run(q.updateTable('partners').set({ settings: toJson({ security: settings }) }))
const age = (app: TestApp) => app.db.run(q.updateTable('sessions').set({ mfa_at: iso(app.clock.now() - 16 * 60_000) }))

const twilio = { TWILIO_ACCOUNT_SID: 'AC0', TWILIO_AUTH_TOKEN: 'none', TWILIO_FROM: '+15550100' }

async function grantFor(
  app: TestApp,
  token: string,
  device: Authenticator,
  operation: StepUpOperation,
  passkeyId?: string,
  wrong: Misbehaviour = {},
) {
  const { body } = await app.call(stepUpOptions, {}, { token })
  const credential = device.get(body.options, wrong)
  return app.call(stepUp, { body: { method: 'passkey', credential, operation, passkeyId } }, { token })
}

test('deleting the only passkey removes the second factor and replaces all sessions by a new one', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device, passkey } = await withPasskey(app)
  const other = await signInWith(app, admin, device)
  const gone = await remove(app, admin.token, passkey.id)
  expect(gone.status).toBe(200)
  expect(await statusOf(app, admin.token)).toBe(401)
  expect(await statusOf(app, other.body.tokens.accessToken)).toBe(401)
  expect(await statusOf(app, gone.body.tokens.accessToken)).toBe(200)
  expect((await refreshWith(app, new CookieJar().take(gone))).status).toBe(200)
  expect(userRow(app, admin.userId)).toMatchObject({ mfa_enabled: 0, mfa_method: null, mfa_recovery_codes: null })
  expect((await signedInJar(app, admin.email, password)).token).toBeTruthy()
  expect((await signInAlone(app, device)).status).toBe(401)
  expect(auditOf(app, 'auth.mfa.passkey.delete')).toHaveLength(1)
  expect(auditOf(app, 'auth.mfa.disable').map(({ details }) => details)).toEqual(['{"method":"passkey"}'])
})

test('a session without a second factor cannot delete a passkey: 403 MFA_REQUIRED', async () => {
  await using app = await testApp({ env: wide })
  const { admin, passkey } = await withPasskey(app)
  app.db.run(q.updateTable('sessions').set({ mfa_at: null, mfa_source: null }))
  const { status, body } = await remove(app, admin.token, passkey.id)
  expect([status, body.code]).toEqual([403, 'MFA_REQUIRED'])
  expect(passkeysIn(app)).toHaveLength(1)
})

test('deleting needs the password, or without one a fresh session', async () => {
  await using app = await testApp({ env: wide })
  const { admin, passkey } = await withPasskey(app)
  expect((await remove(app, admin.token, passkey.id, {})).body.code).toBe('password_required')
  const wrong = await remove(app, admin.token, passkey.id, { currentPassword: 'Wrong1Horse' })
  expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_credentials'])
  app.db.run(q.updateTable('users').set({ password_hash: null }).where('id', '=', admin.userId))
  const startedAt = app.db.first(q.selectFrom('sessions').select('auth_at'))?.auth_at ?? ''
  app.db.run(q.updateTable('sessions').set({ auth_at: iso(app.clock.now() - 16 * 60_000) }))
  expect((await remove(app, admin.token, passkey.id, {})).body.code).toBe('sign_in_again')
  app.db.run(q.updateTable('sessions').set({ auth_at: startedAt }))
  expect((await remove(app, admin.token, passkey.id, {})).status).toBe(200)
})

test('the passkey of another user is not found', async () => {
  await using app = await testApp({ env: wide })
  const { admin, passkey } = await withPasskey(app)
  const eve = await person(app, { email: 'eve@acme.test', scope: 'partner', partnerId: admin.partnerId })
  await register(app, eve.token, new Authenticator())
  for (const id of [passkey.id, 'nonsense']) {
    const { status, body } = await remove(app, eve.token, id)
    expect([status, body.code]).toEqual([404, 'passkey_not_found'])
  }
  expect(passkeysIn(app)).toContain(passkey.id)
})

test('a session with an old second factor needs a step-up grant for this very passkey', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device, passkey } = await withPasskey(app)
  const { body: second } = await register(app, admin.token, new Authenticator())
  const shown = (stepUpGrantId: string) =>
    remove(app, admin.token, passkey.id, { currentPassword: password, stepUpGrantId })
  age(app)
  expect((await remove(app, admin.token, passkey.id)).body.code).toBe('existing_factor_step_up_required')
  const grant = async (operation: StepUpOperation, passkeyId?: string) => {
    const { body, status } = await grantFor(app, admin.token, device, operation, passkeyId)
    expect(status).toBe(200)
    return body.stepUpGrantId
  }
  for (const foreign of [await grant('add_factor'), await grant('delete_passkey', second.passkey.id), 'x'])
    expect((await shown(foreign)).body.code).toBe('existing_factor_step_up_required')
  expect((await shown(await grant('delete_passkey', passkey.id))).status).toBe(200)
  expect(passkeysIn(app)).toEqual([second.passkey.id])
})

test.each<[what: string, wrong: Misbehaviour]>([
  ['another page', { origin: 'https://evil.test' }],
  ['no verified user', { isUserVerified: false }],
  ['a counter that stands still', { counter: 1 }],
  ['another challenge', { challenge: 'AAAA' }],
])('a step-up with %s gives no grant', async (_, wrong) => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  expect((await grantFor(app, admin.token, device, 'add_factor')).status).toBe(200)
  const { status, body } = await grantFor(app, admin.token, device, 'add_factor', undefined, wrong)
  expect([status, body.code]).toEqual([400, 'mfa_proof_invalid'])
})

test('one signature gives one grant and cannot be used to sign in', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const { body } = await app.call(stepUpOptions, {}, { token: admin.token })
  const credential = device.get(body.options)
  const ask = () => app.call(stepUp, { body: { method: 'passkey', credential } }, { token: admin.token })
  const answers = await Promise.all(Array.from({ length: 5 }, ask))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
  expect((await handIn(app, credential)).status).toBe(401)
})

test('a user without a passkey here gets no challenge for one', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const { status, body } = await app.call(stepUpOptions, {}, { token: admin.token })
  expect([status, body.code]).toEqual([400, 'no_passkey'])
  const elsewhere = await app.call(stepUpOptions, {}, { token: admin.token, headers: { host: '192.168.1.5' } })
  expect([elsewhere.body.code, elsewhere.body.addresses]).toEqual(['passkey_origin', []])
})

test('deleting the last passkey makes the authenticator app the method and keeps the recovery codes', async () => {
  await using app = await testApp({ env: wide })
  const { admin, passkey } = await withPasskey(app)
  await withFactor(app, admin.token)
  app.db.run(q.updateTable('users').set({ mfa_method: 'passkey' }).where('id', '=', admin.userId))
  expect((await remove(app, admin.token, passkey.id)).status).toBe(200)
  const user = userRow(app, admin.userId)
  expect(user).toMatchObject({ mfa_enabled: 1, mfa_method: 'totp' })
  expect(JSON.parse(user?.mfa_recovery_codes ?? '[]')).toHaveLength(10)
  const { body } = await app.call(login, { body: { email: admin.email, password } })
  expect(body).toMatchObject({ mfaMethod: 'totp', allowedMethods: { totp: true, passkey: false } })
})

test.each<[what: string, env: Record<string, string>, after: object]>([
  [
    'takes over where messages can be sent',
    { SMS_PROVIDER: 'twilio', ...twilio },
    { mfa_enabled: 1, mfa_method: 'sms' },
  ],
  ['is no factor where they can not', {}, { mfa_enabled: 0, mfa_method: null, mfa_recovery_codes: null }],
])('a verified phone %s', async (_, env, after) => {
  await using app = await testApp({ env: { ...wide, ...env } })
  const { admin, passkey } = await withPasskey(app)
  app.db.run(q.updateTable('users').set({ phone_number: '+491701234567', phone_verified: 1 }))
  expect((await remove(app, admin.token, passkey.id)).status).toBe(200)
  expect(userRow(app, admin.userId)).toMatchObject(after)
})

test('deleting a passkey keeps the method while the app is the method or another passkey is left', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  await withFactor(app, admin.token)
  const { body: first } = await register(app, admin.token, new Authenticator())
  const { body: second } = await register(app, admin.token, new Authenticator())
  const { body: gone } = await remove(app, admin.token, first.passkey.id)
  expect(userRow(app, admin.userId)?.mfa_method).toBe('totp')
  app.db.run(q.updateTable('users').set({ mfa_method: 'passkey' }).where('id', '=', admin.userId))
  const { body: third } = await register(app, gone.tokens.accessToken, new Authenticator())
  await remove(app, gone.tokens.accessToken, third.passkey.id)
  expect(userRow(app, admin.userId)).toMatchObject({ mfa_enabled: 1, mfa_method: 'passkey' })
  expect(passkeysIn(app)).toEqual([second.passkey.id])
})

test('the last permitted factor cannot be deleted where a second factor is required', async () => {
  await using app = await testApp({ env: wide })
  const { admin, passkey } = await withPasskey(app)
  const isNeeded = async () => (await app.call(enrollmentOptions, {}, { token: admin.token })).body.passkeyNeeded
  expect(await isNeeded(), 'nobody asks').toBe(false)
  secure(app, { requireMfa: true })
  expect(await isNeeded()).toBe(true)
  const refused = await remove(app, admin.token, passkey.id)
  expect([refused.status, refused.body.code]).toEqual([403, 'last_factor'])
  expect(await statusOf(app, admin.token), 'nothing has changed').toBe(200)
  await withFactor(app, admin.token)
  secure(app, { requireMfa: true, allowedMfaMethods: { totp: false } })
  expect((await remove(app, admin.token, passkey.id)).body.code, 'the app is not permitted').toBe('last_factor')
  expect(await isNeeded()).toBe(true)
  expect(passkeysIn(app)).toHaveLength(1)
  secure(app, { requireMfa: true })
  expect(await isNeeded()).toBe(false)
  expect((await remove(app, admin.token, passkey.id)).status).toBe(200)
})

test('a role that forces a second factor protects the last one too', async () => {
  await using app = await testApp({ env: { ...wide, MFA_FORCE_FOR_PARTNER_ADMIN: 'true' } })
  const { admin, passkey } = await withPasskey(app)
  expect((await remove(app, admin.token, passkey.id)).body.code).toBe('last_factor')
})

test('unreadable settings protect the last factor too', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const org = await organizationOf(app, admin.token)
  const eve = await person(app, { email: 'eve@acme.test', scope: 'organization', orgId: org.id })
  const { body } = await register(app, eve.token, new Authenticator())
  app.db.statement('PRAGMA ignore_check_constraints = ON').run()
  app.db.statement('UPDATE organizations SET settings = ?').run('{')
  expect((await remove(app, eve.token, body.passkey.id)).body.code).toBe('last_factor')
})

test('a user left with a factor that is not permitted has none, and can still sign in', async () => {
  await using app = await testApp({ env: wide })
  const { admin, passkey } = await withPasskey(app)
  await withFactor(app, admin.token)
  secure(app, { allowedMfaMethods: { totp: false } })
  expect((await remove(app, admin.token, passkey.id)).status).toBe(200)
  expect(userRow(app, admin.userId)).toMatchObject({ mfa_enabled: 0, mfa_secret: null, mfa_method: null })
  expect((await app.call(login, { body: { email: admin.email, password } })).body.mfaRequired).toBe(false)
})

test('two simultaneous deletions do not remove the last permitted factor', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device, passkey } = await withPasskey(app)
  const { body: second } = await register(app, admin.token, new Authenticator())
  const other = await signInWith(app, admin, device)
  secure(app, { requireMfa: true })
  const answers = await Promise.all([
    remove(app, admin.token, passkey.id),
    remove(app, other.body.tokens.accessToken, second.passkey.id),
  ])
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(statuses.filter((status) => status === 403 || status === 401)).toHaveLength(1)
  expect(passkeysIn(app)).toHaveLength(1)
})

test('of ten simultaneous deletions of a passkey, one succeeds', async () => {
  await using app = await testApp({ env: wide })
  const { admin, passkey } = await withPasskey(app)
  await register(app, admin.token, new Authenticator())
  const answers = await Promise.all(Array.from({ length: 10 }, () => remove(app, admin.token, passkey.id)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(passkeysIn(app)).toHaveLength(1)
  expect(auditOf(app, 'auth.mfa.passkey.delete')).toHaveLength(1)
})

test('after an administrator reset no passkey is asked for, and none works', async () => {
  await using app = await testApp({ env: wide })
  const { admin } = await withPasskey(app)
  const eve = await person(app, { email: 'eve@acme.test', scope: 'partner', partnerId: admin.partnerId })
  const hers = new Authenticator()
  await register(app, eve.token, hers)
  const reset = await app.call(resetUserMfa, { params: { id: eve.id } }, { token: admin.token })
  expect(reset.status).toBe(200)
  expect((await app.call(login, { body: { email: eve.email, password } })).body.mfaRequired).toBe(false)
  expect((await signInAlone(app, hers)).status).toBe(401)
})

test('without second factors the passkey endpoints answer 404', async () => {
  await using app = await testApp({ env: { ...wide, ENABLE_2FA: 'false' } })
  const admin = await bootstrapped(app)
  expect((await remove(app, admin.token, 'x')).status).toBe(404)
  expect((await app.call(stepUpOptions, {}, { token: admin.token })).status).toBe(404)
  expect((await app.call(listPasskeys, {}, { token: admin.token })).status).toBe(404)
})
