import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { authMe, login, mfaVerify } from '../../shared/api/auth.ts'
import { mfaDisable, mfaEnable, mfaSetup, phoneConfirm, phoneVerify, smsEnable, stepUp } from '../../shared/api/mfa.ts'
import { deletePasskey } from '../../shared/api/passkeys.ts'
import type { BodyOf } from '../../shared/endpoint.ts'
import { Authenticator } from '../helpers/authenticator.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, password } from '../helpers/factories.ts'
import { mailsOf, mailToFiles } from '../helpers/mail.ts'
import { setPartner } from '../helpers/rows.ts'
import { smsGateway } from '../helpers/sms-gateway.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf, CookieJar, codeOf, refreshWith, withFactor } from './kit.ts'
import { register } from './passkey-kit.ts'

/** Moving the app or the phone to another device: the old factor works until the new one is confirmed. */

const number = '+491701234567'
const wide = Object.fromEntries(
  ['LOGIN_EMAIL', 'MFA_VERIFY', 'MFA_SETUP', 'STEP_UP'].map((name) => [`HOMEPORT_LIMIT_${name}`, '0/60']),
)
const minutes = (app: TestApp, count: number) => app.clock.advance(count * 60_000)

/** Dates all sessions back, as if the password and a factor had been shown an hour ago. */
function makeStale(app: TestApp): void {
  const at = new Date(app.clock.now() - 3_600_000).toISOString()
  app.db.run(q.updateTable('sessions').set({ auth_at: at, mfa_at: at }))
}

const begin = (app: TestApp, token: string, shown: BodyOf<typeof mfaSetup> = {}) =>
  app.call(mfaSetup, { body: { replace: true, ...shown } }, { token })
const confirm = (app: TestApp, token: string, code: string, stepUpGrantId?: string) =>
  app.call(mfaEnable, { body: { code, ...(stepUpGrantId && { stepUpGrantId }) } }, { token })

async function enrolled(app: TestApp) {
  const admin = await bootstrapped(app)
  return { admin, ...(await withFactor(app, admin.token)) }
}

/** Signs in with this code; returns status and token. */
async function answer(app: TestApp, email: string, code: string) {
  const { body } = await app.call(login, { body: { email, password } })
  const { status, body: welcome } = await app.call(mfaVerify, { body: { tempToken: String(body.tempToken), code } })
  return { status, token: String(welcome.tokens?.accessToken) }
}

const factorsOf = (app: TestApp, userId: string) =>
  app.db.first(
    q
      .selectFrom('users')
      .select(['mfa_enabled', 'mfa_method', 'mfa_secret', 'mfa_recovery_codes', 'mfa_epoch'])
      .select(['phone_number', 'phone_verified'])
      .where('id', '=', userId),
  )

async function grantOf(app: TestApp, token: string, code: string, operation?: 'change_email') {
  const { body } = await app.call(
    stepUp,
    { body: { method: 'totp', code, ...(operation && { operation }) } },
    { token },
  )
  return String(body.stepUpGrantId)
}

async function proveNumber(app: TestApp, gateway: Awaited<ReturnType<typeof smsGateway>>, token: string) {
  await app.call(phoneVerify, { body: { phoneNumber: number } }, { token })
  const body = { phoneNumber: number, code: gateway.codeTo(number) }
  expect((await app.call(phoneConfirm, { body }, { token })).status).toBe(200)
}

test('the app moves to another phone, and the old one works until a code of the new one is confirmed', async () => {
  await using app = await testApp({ env: { ...wide, ...mailToFiles } })
  const { admin, secret, recoveryCodes } = await enrolled(app)
  const elsewhere = await answer(app, admin.email, codeOf(app, secret))
  minutes(app, 1)
  const { status, body: next } = await begin(app, admin.token)
  expect([status, next.recoveryCodes.length, next.secret === secret]).toEqual([200, 10, false])
  const old = codeOf(app, secret)
  expect((await confirm(app, admin.token, old)).body.code, 'a code of the old app').toBe('mfa_code_invalid')
  expect((await answer(app, admin.email, old)).status, 'it still signs in').toBe(200)
  minutes(app, 1)
  const moved = await confirm(app, admin.token, codeOf(app, next.secret))
  expect([moved.status, moved.body.recoveryCodes]).toEqual([200, next.recoveryCodes])
  expect((await answer(app, admin.email, codeOf(app, next.secret))).status, 'its code once').toBe(400)
  minutes(app, 1)
  for (const dead of [codeOf(app, secret), recoveryCodes[0] as string])
    expect((await answer(app, admin.email, dead)).status).toBe(400)
  for (const good of [codeOf(app, next.secret), next.recoveryCodes[0] as string])
    expect((await answer(app, admin.email, good)).status).toBe(200)
  expect((await app.call(authMe, {}, { token: elsewhere.token })).status, 'other sessions end').toBe(401)
  expect((await app.call(authMe, {}, { token: admin.token })).status).toBe(200)
  expect((await refreshWith(app, new CookieJar().take(moved))).status).toBe(200)
  expect(auditOf(app, 'auth.mfa.setup').map(({ details }) => JSON.parse(details) as object)).toEqual([
    { method: 'totp' },
    { method: 'totp', replaced: 'totp' },
  ])
  expect((await mailsOf(app)).at(-1)?.text).toContain('The authenticator app of your Homeport account was replaced')
})

test('a policy that forbids removing the factor allows replacing it', async () => {
  await using app = await testApp({ env: wide })
  const { admin, secret } = await enrolled(app)
  setPartner(app, admin.partnerId, { settings: toJson({ security: { requireMfa: true } }) })
  const off = { body: { currentPassword: password, code: codeOf(app, secret) } }
  expect((await app.call(mfaDisable, off, { token: admin.token })).body.code).toBe('mfa_required_by_policy')
  const { body: next } = await begin(app, admin.token)
  expect((await confirm(app, admin.token, codeOf(app, next.secret))).status).toBe(200)
})

test('after a lost phone a sign-in by recovery code is proof enough to replace the app', async () => {
  await using app = await testApp({ env: wide })
  const { admin, recoveryCodes } = await enrolled(app)
  minutes(app, 60)
  const { token } = await answer(app, admin.email, recoveryCodes[0] as string)
  const { body: next } = await begin(app, token)
  expect((await confirm(app, token, codeOf(app, next.secret))).status).toBe(200)
})

test('a new secret is shown only after the password and a step-up with the old factor', async () => {
  await using app = await testApp({ env: wide })
  const { admin, secret } = await enrolled(app)
  expect((await app.call(mfaSetup, {}, { token: admin.token })).body.code).toBe('mfa_already_enabled')
  makeStale(app)
  const begun = app.db.statement("SELECT count(*) FROM one_time_secrets WHERE kind = 'mfa_setup'").pluck()
  const before = factorsOf(app, admin.userId)
  expect((await begin(app, admin.token)).body.code).toBe('password_required')
  expect((await begin(app, admin.token, { currentPassword: 'Wrong-horse-1' })).body.code).toBe('invalid_credentials')
  const proven = { currentPassword: password }
  const refused = await begin(app, admin.token, proven)
  expect([refused.status, refused.body.code]).toEqual([403, 'existing_factor_step_up_required'])
  expect((await begin(app, admin.token, { ...proven, stepUpGrantId: 'f'.repeat(64) })).status).toBe(403)
  expect([factorsOf(app, admin.userId), begun.get()]).toEqual([before, 0])
  const wrongGrant = await grantOf(app, admin.token, codeOf(app, secret), 'change_email')
  expect((await begin(app, admin.token, { ...proven, stepUpGrantId: wrongGrant })).status).toBe(403)
})

test('one step-up grant covers both calls of one replacement', async () => {
  await using app = await testApp({ env: wide })
  const { admin, secret } = await enrolled(app)
  const stepUpGrantId = await grantOf(app, admin.token, codeOf(app, secret))
  makeStale(app)
  const { body: next } = await begin(app, admin.token, { currentPassword: password, stepUpGrantId })
  expect((await confirm(app, admin.token, codeOf(app, next.secret))).status, 'without it').toBe(403)
  expect((await confirm(app, admin.token, codeOf(app, secret, 1), stepUpGrantId)).status, 'a typo').toBe(400)
  expect((await confirm(app, admin.token, codeOf(app, next.secret), stepUpGrantId)).status).toBe(200)
  expect((await begin(app, admin.token, { stepUpGrantId })).status, 'used up').toBe(403)
})

test('of two tabs one confirms, and a setup begun before a change confirms nothing after it', async () => {
  await using app = await testApp({ env: wide })
  const { admin } = await enrolled(app)
  const { body: first } = await begin(app, admin.token)
  const { body: second } = await begin(app, admin.token)
  expect((await confirm(app, admin.token, codeOf(app, first.secret))).status).toBe(400)
  const code = codeOf(app, second.secret)
  const both = await Promise.all([confirm(app, admin.token, code), confirm(app, admin.token, code)])
  expect(both.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
  expect((await confirm(app, admin.token, code)).body.code, 'a replay').toBe('mfa_setup_missing')
  const epoch = factorsOf(app, admin.userId)?.mfa_epoch
  expect(auditOf(app, 'auth.mfa.setup')).toHaveLength(2)

  for (const moved of [{ mfa_epoch: 40 }, { auth_epoch: 40 }]) {
    const { body: third } = await begin(app, (await signedInAgain(app, admin.email, second.recoveryCodes)).token)
    app.db.run(q.updateTable('users').set(moved).where('id', '=', admin.userId))
    const { token } = await signedInAgain(app, admin.email, second.recoveryCodes)
    expect((await confirm(app, token, codeOf(app, third.secret))).body.code).toBe('mfa_setup_missing')
  }
  expect(epoch).toBeLessThan(40)
})

const signedInAgain = (app: TestApp, email: string, codes: string[]) => answer(app, email, codes.shift() as string)

test('during a replacement a step-up takes the code of the present factor', async () => {
  await using app = await testApp({ env: wide })
  const { admin, secret } = await enrolled(app)
  const { body: next } = await begin(app, admin.token)
  const given = (code: string) => app.call(mfaVerify, { body: { code } }, { token: admin.token })
  expect((await given(codeOf(app, next.secret))).body.code).toBe('mfa_code_invalid')
  expect((await given(codeOf(app, secret))).body).toMatchObject({ purpose: 'step-up' })
  expect((await confirm(app, admin.token, codeOf(app, next.secret))).status, 'and it waits still').toBe(200)
})

test('text messages replace the app, and an app replaces text messages', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: { ...wide, ...mailToFiles, ...gateway.env } })
  const { admin, secret, recoveryCodes } = await enrolled(app)
  const { token } = admin
  await proveNumber(app, gateway, token)
  expect((await answer(app, admin.email, codeOf(app, secret))).status, 'a number alone is no factor').toBe(200)
  expect((await app.call(smsEnable, {}, { token })).body.code).toBe('mfa_already_enabled')
  const switched = await app.call(smsEnable, { body: { replace: true } }, { token })
  expect([switched.status, new Set([...switched.body.recoveryCodes, ...recoveryCodes]).size]).toEqual([200, 20])
  expect(factorsOf(app, admin.userId)).toMatchObject({ mfa_method: 'sms', mfa_secret: null, phone_number: number })
  const { body: offered } = await app.call(login, { body: { email: admin.email, password } })
  expect(offered).toMatchObject({ mfaMethod: 'sms', allowedMethods: { totp: false, sms: true } })
  expect((await app.call(smsEnable, { body: { replace: true } }, { token })).body.code).toBe('mfa_already_enabled')

  minutes(app, 1)
  const { body: next } = await begin(app, token)
  expect((await confirm(app, token, codeOf(app, next.secret))).status).toBe(200)
  const after = { mfa_method: 'totp', phone_number: null, phone_verified: 0 }
  expect(factorsOf(app, admin.userId)).toMatchObject(after)
  const details = auditOf(app, 'auth.mfa.setup').map((row) => JSON.parse(row.details) as { replaced?: string })
  expect(details.map(({ replaced }) => replaced)).toEqual([undefined, 'totp', 'sms'])
  const news = (await mailsOf(app)).filter(({ kind }) => kind === 'factors-changed').map(({ text }) => text)
  expect(news[1]).toContain('Text messages replaced the authenticator app')
  expect(news[2]).toContain('An authenticator app replaced text messages')
})

test('switching to text messages needs a step-up, a verified number and a policy that allows them', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: { ...wide, ...gateway.env } })
  const { admin } = await enrolled(app)
  const { token } = admin
  const attempt = async (shown: object = {}) =>
    (await app.call(smsEnable, { body: { replace: true, ...shown } }, { token })).body.code
  const before = factorsOf(app, admin.userId)
  expect(await attempt()).toBe('phone_not_verified')
  await proveNumber(app, gateway, token)
  const proven = factorsOf(app, admin.userId)
  expect(proven).toEqual({ ...before, phone_number: number, phone_verified: 1 })
  makeStale(app)
  expect(await attempt()).toBe('password_required')
  expect(await attempt({ currentPassword: password })).toBe('existing_factor_step_up_required')
  setPartner(app, admin.partnerId, { settings: toJson({ security: { allowedMfaMethods: { sms: false } } }) })
  expect(await attempt()).toBe('sms_not_allowed')
  expect(factorsOf(app, admin.userId)).toEqual(proven)
})

test('next to a passkey both app and text messages can be set up, and a replaced number is no longer a factor', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: { ...wide, ...gateway.env } })
  const admin = await bootstrapped(app)
  await register(app, admin.token, new Authenticator())
  await proveNumber(app, gateway, admin.token)
  const enabled = await app.call(smsEnable, { body: { replace: true } }, { token: admin.token })
  expect(enabled.status).toBe(200)
  const { body: offered } = await app.call(login, { body: { email: admin.email, password } })
  expect(offered.allowedMethods).toEqual({ totp: false, sms: true, passkey: true })
  const { body: next } = await begin(app, admin.token)
  expect((await confirm(app, admin.token, codeOf(app, next.secret))).status).toBe(200)
  const { jar, token } = await signedInWith(app, admin.email, next.recoveryCodes[0] as string)
  const [id] = app.db.statement('SELECT id FROM user_passkeys').pluck().all() as string[]
  const params = { id: String(id) }
  const deleted = await app.call(
    deletePasskey,
    { params, body: { currentPassword: password } },
    { token, headers: { cookie: jar.header } },
  )
  expect(deleted.status).toBe(200)
  expect(factorsOf(app, admin.userId)).toMatchObject({ mfa_method: 'totp', phone_number: null })
})

async function signedInWith(app: TestApp, email: string, code: string) {
  const { body } = await app.call(login, { body: { email, password } })
  const answered = await app.call(mfaVerify, { body: { tempToken: String(body.tempToken), code } })
  return { jar: new CookieJar().take(answered), token: String(answered.body.tokens?.accessToken) }
}
