import { expect, test } from 'vitest'
import { findMembership } from '../../server/features/access/memberships/usable.ts'
import { EnrollmentNotices } from '../../server/features/access/policies/enrollment-notices.ts'
import { EnrollmentWindows } from '../../server/features/access/policies/enrollment-windows.ts'
import { MfaPolicy } from '../../server/features/access/policies/mfa-policy.ts'
import { findUserByEmail, type User } from '../../server/features/access/users/store.ts'
import { Mailer } from '../../server/features/messaging/mailer.ts'
import { login } from '../../shared/api/auth.ts'
import { mfaDisable } from '../../shared/api/mfa.ts'
import { readUser, resetUserMfa } from '../../shared/api/people.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { listSites } from '../../shared/api/sites.ts'
import { bootstrapped, password, person } from '../helpers/factories.ts'
import { auditOf } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { CookieJar, codeOf, withFactor } from './kit.ts'

/** After an administrator has removed the factors of a user, they must enrol one, with or without a policy. */
async function scene(env: Record<string, string> = {}) {
  const app = await testApp({ env: { HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60', ...env } })
  const admin = await bootstrapped(app)
  const eve = await person(app, { email: 'eve@x.test', scope: 'partner', partnerId: admin.partnerId })
  const signIn = () => app.call(login, { body: { email: eve.email, password } })
  const reset = (token = admin.token) => app.call(resetUserMfa, { params: { id: eve.id } }, { token })
  return { app, admin, eve, signIn, reset, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}
const userOf = (app: TestApp, email: string) => findUserByEmail(app.db, email) as User

test('a user whose factors were reset must enrol one at the next sign-in, also without a policy', async () => {
  await using one = await scene()
  const { app, admin, eve, signIn, reset } = one
  await withFactor(app, eve.token)
  await withFactor(app, admin.token)
  expect((await reset()).status).toBe(200)
  const { body } = await signIn()
  expect(body).toMatchObject({ mfaRequired: false, mfaEnrollmentRequired: true, enrollUrl: '/auth/mfa/setup' })
  const token = body.tokens?.accessToken as string
  const before = app.rowCounts()
  const refused = await app.call(listSites, {}, { token })
  expect([refused.status, refused.body.error]).toEqual([428, 'mfa_enrollment_required'])
  expect({ ...before, audit_logs: Number(before.audit_logs) + 1 }).toMatchObject(app.rowCounts())
  expect(auditOf(app, 'auth.mfa.enrollment.required')[0]?.details).toMatchObject({ source: 'reset' })
  const { body: me } = await app.call(usersMe, {}, { token })
  expect(me.mfaEnrollment).toEqual({ required: true, status: 'none', deadline: null })
  const seen = await app.call(readUser, { params: { id: eve.id } }, { token: admin.token })
  expect(seen.body.mfaStatus).toBe('overdue')
})

test('enrolling a factor ends the obligation, and without a policy the factor can be removed again', async () => {
  await using one = await scene()
  const { app, admin, eve, signIn, reset } = one
  await withFactor(app, eve.token)
  await withFactor(app, admin.token)
  await reset()
  const { enabled, secret } = await withFactor(app, (await signIn()).body.tokens?.accessToken as string)
  const { accessToken: token } = enabled.body.tokens
  expect((await app.call(listSites, {}, { token })).status).toBe(200)
  const off = await app.call(
    mfaDisable,
    { body: { currentPassword: password, code: codeOf(app, secret) } },
    { token, headers: { cookie: new CookieJar().take(enabled).header } },
  )
  expect(off.status).toBe(200)
  expect((await signIn()).body).toMatchObject({ mfaRequired: false, mfaEnrollmentRequired: false })
})

test('a refused reset does not require anybody to enrol', async () => {
  await using one = await scene()
  const { app, admin, eve, signIn, reset } = one
  expect((await reset()).body.code, 'the caller has passed no factor').toBe('MFA_REQUIRED')
  await withFactor(app, admin.token)
  expect((await reset()).body.code, 'there is nothing to remove').toBe('mfa_not_enabled')
  expect(userOf(app, eve.email).mfa_reset_at).toBeNull()
  expect((await signIn()).body.mfaEnrollmentRequired).toBe(false)
})

test('with ENABLE_2FA=false a reset requires nothing until second factors are enabled', async () => {
  await using one = await scene({ ENABLE_2FA: 'false' })
  const { app, eve, signIn, reset } = one
  const { db } = app
  db.statement("UPDATE users SET mfa_enabled = 1, mfa_method = 'sms' WHERE id = ?").run(eve.id)
  expect((await reset()).status).toBe(200)
  const { body } = await signIn()
  expect(body.mfaEnrollmentRequired).toBe(false)
  expect((await app.call(listSites, {}, { token: body.tokens?.accessToken })).status).toBe(200)
  const windows = new EnrollmentWindows(db, new EnrollmentNotices(db, new Mailer(app.app.mailQueue)))
  const user = userOf(app, eve.email)
  const isAsked = (isTwoFactorEnabled: boolean) => {
    const rules = { isTwoFactorEnabled, isForcedByRole: false, canSendSms: () => false }
    const policy = new MfaPolicy(db, windows, rules)
    return policy.enrollmentOf(user, policy.requirementOf(findMembership(db, user) ?? { kind: 'system' })).required
  }
  expect([isAsked(false), isAsked(true)]).toEqual([false, true])
})
