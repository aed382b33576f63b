import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { authMe, login, mfaVerify } from '../../shared/api/auth.ts'
import { createEnrollmentKey } from '../../shared/api/enrollment-keys.ts'
import { allEndpoints } from '../../shared/api/index.ts'
import { mfaEnable, mfaSetup } from '../../shared/api/mfa.ts'
import { resetUserMfa } from '../../shared/api/people.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { Authenticator } from '../helpers/authenticator.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, organizationOf, password } from '../helpers/factories.ts'
import { setPartner } from '../helpers/rows.ts'
import { smsGateway } from '../helpers/sms-gateway.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf, CookieJar, codeOf, refreshWith, signedInJar, withFactor } from './kit.ts'
import { register } from './passkey-kit.ts'

const wide = { HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60', HOMEPORT_LIMIT_MFA_VERIFY: '0/60', HOMEPORT_LIMIT_MFA_SETUP: '0/60' }
const statusOf = async (app: TestApp, token: string | undefined) => (await app.call(authMe, {}, { token })).status

async function enrolled(app: TestApp) {
  const admin = await bootstrapped(app)
  return { admin, ...(await withFactor(app, admin.token)) }
}

async function challenge(app: TestApp, email: string): Promise<string> {
  const { body } = await app.call(login, { body: { email, password } })
  if (!body.tempToken) throw new Error(`no challenge: ${JSON.stringify(body)}`)
  return String(body.tempToken)
}
const answer = (app: TestApp, tempToken: string, code: string) => app.call(mfaVerify, { body: { tempToken, code } })
const wrongCode = (app: TestApp, secret: string) => {
  const near = [-2, -1, 0, 1, 2].map((steps) => codeOf(app, secret, steps))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code)) as string
}

test('enrollment shows a secret and ten codes, is confirmed by a code, and ends all other sessions', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const other = await signedInJar(app, admin.email, password)
  const { setup, enabled } = await withFactor(app, admin.token)
  expect(setup.secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(setup.otpAuthUrl).toContain(`secret=${setup.secret}`)
  expect(setup.otpAuthUrl).toContain('issuer=Homeport')
  expect(setup.qrCodeDataUrl).toMatch(/^data:image\/png;base64,/)
  expect(new Set(setup.recoveryCodes).size).toBe(10)
  for (const code of setup.recoveryCodes) expect(code).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/)
  expect(enabled.body.recoveryCodes).toEqual(setup.recoveryCodes)
  expect(enabled.headers['cache-control']).toBe('no-store')
  expect(await statusOf(app, admin.token)).toBe(200)
  expect(await statusOf(app, enabled.body.tokens.accessToken)).toBe(200)
  expect(await statusOf(app, other.token)).toBe(401)
  expect((await refreshWith(app, other.jar)).status).toBe(401)
  expect((await refreshWith(app, new CookieJar().take(enabled))).status).toBe(200)
  const { body: me } = await app.call(usersMe, {}, { token: admin.token })
  expect(me).toMatchObject({ mfaEnabled: true, mfaMethod: 'totp' })
  expect(auditOf(app, 'auth.mfa.setup')).toHaveLength(1)
})

test('a session that has just enrolled a factor has passed it', async () => {
  await using app = await testApp({ env: wide })
  const { admin } = await enrolled(app)
  const org = await organizationOf(app, admin.token)
  const made = await app.call(createEnrollmentKey, { body: { name: 'k', orgId: org.id } }, { token: admin.token })
  expect(made.status).toBe(201)
})

test('a wrong code keeps the setup and the bearer, and no factor is enabled before a right one', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const { body: setup } = await app.call(mfaSetup, {}, { token: admin.token })
  const refused = await app.call(mfaEnable, { body: { code: wrongCode(app, setup.secret) } }, { token: admin.token })
  expect(refused.status).toBe(400)
  expect((await app.call(login, { body: { email: admin.email, password } })).body.mfaRequired).toBe(false)
  const [unconfirmed = ''] = setup.recoveryCodes
  expect((await app.call(mfaVerify, { body: { code: unconfirmed } }, { token: admin.token })).status).toBe(400)
  expect(app.db.statement('SELECT mfa_recovery_codes FROM users').pluck().get()).toBeNull()
  const right = { body: { code: codeOf(app, setup.secret) } }
  expect((await app.call(mfaEnable, right, { token: admin.token })).status).toBe(200)
  expect((await app.call(mfaSetup, {}, { token: admin.token })).body.code).toBe('mfa_already_enabled')
  expect(auditOf(app, 'auth.mfa.setup')).toHaveLength(1)
})

test('a setup expires after ten minutes, is replaced by a newer one, and is used up by its confirmation', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const enable = (secret: string) =>
    app.call(mfaEnable, { body: { code: codeOf(app, secret) } }, { token: admin.token })
  const { body: first } = await app.call(mfaSetup, {}, { token: admin.token })
  app.clock.advance(600_000)
  expect((await enable(first.secret)).body.code).toBe('mfa_setup_missing')
  const { body: second } = await app.call(mfaSetup, {}, { token: admin.token })
  const { body: third } = await app.call(mfaSetup, {}, { token: admin.token })
  expect((await enable(second.secret)).status).toBe(400)
  const both = await Promise.all([enable(third.secret), enable(third.secret)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(auditOf(app, 'auth.mfa.setup')).toHaveLength(1)
})

test('with a factor the right password returns a challenge and no session', async () => {
  await using app = await testApp({ env: wide })
  const { admin } = await enrolled(app)
  const before = app.db.first(q.selectFrom('users').select('last_login_at').where('id', '=', admin.userId))
  const logins = auditOf(app, 'user.login').length
  const { body, cookies } = await app.call(login, { body: { email: admin.email, password } })
  expect(body).toMatchObject({
    mfaRequired: true,
    mfaMethod: 'totp',
    allowedMethods: { totp: true, sms: false, passkey: false },
    recoveryAvailable: true,
    user: null,
    tokens: null,
  })
  expect(cookies).toEqual([])
  expect(await statusOf(app, String(body.tempToken))).toBe(401)
  expect(auditOf(app, 'user.login')).toHaveLength(logins)
  expect(app.db.first(q.selectFrom('users').select('last_login_at').where('id', '=', admin.userId))).toEqual(before)
})

test('a code completes the sign-in once: neither the challenge nor the code works again', async () => {
  await using app = await testApp({ env: wide })
  const { admin, secret } = await enrolled(app)
  const first = await challenge(app, admin.email)
  const second = await challenge(app, admin.email)
  const done = await answer(app, first, codeOf(app, secret))
  expect([done.status, done.body.purpose === 'sign-in' && done.body.user.mfaEnabled, done.cookies.length]).toEqual([
    200,
    true,
    3,
  ])
  expect(await statusOf(app, done.body.tokens?.accessToken)).toBe(200)
  expect((await answer(app, first, codeOf(app, secret, 1))).status).toBe(401)
  expect((await answer(app, second, codeOf(app, secret))).status).toBe(400)
  expect((await answer(app, second, codeOf(app, secret, -1))).status, 'an older code').toBe(400)
  expect((await answer(app, second, codeOf(app, secret, 1))).status, 'the next code').toBe(200)
  const details = auditOf(app, 'user.login').map((row) => JSON.parse(row.details) as { source: string | null })
  expect(details.map(({ source }) => source)).toEqual([null, 'totp', 'totp'])
})

test('a code is valid one step before and after its time, and no longer', async () => {
  await using app = await testApp({ env: wide })
  const { admin, secret } = await enrolled(app)
  const tempToken = await challenge(app, admin.email)
  for (const steps of [-2, 2, 3]) expect((await answer(app, tempToken, codeOf(app, secret, steps))).status).toBe(400)
  expect((await answer(app, tempToken, codeOf(app, secret, -1))).status).toBe(200)
})

test('one code sent twice at once signs in once', async () => {
  await using app = await testApp({ env: wide })
  const { admin, secret, recoveryCodes } = await enrolled(app)
  for (const code of [codeOf(app, secret), recoveryCodes[0] as string]) {
    const [one, two] = [await challenge(app, admin.email), await challenge(app, admin.email)]
    const answers = await Promise.all([answer(app, one, code), answer(app, two, code)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  }
})

test('two recovery codes used at once both work and are both used up', async () => {
  await using app = await testApp({ env: wide })
  const { admin, recoveryCodes } = await enrolled(app)
  const [a = '', b = ''] = recoveryCodes
  const [one, two] = [await challenge(app, admin.email), await challenge(app, admin.email)]
  const answers = await Promise.all([answer(app, one, a.toLowerCase()), answer(app, two, ` ${b} `)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const third = await challenge(app, admin.email)
  for (const code of [a, b, 'ZZZZ-ZZZZ']) expect((await answer(app, third, code)).status).toBe(400)
  expect((await answer(app, third, recoveryCodes[2] as string)).status).toBe(200)
})

test('a challenge that fails in the meantime does not use up its recovery code', async () => {
  await using app = await testApp({ env: wide })
  const { admin, recoveryCodes } = await enrolled(app)
  const code = recoveryCodes[0] as string
  const stale = await challenge(app, admin.email)
  app.clock.advance(300_000)
  expect((await answer(app, stale, code)).status).toBe(401)
  expect((await answer(app, await challenge(app, admin.email), code)).status).toBe(200)
})

test.each<[what: string, values: object]>([
  ['password', { auth_epoch: 7 }],
  ['factors', { mfa_epoch: 7 }],
  ['status', { status: 'disabled' }],
])('a challenge becomes invalid when the %s of its user changes', async (_, values) => {
  await using app = await testApp({ env: wide })
  const { admin, secret } = await enrolled(app)
  const tempToken = await challenge(app, admin.email)
  app.db.run(q.updateTable('users').set(values).where('id', '=', admin.userId))
  const { status, cookies } = await answer(app, tempToken, codeOf(app, secret))
  expect([status, cookies]).toEqual([401, []])
  expect((await answer(app, tempToken, codeOf(app, secret))).status).toBe(401)
  const reasons = auditOf(app, 'user.login.failed').map((row) => row.details)
  expect(reasons).toEqual(['{"reason":"mfa_pending_invalidated"}'])
})

test('a challenge ends when its method is forbidden, and still accepts a recovery code', async () => {
  await using app = await testApp({ env: wide })
  const { admin, secret, recoveryCodes } = await enrolled(app)
  const [one, two] = [await challenge(app, admin.email), await challenge(app, admin.email)]
  setPartner(app, admin.partnerId, { settings: toJson({ security: { allowedMfaMethods: { totp: false } } }) })
  const refused = await answer(app, one, codeOf(app, secret))
  expect([refused.status, refused.body.code]).toEqual([401, 'mfa_challenge_expired'])
  expect((await answer(app, one, recoveryCodes[0] as string)).status).toBe(401)
  expect((await answer(app, two, recoveryCodes[0] as string)).status).toBe(200)
  const reasons = auditOf(app, 'user.login.failed').map((row) => row.details)
  expect(reasons).toEqual(['{"reason":"mfa_method_not_allowed"}'])
})

test('a challenge refuses a code of another method and a method it does not offer', async () => {
  await using app = await testApp({ env: wide })
  const { admin, secret, recoveryCodes } = await enrolled(app)
  const tempToken = await challenge(app, admin.email)
  const withMethod = (method: 'totp' | 'sms' | 'recovery', code: string) =>
    app.call(mfaVerify, { body: { tempToken, code, method } })
  expect((await withMethod('recovery', codeOf(app, secret))).body.code).toBe('mfa_code_invalid')
  expect((await withMethod('totp', recoveryCodes[0] as string)).body.code).toBe('mfa_code_invalid')
  expect((await withMethod('sms', codeOf(app, secret))).status).toBe(501)
  expect((await withMethod('totp', codeOf(app, secret))).status).toBe(200)
})

test('a user with forbidden text messages and a passkey is offered the passkey', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: { ...wide, ...gateway.env } })
  const admin = await bootstrapped(app)
  await register(app, admin.token, new Authenticator())
  const phone = { mfa_method: 'sms', phone_number: '+491701234567', phone_verified: 1 } as const
  app.db.run(q.updateTable('users').set(phone).where('id', '=', admin.userId))
  const begin = async () => (await app.call(login, { body: { email: admin.email, password } })).body
  expect(await begin()).toMatchObject({ mfaMethod: 'sms', allowedMethods: { totp: false, sms: true, passkey: true } })
  setPartner(app, admin.partnerId, { settings: toJson({ security: { allowedMfaMethods: { sms: false } } }) })
  expect(await begin()).toMatchObject({
    mfaMethod: 'passkey',
    passkeyAvailable: true,
    allowedMethods: { totp: false, sms: false, passkey: true },
    // The company forbids it, so no provider is missing.
    smsUnavailable: false,
    phoneLast4: null,
  })
})

test('of a hundred simultaneous guesses over many challenges, five are checked', async () => {
  await using app = await testApp({ env: { HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60' } })
  const { admin, secret } = await enrolled(app)
  const challenges = await Promise.all(Array.from({ length: 4 }, () => challenge(app, admin.email)))
  const wrong = wrongCode(app, secret)
  const guesses = await Promise.all(
    Array.from({ length: 100 }, (_, n) => answer(app, challenges[n % 4] as string, n % 3 ? wrong : 'ZZZZ-ZZZZ')),
  )
  const count = (status: number) => guesses.filter((guess) => guess.status === status).length
  expect([count(400), count(429)]).toEqual([5, 95])
  expect(auditOf(app, 'user.login.failed')).toHaveLength(5)
})

test('a user can try five codes in five minutes over all challenges', async () => {
  await using app = await testApp({ env: { HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60' } })
  const { admin, secret } = await enrolled(app)
  const [one, two] = [await challenge(app, admin.email), await challenge(app, admin.email)]
  for (let n = 0; n < 5; n++)
    expect((await answer(app, n % 2 ? one : two, wrongCode(app, secret))).body.code).toBe('mfa_code_invalid')
  const { status, body } = await answer(app, one, codeOf(app, secret))
  expect([status, body.retryAfter]).toEqual([429, 300])
  const reasons = auditOf(app, 'user.login.failed').map((row) => row.details)
  expect(reasons).toEqual(Array(5).fill('{"reason":"mfa_invalid_code"}'))
  expect((await answer(app, 'f'.repeat(64), '000000')).status, 'a stranger costs nobody a try').toBe(401)
})

test('without second factors the appliance asks for none, and none can be enrolled', async () => {
  await using app = await testApp({ env: { ...wide, ENABLE_2FA: 'false' } })
  const admin = await bootstrapped(app)
  app.db.run(q.updateTable('users').set({ mfa_enabled: 1, mfa_method: 'totp' }).where('id', '=', admin.userId))
  const { body } = await app.call(login, { body: { email: admin.email, password } })
  expect(body.mfaRequired).toBe(false)
  const token = body.tokens?.accessToken
  const closed = allEndpoints.filter(({ isTwoFactor }) => isTwoFactor)
  const aboutFactors = allEndpoints.filter(({ path }) => /^\/auth\/(mfa|phone|passkeys)/.test(path))
  expect(aboutFactors.length).toBeGreaterThan(20)
  expect(closed, 'each of them says so in its contract').toEqual(aboutFactors)
  for (const endpoint of closed)
    for (const bearer of [token, undefined]) {
      const { status, body: refusal } = await app.call(endpoint, {}, { token: bearer })
      expect([endpoint.name, status, refusal.error]).toEqual([endpoint.name, 404, 'Not Found'])
    }
  const org = await organizationOf(app, admin.token)
  expect((await app.call(createEnrollmentKey, { body: { name: 'k', orgId: org.id } }, { token })).status).toBe(201)
  expect((await app.call(resetUserMfa, { params: { id: 'x' } }, { token })).status, 'past the marker').toBe(404)
})
