import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { authMe, login, mfaVerify } from '../../shared/api/auth.ts'
import { mfaPasskeyOptions, mfaPasskeyVerify } from '../../shared/api/passkeys.ts'
import { Authenticator, type Misbehaviour } from '../helpers/authenticator.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, password, person } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf, withFactor } from './kit.ts'
import { answer, at, challenge, optionsFor, register, signInWith, wide, withPasskey } from './passkey-kit.ts'

const counterOf = (app: TestApp) => app.db.first(q.selectFrom('user_passkeys').select('counter'))?.counter
const liveSessions = (app: TestApp) =>
  app.db.all(q.selectFrom('sessions').select('mfa_source').where('revoked_at', 'is', null))
const secure = (app: TestApp, settings: object) =>
  app.db.run(q.updateTable('partners').set({ settings: toJson({ security: settings }) }))

test('a passkey answers the second step after the password', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const offered = await challenge(app, admin.email)
  expect(offered).toMatchObject({
    mfaMethod: 'passkey',
    passkeyAvailable: true,
    allowedMethods: { totp: false, sms: false, passkey: true },
    passkeyHosts: [],
    smsUnavailable: false,
    recoveryAvailable: true,
  })
  const options = await optionsFor(app, offered.tempToken)
  expect(options).toMatchObject({
    rpId: 'localhost',
    userVerification: 'required',
    allowCredentials: [{ id: device.ids[0], transports: ['hybrid', 'internal'] }],
  })
  const done = await answer(app, offered.tempToken, device.get(options))
  expect(done.status).toBe(200)
  expect(done.body).toMatchObject({ mfaRequired: false, user: { id: admin.userId, mfaEnabled: true } })
  expect(done.cookies).toHaveLength(3)
  expect((await app.call(authMe, {}, { token: done.body.tokens.accessToken })).status).toBe(200)
  expect(counterOf(app)).toBe(1)
  const { details } = auditOf(app, 'user.login').at(-1) ?? {}
  expect(JSON.parse(details ?? '{}')).toMatchObject({ method: 'password', mfa: true, source: 'passkey' })
  expect(app.db.first(q.selectFrom('user_passkeys').select('last_used_at'))?.last_used_at).not.toBeNull()
})

test.each<[what: string, wrong: Misbehaviour]>([
  ['another page', { origin: 'https://evil.test' }],
  ['another relying party', { rpId: 'evil.test' }],
  ['another challenge', { challenge: 'AAAA' }],
  ['no verified user', { isUserVerified: false }],
  ['a counter that stands still', { counter: 1 }],
  ['a counter that fell', { counter: 0 }],
  ['another user named', { userHandle: 'c29tZWJvZHk' }],
  ['the wrong ceremony', { type: 'webauthn.create' }],
])('an answer with %s is refused and uses the challenge up', async (_, wrong) => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  await signInWith(app, admin, device)
  const { tempToken } = await challenge(app, admin.email)
  const options = await optionsFor(app, tempToken)
  const refused = await answer(app, tempToken, device.get(options, wrong))
  expect([refused.status, refused.body.code, refused.cookies]).toEqual([400, 'mfa_proof_invalid', []])
  const late = await answer(app, tempToken, device.get(options))
  expect([late.status, late.body.code]).toEqual([400, 'passkey_challenge_missing'])
  expect(auditOf(app, 'user.login.failed').map(({ details }) => details)).toEqual([
    '{"reason":"mfa_proof_invalid"}',
    '{"reason":"passkey_challenge_missing"}',
  ])
  const again = await answer(app, tempToken, device.get(await optionsFor(app, tempToken)))
  expect(again.status, 'the sign-in goes on with a fresh challenge').toBe(200)
})

test('an answer without a user handle is accepted when the user is known', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  expect((await signInWith(app, admin, device, { userHandle: null })).status).toBe(200)
})

test('a signature by another key than the registered one is refused', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const { status, body } = await signInWith(app, admin, device.impostor())
  expect([status, body.code]).toEqual([400, 'mfa_proof_invalid'])
})

test('a clone is refused once the original has been used more often', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const clone = device.clone()
  for (let n = 0; n < 2; n++) expect((await signInWith(app, admin, device)).status).toBe(200)
  expect((await signInWith(app, admin, clone)).body.code).toBe('mfa_proof_invalid')
  expect(counterOf(app)).toBe(2)
})

test('a synced passkey has no counter and works repeatedly', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app, new Authenticator(undefined, { isSynced: true }))
  for (let n = 0; n < 3; n++) expect((await signInWith(app, admin, device)).status).toBe(200)
  expect(counterOf(app)).toBe(0)
})

test('of ten simultaneous answers one signs in', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const { tempToken } = await challenge(app, admin.email)
  const credential = device.get(await optionsFor(app, tempToken))
  const before = liveSessions(app).length
  const answers = await Promise.all(Array.from({ length: 10 }, () => answer(app, tempToken, credential)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
  expect(liveSessions(app)).toHaveLength(before + 1)
})

test('an answer works once, and not for another sign-in', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const { tempToken } = await challenge(app, admin.email)
  const credential = device.get(await optionsFor(app, tempToken))
  expect((await answer(app, tempToken, credential)).status).toBe(200)
  expect((await answer(app, tempToken, credential)).status).toBe(401)
  const { tempToken: next } = await challenge(app, admin.email)
  await optionsFor(app, next)
  expect((await answer(app, next, credential)).body.code).toBe('mfa_proof_invalid')
})

test('the passkey of another user and an unknown one are refused alike', async () => {
  await using app = await testApp({ env: wide })
  const { admin } = await withPasskey(app)
  const eve = await person(app, { email: 'eve@acme.test', scope: 'partner', partnerId: admin.partnerId })
  const hers = new Authenticator()
  await register(app, eve.token, hers)
  const { tempToken } = await challenge(app, admin.email)
  for (const id of [hers.ids[0] as string, 'unknown']) {
    const { challenge: asked } = await optionsFor(app, tempToken)
    const credential = { ...hers.sign(hers.ids[0] as string, String(asked)), id, rawId: id }
    const { status, body } = await answer(app, tempToken, credential)
    expect([status, body.code]).toEqual([403, 'passkey_not_yours'])
  }
})

test('a challenge expires after five minutes', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const first = await challenge(app, admin.email)
  const options = await optionsFor(app, first.tempToken)
  app.clock.advance(200_000)
  const second = await challenge(app, admin.email)
  app.clock.advance(100_000)
  expect((await answer(app, first.tempToken, device.get(options))).status).toBe(401)
  expect((await answer(app, second.tempToken, device.get(options))).body.code).toBe('passkey_challenge_missing')
})

test('at an address where the passkey does not work, the challenge names the hosts where it does', async () => {
  await using app = await testApp({ env: { ...wide, DASHBOARD_URL: 'https://rmm.example.test' } })
  const { admin } = await withPasskey(app)
  for (const headers of [at('https://rmm.example.test'), at('http://192.168.1.5:8443')]) {
    const offered = await challenge(app, admin.email, headers)
    expect(offered).toMatchObject({ passkeyAvailable: false, passkeyHosts: ['localhost'], recoveryAvailable: true })
    const { status, body } = await app.call(mfaPasskeyOptions, { body: { tempToken: offered.tempToken } }, { headers })
    expect([status, body.code]).toEqual([400, 'passkey_not_offered'])
  }
  const { tempToken } = await challenge(app, admin.email)
  const { body } = await app.call(
    mfaPasskeyOptions,
    { body: { tempToken } },
    { headers: at('https://rmm.example.test') },
  )
  expect(body.code).toBe('passkey_not_offered')
})

test('a user without a passkey is not offered one', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  await withFactor(app, admin.token)
  const { tempToken } = await challenge(app, admin.email)
  for (const { status, body } of [
    await app.call(mfaPasskeyOptions, { body: { tempToken } }),
    await answer(app, tempToken, { id: 'x' }),
  ])
    expect([status, body.code]).toEqual([400, 'passkey_not_offered'])
  expect((await app.call(mfaPasskeyOptions, { body: { tempToken: 'x' } })).status).toBe(401)
  expect((await answer(app, 'x', { id: 'x' })).status).toBe(401)
})

test('with text messages disallowed, only the passkey is offered', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const phone = { mfa_method: 'sms', phone_number: '+491701234567', phone_verified: 1 } as const
  app.db.run(q.updateTable('users').set(phone).where('id', '=', admin.userId))
  secure(app, { allowedMfaMethods: { sms: false } })
  const { body } = await app.call(login, { body: { email: admin.email, password } })
  expect(body).toMatchObject({
    mfaMethod: 'passkey',
    allowedMethods: { totp: false, sms: false, passkey: true },
    phoneLast4: null,
  })
  expect((await signInWith(app, admin, device)).status).toBe(200)
})

test('a code without a method answers only if it is a recovery code', async () => {
  await using app = await testApp({ env: wide })
  const { admin, recoveryCodes } = await withPasskey(app)
  const { tempToken } = await challenge(app, admin.email)
  const code = (text: string) => app.call(mfaVerify, { body: { tempToken, code: text } })
  expect((await code('123456')).body.code).toBe('mfa_method_missing')
  expect((await code(recoveryCodes[0] as string)).status).toBe(200)
})

test.each<[what: string, values: object]>([
  ['password', { auth_epoch: 7 }],
  ['factors', { mfa_epoch: 7 }],
  ['status', { status: 'disabled' }],
])('a sign-in becomes invalid when the %s of its user changes', async (_, values) => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const { tempToken } = await challenge(app, admin.email)
  const credential = device.get(await optionsFor(app, tempToken))
  app.db.run(q.updateTable('users').set(values).where('id', '=', admin.userId))
  const { status, cookies } = await answer(app, tempToken, credential)
  expect([status, cookies]).toEqual([401, []])
})

test('answers by code and passkey share a limit of five in five minutes, and challenges are limited to twenty', async () => {
  await using app = await testApp({ env: { ...wide, HOMEPORT_LIMIT_MFA_VERIFY: '5/300' } })
  const { admin, device } = await withPasskey(app)
  const { tempToken } = await challenge(app, admin.email)
  for (let n = 0; n < 4; n++) expect((await answer(app, tempToken, { id: 'x' })).status).toBe(400)
  expect((await app.call(mfaVerify, { body: { tempToken, code: 'ABCD-EFGH' } })).status).toBe(400)
  const options = await optionsFor(app, tempToken)
  expect((await answer(app, tempToken, device.get(options))).status).toBe(429)
  for (let n = 1; n < 20; n++) await optionsFor(app, tempToken)
  expect((await app.call(mfaPasskeyOptions, { body: { tempToken } })).status).toBe(429)
})

test('without second factors there is no passkey challenge', async () => {
  await using app = await testApp({ env: { ...wide, ENABLE_2FA: 'false' } })
  const body = { tempToken: 'x', credential: { id: 'x' } }
  expect((await app.call(mfaPasskeyOptions, { body })).status).toBe(404)
  expect((await app.call(mfaPasskeyVerify, { body })).status).toBe(404)
})
