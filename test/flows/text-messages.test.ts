import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { authMe, login, mfaVerify } from '../../shared/api/auth.ts'
import {
  enrollmentOptions,
  mfaDisable,
  mfaSetup,
  phoneConfirm,
  phoneVerify,
  smsEnable,
  smsSend,
  stepUp,
  stepUpSms,
} from '../../shared/api/mfa.ts'
import { test } from '../helpers/concurrent-test.ts'
import { type Admin, bootstrapped, password, person } from '../helpers/factories.ts'
import { setPartner } from '../helpers/rows.ts'
import { smsGateway } from '../helpers/sms-gateway.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf, CookieJar, refreshWith, signedInJar, withFactor } from './kit.ts'

const number = '+491701234567'
const other = '+491709999999'
const wide = Object.fromEntries(
  [
    'LOGIN_EMAIL',
    'MFA_VERIFY',
    'STEP_UP',
    'PHONE_VERIFY_NUMBER',
    'PHONE_VERIFY_USER',
    'SMS_CHALLENGE',
    'SMS_NUMBER',
  ].map((name) => [`HOMEPORT_LIMIT_${name}`, '0/60']),
)

type Gateway = Awaited<ReturnType<typeof smsGateway>>

const confirm = (app: TestApp, token: string, phoneNumber: string, code: string, stepUpGrantId?: string) =>
  app.call(phoneConfirm, { body: { phoneNumber, code, ...(stepUpGrantId && { stepUpGrantId }) } }, { token })

async function withPhone(app: TestApp, gateway: Gateway, token: string, phoneNumber = number) {
  const asked = await app.call(phoneVerify, { body: { phoneNumber } }, { token })
  const answered = await confirm(app, token, phoneNumber, gateway.codeTo(phoneNumber))
  if (answered.status !== 200) throw new Error(`phone: ${JSON.stringify([asked.body, answered.body])}`)
  return answered
}

/** An administrator whose second factor is the phone. */
async function withSms(app: TestApp, gateway: Gateway) {
  const admin = await bootstrapped(app)
  await withPhone(app, gateway, admin.token)
  const enabled = await app.call(smsEnable, {}, { token: admin.token })
  if (enabled.status !== 200) throw new Error(`sms: ${JSON.stringify(enabled.body)}`)
  return { admin, enabled }
}

async function challenge(app: TestApp, { email }: Admin) {
  const { body } = await app.call(login, { body: { email, password } })
  if (!body.mfaRequired) throw new Error(`no challenge: ${JSON.stringify(body)}`)
  return body
}
const send = (app: TestApp, tempToken: string) => app.call(smsSend, { body: { tempToken } })
const answer = (app: TestApp, tempToken: string, code: string) => app.call(mfaVerify, { body: { tempToken, code } })
const wrong = (code: string) => (code === '000000' ? '111111' : '000000')
const allow = (app: TestApp, { partnerId }: Admin, methods: object) =>
  setPartner(app, partnerId, { settings: toJson({ security: { allowedMfaMethods: methods } }) })

test('a number is confirmed by the code it received, and no session ends', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: { ...wide, ...gateway.env } })
  const admin = await bootstrapped(app)
  const elsewhere = await signedInJar(app, admin.email, password)
  const { body } = await app.call(phoneVerify, { body: { phoneNumber: number } }, { token: admin.token })
  expect(body).toMatchObject({ success: true })
  expect(gateway.messages).toEqual([{ to: number, text: expect.stringMatching(/^\d{6} is your Homeport code/) }])
  const code = gateway.codeTo(number)
  expect((await confirm(app, admin.token, number, wrong(code))).body.code).toBe('mfa_code_invalid')
  expect((await confirm(app, admin.token, other, code)).body.code, 'for another number').toBe('mfa_code_invalid')
  const confirmed = await confirm(app, admin.token, number, code)
  expect([confirmed.status, confirmed.cookies]).toEqual([200, []])
  expect((await confirm(app, admin.token, number, code)).status, 'a second time').toBe(400)
  const { body: me } = await app.call(authMe, {}, { token: elsewhere.token })
  expect(me.user).toMatchObject({ phoneVerified: true, phoneLast4: '4567', mfaEnabled: false })
  const events = auditOf(app).filter(({ action }) => action.startsWith('auth.phone.'))
  expect(events.map(({ action, details }) => [action, details])).toEqual([
    ['auth.phone.verify.requested', '{"phoneLast4":"4567"}'],
    ['auth.phone.failed', '{"reason":"mfa_code_invalid"}'],
    ['auth.phone.failed', '{"reason":"mfa_code_invalid"}'],
    ['auth.phone.confirmed', '{"phoneLast4":"4567"}'],
    ['auth.phone.failed', '{"reason":"mfa_code_invalid"}'],
  ])
})

test('a code is valid for ten minutes, and a newer one replaces it', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: { ...wide, ...gateway.env } })
  const admin = await bootstrapped(app)
  const ask = () => app.call(phoneVerify, { body: { phoneNumber: number } }, { token: admin.token })
  await ask()
  const first = gateway.codeTo(number)
  app.clock.advance(600_000)
  expect((await confirm(app, admin.token, number, first)).status).toBe(400)
  await ask()
  await ask()
  const [, second = '', third = ''] = gateway.messages.map(({ text }) => text.slice(0, 6))
  if (second !== third) expect((await confirm(app, admin.token, number, second)).status).toBe(400)
  expect((await confirm(app, admin.token, number, third)).status).toBe(200)
})

test('without a provider text messages are neither sent nor offered nor enrolled', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const { token } = admin
  expect((await app.call(phoneVerify, { body: { phoneNumber: number } }, { token })).status).toBe(501)
  expect((await confirm(app, token, number, '123456')).status).toBe(501)
  app.db.run(q.updateTable('users').set({ phone_number: number, phone_verified: 1 }).where('id', '=', admin.userId))
  expect((await app.call(smsEnable, {}, { token })).status).toBe(501)
  const { body } = await app.call(enrollmentOptions, {}, { token })
  expect(body).toMatchObject({ allowedMethods: { totp: true, sms: false, passkey: true }, phoneConfigured: false })
  const factor = { mfa_enabled: 1, mfa_method: 'sms', mfa_recovery_codes: toJson(['x']) } as const
  app.db.run(q.updateTable('users').set(factor).where('id', '=', admin.userId))
  const { tempToken, allowedMethods, smsUnavailable, phoneLast4 } = await challenge(app, admin)
  expect([allowedMethods.sms, smsUnavailable, phoneLast4]).toEqual([false, true, null])
  expect((await send(app, tempToken)).status).toBe(501)
  expect((await answer(app, tempToken, '123456')).status).toBe(501)
  expect((await app.call(stepUpSms, {}, { token })).status).toBe(501)
})

test('a failing provider answers 502, and the code sent before stays valid', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: { ...wide, ...gateway.env } })
  const admin = await bootstrapped(app)
  const ask = () => app.call(phoneVerify, { body: { phoneNumber: number } }, { token: admin.token })
  gateway.isDown = true
  expect([(await ask()).status, auditOf(app, 'auth.phone.verify.requested').length]).toEqual([502, 0])
  expect(app.db.statement("SELECT count(*) FROM one_time_secrets WHERE kind = 'sms_code'").pluck().get()).toBe(0)
  gateway.isDown = false
  await ask()
  gateway.isDown = true
  expect((await ask()).status).toBe(502)
  expect((await confirm(app, admin.token, number, gateway.codeTo(number))).status).toBe(200)
})

test('three messages an hour per number, five per user, and five answers in five minutes', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: gateway.env })
  const admin = await bootstrapped(app)
  const ask = (phoneNumber: string) => app.call(phoneVerify, { body: { phoneNumber } }, { token: admin.token })
  for (let n = 0; n < 3; n++) expect((await ask(number)).status).toBe(200)
  const refused = await ask(number)
  expect([refused.status, refused.body.retryAfter]).toEqual([429, 3600])
  for (let n = 0; n < 2; n++) expect((await ask(other)).status, 'refused calls do not count').toBe(200)
  expect((await ask('+491700000001')).status).toBe(429)
  expect(gateway.messages).toHaveLength(5)
  const code = gateway.codeTo(number)
  const guesses = await Promise.all(Array.from({ length: 20 }, () => confirm(app, admin.token, number, wrong(code))))
  expect(guesses.filter(({ status }) => status === 400)).toHaveLength(5)
  expect((await confirm(app, admin.token, number, code)).status).toBe(429)
})

test('enrolling the phone ends other sessions, and a message answers the next sign-in', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: { ...wide, ...gateway.env }, logs: true })
  const admin = await bootstrapped(app)
  const elsewhere = await signedInJar(app, admin.email, password)
  expect((await app.call(smsEnable, {}, { token: admin.token })).body.code).toBe('phone_not_verified')
  await withPhone(app, gateway, admin.token)
  const enabled = await app.call(smsEnable, {}, { token: admin.token })
  expect([enabled.status, enabled.body.recoveryCodes.length, enabled.cookies.length]).toEqual([200, 10, 2])
  expect((await app.call(authMe, {}, { token: elsewhere.token })).status).toBe(401)
  expect((await app.call(authMe, {}, { token: admin.token })).body.user.mfaMethod).toBe('sms')
  expect((await app.call(smsEnable, {}, { token: admin.token })).body.code).toBe('mfa_already_enabled')
  expect((await app.call(mfaSetup, {}, { token: admin.token })).body.code).toBe('mfa_already_enabled')
  const { tempToken, ...begun } = await challenge(app, admin)
  expect(begun).toMatchObject({
    mfaMethod: 'sms',
    allowedMethods: { totp: false, sms: true, passkey: false },
    phoneLast4: '4567',
  })
  expect((await send(app, tempToken)).status).toBe(200)
  const code = gateway.codeTo(number)
  expect((await answer(app, tempToken, wrong(code))).body.code).toBe('mfa_code_invalid')
  const done = await answer(app, tempToken, code)
  expect([done.status, done.body.purpose]).toEqual([200, 'sign-in'])
  expect(auditOf(app, 'user.login').at(-1)?.details).toContain('"source":"sms"')
  expect(auditOf(app, 'auth.mfa.sms.sent').map(({ details }) => details)).toEqual([
    '{"purpose":"sign-in","phoneLast4":"4567"}',
  ])
  expect((await answer(app, (await challenge(app, admin)).tempToken, code)).status, 'a second time').toBe(400)
  const written = JSON.stringify([auditOf(app), app.logLines])
  for (const secret of [number, tempToken, ...enabled.body.recoveryCodes]) expect(written).not.toContain(secret)
})

test('a code is valid only for its purpose: confirming, one sign-in, or one session', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: { ...wide, ...gateway.env } })
  const { admin, enabled } = await withSms(app, gateway)
  const { token } = admin
  const [one, two] = [await challenge(app, admin), await challenge(app, admin)]
  await send(app, one.tempToken)
  const forSignIn = gateway.codeTo(number)
  await app.call(phoneVerify, { body: { phoneNumber: number } }, { token })
  const forNumber = gateway.codeTo(number)
  await app.call(stepUpSms, {}, { token })
  const forSession = gateway.codeTo(number)
  // Of a million codes, two may be the same.
  if (new Set([forSignIn, forNumber, forSession]).size < 3) return
  const stepUpWith = (code: string, bearer = token) =>
    app.call(stepUp, { body: { method: 'sms', code } }, { token: bearer })
  for (const code of [forNumber, forSession]) expect((await answer(app, one.tempToken, code)).status).toBe(400)
  expect((await answer(app, two.tempToken, forSignIn)).status, 'another sign-in').toBe(400)
  for (const code of [forNumber, forSignIn]) expect((await stepUpWith(code)).body.code).toBe('mfa_proof_invalid')
  for (const code of [forSignIn, forSession]) expect((await confirm(app, token, number, code)).status).toBe(400)
  const done = await answer(app, one.tempToken, forSignIn)
  expect(done.status).toBe(200)
  expect((await stepUpWith(forSession, done.body.tokens?.accessToken)).status, 'another session').toBe(400)
  expect((await stepUpWith(forSession)).status).toBe(200)
  const sameNumber = await confirm(app, token, number, forNumber)
  expect([sameNumber.status, sameNumber.cookies], 'the same number changes no factor').toEqual([200, []])
  expect((await refreshWith(app, new CookieJar().take(enabled))).status).toBe(200)
})

test('three messages per challenge, and five per number in a quarter of an hour', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: { HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60', ...gateway.env } })
  const { admin } = await withSms(app, gateway)
  const [one, two] = [await challenge(app, admin), await challenge(app, admin)]
  const sent = await Promise.all(Array.from({ length: 10 }, () => send(app, one.tempToken)))
  expect(sent.filter(({ status }) => status === 200)).toHaveLength(3)
  const more = [await send(app, two.tempToken), await send(app, two.tempToken), await send(app, two.tempToken)]
  expect(more.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(more[2]?.body.retryAfter).toBe(900)
  expect((await send(app, 'f'.repeat(64))).status).toBe(401)
})

test('changing the number of an enrolled phone is a change of factors and needs the old one', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: { ...wide, ...gateway.env } })
  const { admin } = await withSms(app, gateway)
  const signedIn = await challenge(app, admin)
  await send(app, signedIn.tempToken)
  const { body } = await answer(app, signedIn.tempToken, gateway.codeTo(number))
  const elsewhere = body.tokens?.accessToken
  const pending = await challenge(app, admin)
  await send(app, pending.tempToken)
  const toOldNumber = gateway.codeTo(number)
  app.clock.advance(16 * 60_000)
  const fresh = await app.call(login, { body: { email: admin.email, password } })
  expect(fresh.body.mfaRequired).toBe(true)
  const here = String(fresh.body.tempToken)
  await send(app, here)
  const { body: begun, cookies } = await answer(app, here, gateway.codeTo(number))
  const token = begun.tokens?.accessToken as string
  await app.call(phoneVerify, { body: { phoneNumber: other } }, { token })
  const replaced = await confirm(app, token, other, gateway.codeTo(other))
  expect([replaced.status, replaced.cookies.length]).toEqual([200, 2])
  expect((await app.call(authMe, {}, { token })).body.user.phoneLast4).toBe('9999')
  expect((await app.call(authMe, {}, { token: elsewhere })).status).toBe(401)
  expect((await answer(app, pending.tempToken, toOldNumber)).status).toBe(401)
  const jar = new CookieJar().take({ cookies }).take(replaced)
  expect((await refreshWith(app, jar)).status).toBe(200)
})

test('a user with a factor shows it before a number is stored, and an old session needs the password first', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: { ...wide, ...gateway.env } })
  const admin = await bootstrapped(app)
  const { enabled } = await withFactor(app, admin.token)
  app.clock.advance(14 * 60_000)
  const { tokens } = (await refreshWith(app, new CookieJar().take(enabled))).body
  const token = tokens?.accessToken as string
  app.clock.advance(2 * 60_000)
  const stale = await app.call(phoneVerify, { body: { phoneNumber: number } }, { token })
  expect([stale.status, stale.body.code]).toEqual([400, 'password_required'])
  const proven = { phoneNumber: number, currentPassword: password }
  expect((await app.call(phoneVerify, { body: proven }, { token })).status).toBe(200)
  const refused = await app.call(phoneConfirm, { body: { ...proven, code: gateway.codeTo(number) } }, { token })
  expect([refused.status, refused.body.code]).toEqual([403, 'existing_factor_step_up_required'])
  expect((await app.call(authMe, {}, { token })).body.user.phoneVerified).toBe(false)
})

test('a company that forbids text messages allows no enrollment and ends pending challenges', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: { ...wide, ...gateway.env } })
  const { admin } = await withSms(app, gateway)
  const one = await challenge(app, admin)
  const two = await challenge(app, admin)
  await send(app, one.tempToken)
  allow(app, admin, { sms: false })
  const refused = await answer(app, one.tempToken, gateway.codeTo(number))
  expect([refused.status, refused.body.code]).toEqual([401, 'mfa_challenge_expired'])
  expect((await send(app, two.tempToken)).status).toBe(401)
  const reasons = auditOf(app, 'user.login.failed').map(({ details }) => details)
  expect(reasons).toEqual(Array(2).fill('{"reason":"mfa_method_not_allowed"}'))
  allow(app, admin, {})
  expect((await answer(app, one.tempToken, gateway.codeTo(number))).status, 'allowed again, yet over').toBe(401)
  allow(app, admin, { sms: false })
  const colleague = await person(app, { email: 'c@x.test', scope: 'partner', partnerId: admin.partnerId })
  await withPhone(app, gateway, colleague.token, other)
  const { status, body } = await app.call(smsEnable, {}, { token: colleague.token })
  expect([status, body.error]).toEqual([403, 'Your organization does not allow SMS MFA'])
  const stepped = await app.call(stepUp, { body: { method: 'sms', code: '123456' } }, { token: admin.token })
  expect(stepped.body.code).toBe('mfa_proof_invalid')
  expect((await app.call(stepUpSms, {}, { token: admin.token })).body.code).toBe('sms_not_allowed')
})

test('a user with only a forbidden factor and no recovery code cannot sign in, with the usual refusal', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: { ...wide, ...gateway.env } })
  const { admin } = await withSms(app, gateway)
  allow(app, admin, { sms: false })
  const offered = await challenge(app, admin)
  expect(offered).toMatchObject({
    allowedMethods: { totp: false, sms: false, passkey: false },
    recoveryAvailable: true,
  })
  app.db.run(
    q
      .updateTable('users')
      .set({ mfa_recovery_codes: toJson([]) })
      .where('id', '=', admin.userId),
  )
  const refused = await app.call(login, { body: { email: admin.email, password } })
  const stranger = await app.call(login, { body: { email: admin.email, password: 'Wrong1234' } })
  expect([refused.status, refused.body]).toEqual([401, stranger.body])
  expect(auditOf(app, 'user.login.failed')[0]?.details).toBe('{"reason":"mfa_method_not_allowed"}')
})

test('a code by text message removes the factor like one of the app', async () => {
  await using gateway = await smsGateway()
  await using app = await testApp({ env: { ...wide, ...gateway.env } })
  const { admin, enabled } = await withSms(app, gateway)
  const headers = { cookie: new CookieJar().take(enabled).header }
  await app.call(stepUpSms, {}, { token: admin.token })
  const body = { currentPassword: password, code: gateway.codeTo(number) }
  const off = await app.call(mfaDisable, { body }, { token: admin.token, headers })
  expect(off.status).toBe(200)
  const { body: me } = await app.call(authMe, {}, { token: off.body.tokens.accessToken })
  expect(me.user).toMatchObject({ mfaEnabled: false, mfaMethod: null, phoneVerified: false, phoneLast4: null })
})
