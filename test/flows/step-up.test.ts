import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { authMe, login, mfaVerify } from '../../shared/api/auth.ts'
import {
  enrollmentOptions,
  mfaEnable,
  mfaSetup,
  rotateRecoveryCodes,
  type StepUpOperation,
  stepUp,
  stepUpOptions,
} from '../../shared/api/mfa.ts'
import { resetUserMfa } from '../../shared/api/people.ts'
import { Authenticator } from '../helpers/authenticator.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, password } from '../helpers/factories.ts'
import { setPartner } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf, CookieJar, codeOf, refreshWith, withFactor } from './kit.ts'
import { register, wide, withPasskey } from './passkey-kit.ts'

const verify = (
  app: TestApp,
  token: string,
  code: string,
  more: { method?: 'totp' | 'sms' | 'recovery'; stepUpGrantId?: string } = {},
) => app.call(mfaVerify, { body: { code, ...more } }, { token })

const grant = (app: TestApp, token: string, code: string, operation?: StepUpOperation) =>
  app.call(stepUp, { body: { method: 'totp', code, ...(operation && { operation }) } }, { token })

const rotate = (app: TestApp, token: string, stepUpGrantId?: string) =>
  app.call(
    rotateRecoveryCodes,
    { body: { currentPassword: password, ...(stepUpGrantId && { stepUpGrantId }) } },
    { token },
  )

/** An administrator with an authenticator app, in a session begun before it was enrolled. */
async function unproven(app: TestApp) {
  const admin = await bootstrapped(app)
  const factor = await withFactor(app, admin.token)
  app.db.run(q.updateTable('sessions').set({ mfa_at: null, mfa_source: null }).where('user_id', '=', admin.userId))
  return { ...factor, admin, token: admin.token, jar: new CookieJar().take(factor.enabled) }
}

const isProven = async (app: TestApp, token: string) =>
  (await app.call(resetUserMfa, { params: { id: 'x' } }, { token })).body.code !== 'MFA_REQUIRED'

test('a code marks the session as having passed a factor, and its refresh token stays', async () => {
  await using app = await testApp({ env: wide })
  const { token, secret, jar } = await unproven(app)
  expect(await isProven(app, token)).toBe(false)
  const wrong = await verify(app, token, '000000')
  expect([wrong.status, wrong.body.code]).toEqual([400, 'mfa_code_invalid'])
  const right = await verify(app, token, codeOf(app, secret))
  expect([right.status, right.body.purpose, right.cookies]).toEqual([200, 'step-up', []])
  expect(await isProven(app, token)).toBe(true)
  expect(await isProven(app, right.body.tokens?.accessToken as string)).toBe(true)
  const replayed = await verify(app, token, codeOf(app, secret))
  expect(replayed.body.code, 'the same code').toBe('mfa_code_invalid')
  expect((await refreshWith(app, jar)).status).toBe(200)
  const events = auditOf(app).filter(({ action }) => action.startsWith('auth.mfa.stepup'))
  expect(events.map(({ action, result, details }) => [action, result, details])).toEqual([
    ['auth.mfa.stepup.failed', 'denied', '{"method":"totp"}'],
    ['auth.mfa.stepup.granted', 'success', '{"method":"totp"}'],
    ['auth.mfa.stepup.failed', 'denied', '{"method":"totp"}'],
  ])
})

test('a recovery code also steps the session up, and is used up', async () => {
  await using app = await testApp({ env: wide })
  const { token, recoveryCodes } = await unproven(app)
  const [code = ''] = recoveryCodes
  expect((await verify(app, token, code, { method: 'totp' })).status, 'no code of the app').toBe(400)
  const both = await Promise.all([verify(app, token, code), verify(app, token, code)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(await isProven(app, token)).toBe(true)
  expect((await app.call(authMe, {}, { token })).body.user.recoveryCodesLeft).toBe(9)
})

test('a code confirms a pending setup, and without one or a factor answers mfa_setup_missing', async () => {
  await using app = await testApp({ env: wide })
  const { token } = await bootstrapped(app)
  expect((await verify(app, token, '123456')).body.code).toBe('mfa_setup_missing')
  const { body: setup } = await app.call(mfaSetup, {}, { token })
  expect((await verify(app, token, setup.recoveryCodes[0] as string)).body.code, 'not before').toBe('mfa_setup_missing')
  expect((await verify(app, token, '000000')).body.code).toBe('mfa_code_invalid')
  const done = await verify(app, token, codeOf(app, setup.secret))
  expect(done.body).toMatchObject({ purpose: 'enrollment', success: true, recoveryCodes: setup.recoveryCodes })
  expect([done.status, done.cookies.length]).toEqual([200, 2])
  expect((await refreshWith(app, new CookieJar().take(done))).status).toBe(200)
  expect(await isProven(app, token)).toBe(true)
  expect(auditOf(app, 'auth.mfa.setup.failed').map(({ details }) => details)).toEqual(['{"reason":"mfa_code_invalid"}'])
})

test('an expired setup counts as none', async () => {
  await using app = await testApp({ env: wide })
  const { token } = await bootstrapped(app)
  const { body: setup } = await app.call(mfaSetup, {}, { token })
  app.clock.advance(600_000)
  expect((await verify(app, token, codeOf(app, setup.secret))).body.code).toBe('mfa_setup_missing')
})

test('without a challenge and a valid bearer a code answers 401', async () => {
  await using app = await testApp({ env: wide })
  expect((await app.call(mfaVerify, { body: { code: '123456' } })).status).toBe(401)
  expect((await verify(app, 'x.y.z', '123456')).status).toBe(401)
})

test('a step-up grant allows one operation once', async () => {
  await using app = await testApp({ env: wide })
  const { token, secret } = await unproven(app)
  const first = await grant(app, token, codeOf(app, secret), 'rotate_recovery_codes')
  expect(first.status).toBe(200)
  const { stepUpGrantId } = first.body
  const both = await Promise.all([rotate(app, token, stepUpGrantId), rotate(app, token, stepUpGrantId)])
  const statuses = both.map(({ status }) => status).sort()
  expect(statuses[0]).toBe(200)
  expect([401, 403]).toContain(statuses[1])
  expect((await rotate(app, token, stepUpGrantId)).body.code).toBe('existing_factor_step_up_required')
  expect(auditOf(app, 'auth.mfa.recovery_codes.rotate')).toHaveLength(1)
})

test('a step-up grant is bound to operation, session and five minutes, and ends with any change of factors', async () => {
  await using app = await testApp({ env: wide })
  const { admin, token, secret } = await unproven(app)
  const granted = async (operation: StepUpOperation) => {
    app.clock.advance(60_000)
    return (await grant(app, token, codeOf(app, secret), operation)).body.stepUpGrantId
  }
  const refused = async (id: string, bearer = token) => {
    const { status, body } = await rotate(app, bearer, id)
    expect([status, body.code, body.stepUpUrl]).toEqual([403, 'existing_factor_step_up_required', '/auth/mfa/step-up'])
  }
  await refused('f'.repeat(64))
  await refused(await granted('add_factor'))
  const { body: asked } = await app.call(login, { body: { email: admin.email, password } })
  const code = codeOf(app, secret, 1)
  const other = await app.call(mfaVerify, { body: { tempToken: String(asked.tempToken), code } })
  await refused(await granted('rotate_recovery_codes'), other.body.tokens?.accessToken)
  const late = await granted('rotate_recovery_codes')
  app.clock.advance(300_000)
  await refused(late)
  const before = await granted('rotate_recovery_codes')
  await register(app, token, new Authenticator())
  await refused(before)
  expect((await rotate(app, token, await granted('rotate_recovery_codes'))).status).toBe(200)
})

test('a wrong code does not use up the step-up grant', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const { token } = admin
  app.clock.advance(14 * 60_000)
  const { body: setup } = await app.call(mfaSetup, { body: { currentPassword: password } }, { token })
  const { body: asked } = await app.call(stepUpOptions, {}, { token })
  const answer = { method: 'passkey', credential: device.get(asked.options) } as const
  const { body } = await app.call(stepUp, { body: answer }, { token })
  const enable = (code: string) =>
    app.call(
      mfaEnable,
      { body: { code, currentPassword: password, stepUpGrantId: body.stepUpGrantId } },
      { token: body.tokens.accessToken },
    )
  expect((await enable('000000')).body.code).toBe('mfa_code_invalid')
  expect((await enable(codeOf(app, setup.secret))).status).toBe(200)
})

test('a factor shown a quarter of an hour ago must be shown again', async () => {
  await using app = await testApp({ env: wide })
  const { token, enabled, secret } = await unproven(app)
  expect((await rotate(app, token)).status, 'never passed one').toBe(403)
  await verify(app, token, codeOf(app, secret))
  app.clock.advance(14 * 60_000)
  const { body } = await refreshWith(app, new CookieJar().take(enabled))
  const later = body.tokens?.accessToken as string
  app.clock.advance(60_000 + 1)
  expect((await rotate(app, later)).status).toBe(403)
  expect((await verify(app, later, codeOf(app, secret))).status).toBe(200)
  expect((await rotate(app, later)).status).toBe(200)
})

test('a wrong, a missing and a forbidden factor get the same refusal at a step-up', async () => {
  await using app = await testApp({ env: wide })
  const { admin, token, secret } = await unproven(app)
  const ask = async (body: object) => {
    const answer = await app.call(stepUp, { body: body as { method: 'totp' } }, { token })
    return JSON.stringify([answer.status, answer.body])
  }
  const answers = new Set([
    await ask({ method: 'totp', code: '000000' }),
    await ask({ method: 'totp' }),
    await ask({ method: 'sms', code: '123456' }),
    await ask({ method: 'passkey', credential: { id: 'x' } }),
  ])
  setPartner(app, admin.partnerId, { settings: toJson({ security: { allowedMfaMethods: { totp: false } } }) })
  answers.add(await ask({ method: 'totp', code: codeOf(app, secret) }))
  expect((await verify(app, token, codeOf(app, secret))).body.code).toBe('mfa_code_invalid')
  expect([...answers]).toHaveLength(1)
  expect([...answers][0]).toContain('"code":"mfa_proof_invalid"')
  expect(await isProven(app, token)).toBe(false)
})

test('of a hundred simultaneous guesses five are checked, and a step-up with a grant shares the limit', async () => {
  await using app = await testApp()
  const { token, secret } = await unproven(app)
  const guesses = await Promise.all(
    Array.from({ length: 100 }, (_, n) => (n % 2 ? grant(app, token, '000000') : verify(app, token, '000000'))),
  )
  const count = (status: number) => guesses.filter((guess) => guess.status === status).length
  expect([count(400), count(429)]).toEqual([5, 95])
  expect((await verify(app, token, codeOf(app, secret))).status).toBe(429)
  expect(auditOf(app, 'auth.mfa.stepup.failed')).toHaveLength(5)
  app.clock.advance(300_000)
  expect((await verify(app, token, codeOf(app, secret))).status).toBe(200)
})

test('the options for enrollment follow the policy and the address', async () => {
  await using app = await testApp({ env: { ...wide, PUBLIC_URL: 'https://homeport.acme.test' } })
  const { token, partnerId } = await bootstrapped(app)
  const options = async (host: string) => (await app.call(enrollmentOptions, {}, { token, headers: { host } })).body
  expect(await options('localhost')).toMatchObject({ allowedMethods: { totp: true, sms: false, passkey: true } })
  setPartner(app, partnerId, { settings: toJson({ security: { allowedMfaMethods: { totp: false } } }) })
  const byNumber = await options('192.168.1.5:8443')
  expect(byNumber.allowedMethods).toEqual({ totp: false, sms: false, passkey: true })
  expect(byNumber.passkeyAddresses?.[0]).toBe('https://homeport.acme.test')
  expect((await app.call(mfaSetup, {}, { token })).body.code).toBe('totp_not_allowed')
})

test('a setup becomes invalid when the app is forbidden or the factors change', async () => {
  await using app = await testApp({ env: wide })
  const { token, partnerId, userId } = await bootstrapped(app)
  const { body: setup } = await app.call(mfaSetup, {}, { token })
  const enable = () => app.call(mfaEnable, { body: { code: codeOf(app, setup.secret) } }, { token })
  setPartner(app, partnerId, { settings: toJson({ security: { allowedMfaMethods: { totp: false } } }) })
  expect((await enable()).body.code).toBe('totp_not_allowed')
  setPartner(app, partnerId, { settings: toJson({}) })
  app.db.run(q.updateTable('users').set({ mfa_epoch: 5 }).where('id', '=', userId))
  app.db.run(q.updateTable('sessions').set({ mfa_epoch: 5 }).where('user_id', '=', userId))
  expect((await enable()).body.code).toBe('mfa_setup_missing')
})
