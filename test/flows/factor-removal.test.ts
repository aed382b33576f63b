import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { toJson } from '../../server/lib/json.ts'
import { authMe, login, mfaVerify, revokeSession } from '../../shared/api/auth.ts'
import { createEnrollmentKey } from '../../shared/api/enrollment-keys.ts'
import {
  enrollmentOptions,
  mfaDisable,
  mfaSetup,
  rotateRecoveryCodes,
  stepUp,
  stepUpOptions,
} from '../../shared/api/mfa.ts'
import { resetUserMfa } from '../../shared/api/people.ts'
import { Authenticator } from '../helpers/authenticator.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, organizationOf, password, person } from '../helpers/factories.ts'
import { setPartner } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf, CookieJar, codeOf, refreshWith, withFactor } from './kit.ts'
import { register, wide, withPasskey } from './passkey-kit.ts'

interface Removing {
  code?: string
  stepUpGrantId?: string
  currentPassword?: string
  jar?: CookieJar
}
const disable = (app: TestApp, token: string, { jar, ...proof }: Removing) =>
  app.call(
    mfaDisable,
    { body: { currentPassword: password, ...proof } },
    { token, ...(jar && { headers: { cookie: jar.header } }) },
  )
const statusOf = async (app: TestApp, token: string | undefined) => (await app.call(authMe, {}, { token })).status

async function enrolled(app: TestApp, who?: { token: string }) {
  const { token } = who ?? (await bootstrapped(app))
  const factor = await withFactor(app, token)
  const { body } = await app.call(authMe, {}, { token })
  return { ...factor, token, user: body.user, jar: new CookieJar().take(factor.enabled) }
}

async function signedInWith(app: TestApp, email: string, code: string, headers: Record<string, string> = {}) {
  const { body } = await app.call(login, { body: { email, password } }, { headers })
  const done = await app.call(mfaVerify, { body: { tempToken: String(body.tempToken), code } }, { headers })
  if (!done.body.tokens) throw new Error(`sign-in: ${JSON.stringify(done.body)}`)
  return { token: done.body.tokens.accessToken, jar: new CookieJar().take(done) }
}

test('removing the factors ends all sessions and starts a new one that keeps its second factor', async () => {
  await using app = await testApp({ env: wide })
  const { token, user, jar, secret } = await enrolled(app)
  await register(app, token, new Authenticator())
  app.clock.advance(30_000)
  const there = await signedInWith(app, user.email, codeOf(app, secret))
  const here = await signedInWith(app, user.email, codeOf(app, secret, 1))
  app.clock.advance(60_000)
  const off = await disable(app, here.token, { code: codeOf(app, secret), jar: here.jar })
  expect([off.status, off.body.success, off.cookies.length]).toEqual([200, true, 2])
  for (const old of [token, there.token, here.token]) expect(await statusOf(app, old)).toBe(401)
  for (const old of [jar, there.jar, here.jar]) expect((await refreshWith(app, old)).status).toBe(401)
  const next = off.body.tokens.accessToken
  const { body: me } = await app.call(authMe, {}, { token: next })
  expect(me.user).toMatchObject({ mfaEnabled: false, mfaMethod: null, recoveryCodesLeft: 0 })
  expect((await app.call(resetUserMfa, { params: { id: 'x' } }, { token: next })).status, 'passed a factor').toBe(404)
  const refreshed = await refreshWith(app, new CookieJar().take(off))
  expect(refreshed.status).toBe(200)
  const { body } = await app.call(login, { body: { email: user.email, password } })
  expect(body.mfaRequired, 'the passkey is gone too').toBe(false)
  expect(app.db.statement('SELECT count(*) FROM user_passkeys').pluck().get()).toBe(0)
  expect(auditOf(app, 'auth.mfa.disable').map(({ details }) => details)).toEqual(['{"method":"totp"}'])
})

test('the code that signed in cannot remove the factors within the same thirty seconds', async () => {
  await using app = await testApp({ env: wide })
  const { user, secret } = await enrolled(app)
  const { token, jar } = await signedInWith(app, user.email, codeOf(app, secret))
  const refused = await disable(app, token, { code: codeOf(app, secret), jar })
  expect([refused.status, refused.body.code]).toEqual([400, 'mfa_code_invalid'])
  expect((await disable(app, token, { code: codeOf(app, secret, -1), jar })).status, 'an older one').toBe(400)
  app.clock.advance(30_000)
  expect((await disable(app, token, { code: codeOf(app, secret), jar })).status).toBe(200)
})

test('a client without the cookie of its session gets 428, and nothing changes', async () => {
  await using app = await testApp({ env: wide })
  const { token, user, jar, secret, recoveryCodes } = await enrolled(app)
  app.clock.advance(30_000)
  const foreign = await signedInWith(app, user.email, codeOf(app, secret))
  app.clock.advance(60_000)
  const forged = new CookieJar()
  forged.cookies.set('svc_refresh_token', token)
  const [code = ''] = recoveryCodes
  for (const jarInUse of [undefined, foreign.jar, forged]) {
    const refused = await disable(app, token, { code, ...(jarInUse && { jar: jarInUse }) })
    expect([refused.status, refused.body.code, refused.body.reason]).toEqual([
      428,
      'session_replacement_unavailable',
      'auth_binding_rotation_required',
    ])
    expect(refused.cookies).toEqual([])
  }
  expect((await app.call(authMe, {}, { token })).body.user).toMatchObject({ mfaEnabled: true, recoveryCodesLeft: 10 })
  expect((await disable(app, token, { code, jar })).status).toBe(200)
})

test('a mobile client, bound to its device, needs no cookie', async () => {
  await using app = await testApp({ env: wide })
  const { user, secret } = await enrolled(app)
  const phone = await signedInWith(app, user.email, codeOf(app, secret), { 'x-svc-mobile-device-id': 'phone-1' })
  app.clock.advance(30_000)
  const off = await disable(app, phone.token, { code: codeOf(app, secret) })
  expect(off.status).toBe(200)
  const session = app.db.first(
    q.selectFrom('sessions').select(['mobile_device_id', 'mfa_source']).where('revoked_at', 'is', null),
  )
  expect(session).toEqual({ mobile_device_id: 'phone-1', mfa_source: 'totp' })
})

test('the password is checked before the code, and refusals are audited without either', async () => {
  await using app = await testApp({ env: wide, logs: true })
  const { token, jar, recoveryCodes } = await enrolled(app)
  const [code = ''] = recoveryCodes
  const wrongPassword = await disable(app, token, { code, jar, currentPassword: 'Wrong1234' })
  expect([wrongPassword.status, wrongPassword.body.code]).toEqual([400, 'invalid_credentials'])
  for (const wrong of ['000000', 'ZZZZ-ZZZZ'])
    expect((await disable(app, token, { code: wrong, jar })).body.code).toBe('mfa_code_invalid')
  expect((await disable(app, token, { jar })).body.code, 'no proof at all').toBe('validation_failed')
  expect((await disable(app, token, { code: ` ${code.toLowerCase()}`, jar })).status).toBe(200)
  const refused = auditOf(app, 'auth.mfa.disable.failed').map(({ details, result }) => [details, result])
  expect(auditOf(app, 'user.password.check.failed')).toMatchObject([{ details: '{"purpose":"mfa"}', result: 'denied' }])
  expect(refused).toEqual([
    ['{"reason":"current_password_incorrect"}', 'denied'],
    ['{"reason":"mfa_code_invalid"}', 'denied'],
    ['{"reason":"mfa_code_invalid"}', 'denied'],
  ])
  expect(auditOf(app, 'auth.mfa.recovery_code.used')).toHaveLength(1)
  const written = JSON.stringify([auditOf(app), app.logLines])
  for (const secret of [...recoveryCodes, password]) expect(written).not.toContain(secret)
})

test('five wrong codes in five minutes are allowed for removal and step-up together', async () => {
  await using app = await testApp()
  const { token, jar, secret } = await enrolled(app)
  const guesses = await Promise.all(Array.from({ length: 8 }, () => disable(app, token, { code: 'ZZZZ-ZZZZ', jar })))
  const count = (status: number) => guesses.filter((guess) => guess.status === status).length
  expect([count(400), count(429)]).toEqual([5, 3])
  const right = { body: { method: 'totp', code: codeOf(app, secret) } } as const
  expect((await app.call(stepUp, right, { token })).status).toBe(429)
})

test('of two simultaneous removals with one code, one succeeds', async () => {
  await using app = await testApp({ env: wide })
  const { token, jar, secret } = await enrolled(app)
  const both = await Promise.all([1, 2].map(() => disable(app, token, { code: codeOf(app, secret), jar })))
  const statuses = both.map(({ status }) => status).sort()
  expect(statuses[0]).toBe(200)
  expect([400, 401]).toContain(statuses[1])
  expect(app.db.statement('SELECT count(*) FROM sessions WHERE revoked_at IS NULL').pluck().get()).toBe(1)
})

test('a session that ends while its password is checked is not replaced', async () => {
  await using app = await testApp({ env: wide })
  const { token, jar, secret } = await enrolled(app)
  const id = app.db.first(q.selectFrom('sessions').select('id').where('revoked_at', 'is', null))?.id as string
  const [off, ended] = await Promise.all([
    disable(app, token, { code: codeOf(app, secret), jar }),
    app.call(revokeSession, { params: { id } }, { token }),
  ])
  expect([off.status, ended.status]).toEqual([401, 200])
  expect(app.db.statement('SELECT count(*) FROM sessions WHERE revoked_at IS NULL').pluck().get()).toBe(0)
  expect(app.db.statement('SELECT mfa_enabled FROM users').pluck().get()).toBe(1)
})

test.each<[why: string, env: Record<string, string>, security: object]>([
  ['the settings ask for a factor', {}, { requireMfa: true }],
  ['the role does', { MFA_FORCE_FOR_PARTNER_ADMIN: 'true' }, {}],
])('factors cannot be removed while %s, not even during an enrollment window', async (who, env, security) => {
  await using app = await testApp({ env: { ...wide, ...env } })
  const admin = await bootstrapped(app)
  const role = findBuiltInRole(app.db, 'Partner Admin', 'partner') as string
  app.db.run(q.updateTable('roles').set({ force_mfa: 1 }).where('id', '=', role))
  const { token, jar, secret } = await enrolled(app, admin)
  setPartner(app, admin.partnerId, { settings: toJson({ security }) })
  const refused = await disable(app, token, { code: codeOf(app, secret), jar })
  expect([refused.status, refused.body.code]).toEqual([403, 'mfa_required_by_policy'])
  const { body } = await app.call(enrollmentOptions, {}, { token })
  expect(body).toMatchObject({ mfaRequiredBy: who.includes('role') ? 'role' : 'company', passkeyNeeded: false })
})

test('unreadable settings are treated as strict, and the factors stay', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const org = await organizationOf(app, admin.token)
  const user = await person(app, { email: 'o@x.test', scope: 'organization', orgId: org.id })
  const { token, jar, secret } = await enrolled(app, user)
  app.db.statement('PRAGMA ignore_check_constraints = ON').run()
  const other = await person(app, { email: 'p@x.test', scope: 'organization', orgId: org.id })
  app.db.statement('UPDATE organizations SET settings = ? WHERE id = ?').run('{"security":', org.id)
  expect((await app.call(mfaSetup, {}, { token: other.token })).body.code).toBe('totp_not_allowed')
  expect((await disable(app, token, { code: codeOf(app, secret), jar })).body.code).toBe('mfa_required_by_policy')
  const again = { body: { method: 'totp', code: codeOf(app, secret) } } as const
  expect((await app.call(stepUp, again, { token })).body.code).toBe('mfa_proof_invalid')
  const { body } = await app.call(login, { body: { email: user.email, password } })
  expect(body, 'signing in goes on').toMatchObject({ mfaRequired: true, allowedMethods: { totp: true } })
})

test('a passkey as the only factor is removed with a step-up grant for that operation only', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device, cookies } = await withPasskey(app)
  const { token } = admin
  const jar = new CookieJar().take({ cookies })
  const grantFor = async (operation: 'disable_mfa' | 'add_factor') => {
    const { body: asked } = await app.call(stepUpOptions, {}, { token })
    const credential = device.get(asked.options)
    const { body } = await app.call(stepUp, { body: { method: 'passkey', credential, operation } }, { token })
    return body.stepUpGrantId
  }
  expect((await disable(app, token, { code: '123456', jar })).body.code).toBe('mfa_code_invalid')
  const other = await disable(app, token, { stepUpGrantId: await grantFor('add_factor'), jar })
  expect([other.status, other.body.code]).toEqual([403, 'existing_factor_step_up_required'])
  expect((await disable(app, token, { stepUpGrantId: await grantFor('disable_mfa'), jar })).status).toBe(200)
  expect((await app.call(login, { body: { email: admin.email, password } })).body.mfaRequired).toBe(false)
})

test('without a factor there is nothing to remove and no recovery codes to renew', async () => {
  await using app = await testApp({ env: wide })
  const { token } = await bootstrapped(app)
  expect((await disable(app, token, { code: '123456' })).body.code).toBe('mfa_not_enabled')
  expect((await app.call(rotateRecoveryCodes, {}, { token })).body.code).toBe('mfa_not_enabled')
})

test('new recovery codes replace the old ones and end every other session', async () => {
  await using app = await testApp({ env: wide })
  const { token, user, jar, secret, recoveryCodes } = await enrolled(app)
  const there = await signedInWith(app, user.email, codeOf(app, secret))
  const { body: pending } = await app.call(login, { body: { email: user.email, password } })
  const rotated = await app.call(rotateRecoveryCodes, { body: { currentPassword: password } }, { token })
  expect([rotated.status, new Set(rotated.body.recoveryCodes).size, rotated.cookies.length]).toEqual([200, 10, 2])
  expect(await statusOf(app, there.token)).toBe(401)
  expect(await statusOf(app, token)).toBe(200)
  expect(await statusOf(app, rotated.body.tokens.accessToken)).toBe(200)
  expect((await refreshWith(app, jar.copy().take(rotated))).status).toBe(200)
  const [old = ''] = recoveryCodes
  const [fresh = ''] = rotated.body.recoveryCodes
  const stale = { body: { tempToken: String(pending.tempToken), code: fresh } }
  expect((await app.call(mfaVerify, stale)).status, 'a challenge from before').toBe(401)
  await expect(signedInWith(app, user.email, old)).rejects.toThrow('mfa_code_invalid')
  await signedInWith(app, user.email, fresh)
  const reasons = auditOf(app, 'user.login.failed').map(({ details }) => details)
  expect(reasons).toEqual(['{"reason":"mfa_pending_invalidated"}', '{"reason":"mfa_recovery_code_invalid"}'])
  expect(auditOf(app, 'auth.mfa.recovery_codes.rotate')).toHaveLength(1)
})

test('without a factor a strict endpoint answers 403 MFA_REQUIRED, and one that follows policy allows the call', async () => {
  await using app = await testApp({ env: wide })
  const { token } = await bootstrapped(app)
  const org = await organizationOf(app, token)
  const strict = await app.call(resetUserMfa, { params: { id: 'x' } }, { token })
  expect([strict.status, strict.body.code]).toEqual([403, 'MFA_REQUIRED'])
  expect((await app.call(createEnrollmentKey, { body: { name: 'k', orgId: org.id } }, { token })).status).toBe(201)
})
