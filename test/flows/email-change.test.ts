import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { authMe, login } from '../../shared/api/auth.ts'
import { changePassword, forgotPassword, resetPassword } from '../../shared/api/passwords.ts'
import { updateUser } from '../../shared/api/people.ts'
import { updateMe, usersMe, withdrawEmail } from '../../shared/api/profile.ts'
import { resendVerification, verifyEmail } from '../../shared/api/registration.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, password, person } from '../helpers/factories.ts'
import { linkIn, mailOf, mailsOf, mailToFiles, tokenIn } from '../helpers/mail.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf, refreshWith, signedInJar } from './kit.ts'

const newEmail = 'lovelace@acme.test'
const follow = (app: TestApp, token: string) => app.call(verifyEmail, { body: { token } })
const attempt = async (app: TestApp, email: string) => (await app.call(login, { body: { email, password } })).status
const resend = (app: TestApp, token: string) => app.call(resendVerification, {}, { token })
const reasons = (app: TestApp) =>
  auditOf(app, 'auth.email_verify_failed').map(({ details }) => (JSON.parse(details) as { reason: string }).reason)

/** Requests another address; returns the token of the link. */
async function linkFor(app: TestApp, bearer: string, email = newEmail): Promise<string> {
  const { status, body } = await app.call(updateMe, { body: { email, currentPassword: password } }, { token: bearer })
  expect([status, body.verificationSent, body.pendingEmail]).toEqual([200, true, email])
  const sent = (await mailsOf(app)).filter(({ kind }) => kind === 'verify-email-change')
  return tokenIn(sent.at(-1) as (typeof sent)[number])
}

test('the link of an address change is invalid after an operator has disabled and reactivated the account', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const operator = await person(app, { email: 'root@x.test', scope: 'system' })
  const token = await linkFor(app, admin.token)
  for (const status of ['disabled', 'active'] as const)
    await app.call(updateUser, { params: { id: admin.userId }, body: { status } }, operator)
  expect((await follow(app, token)).status).toBe(400)
  expect(reasons(app)).toEqual(['address_moved'])
  expect(await attempt(app, admin.email)).toBe(200)
})

test('following the link moves the address, informs both mailboxes and ends every session', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const { jar } = await signedInJar(app, admin.email, password)
  const token = await linkFor(app, admin.token)
  expect((await app.call(usersMe, {}, { token: admin.token })).body).toMatchObject({
    email: admin.email,
    pendingEmail: newEmail,
    pendingEmailRequestedAt: new Date(app.clock.now()).toISOString(),
  })
  expect(await attempt(app, admin.email)).toBe(200)
  const warning = await mailOf(app, 'email-change-requested')
  expect([warning.to, warning.text.includes(newEmail), warning.text.includes('token=')]).toEqual([
    admin.email,
    true,
    false,
  ])
  expect(linkIn(await mailOf(app, 'verify-email-change', newEmail)).pathname).toBe('/auth/verify-email')

  const { status, body, cookies } = await follow(app, token)
  expect([status, body, cookies]).toMatchObject([200, { verified: true, purpose: 'email_change', email: newEmail }, []])
  expect([await attempt(app, admin.email), await attempt(app, newEmail)]).toEqual([401, 200])
  expect((await app.call(authMe, {}, { token: admin.token })).status).toBe(401)
  expect((await refreshWith(app, jar)).status).toBe(401)
  expect((await mailOf(app, 'email-changed')).to).toBe(admin.email)
  for (const action of ['user.email.change.requested', 'auth.email.change.committed'])
    expect(auditOf(app, action)).toMatchObject([{ resource_id: admin.userId, partner_id: admin.partnerId }])
  expect((await follow(app, token)).status).toBe(400)
})

test('an address taken in the meantime stays with its owner, and the old one still signs in', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const token = await linkFor(app, admin.token)
  await person(app, { email: newEmail, scope: 'partner', partnerId: admin.partnerId })
  const { status, body } = await follow(app, token)
  expect([status, body.error]).toEqual([400, 'Invalid or expired verification link'])
  expect(await attempt(app, admin.email)).toBe(200)
  expect((await app.call(authMe, {}, { token: admin.token })).status).toBe(200)
  expect(reasons(app)).toEqual(['address_taken'])
})

test('requesting a taken address gets the same answer as a free one', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  await person(app, { email: 'b@x.test', scope: 'partner', partnerId: admin.partnerId })
  expect((await follow(app, await linkFor(app, admin.token, 'b@x.test'))).status).toBe(400)
})

test('of two links only the second works, and it expires after a day', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const [first, second] = [await linkFor(app, admin.token), await linkFor(app, admin.token, 'second@acme.test')]
  expect((await follow(app, first)).status).toBe(400)
  app.clock.advance(24 * 3_600_000 - 1)
  expect((await follow(app, second)).body).toMatchObject({ email: 'second@acme.test' })
  const { token } = await signedInJar(app, 'second@acme.test', password)
  const third = await linkFor(app, token)
  app.clock.advance(24 * 3_600_000)
  expect((await follow(app, third)).status).toBe(400)
  expect(reasons(app)).toEqual(['superseded', 'unknown'])
})

test('withdrawing the change invalidates its link and keeps the present address', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const { token: bearer } = admin
  const withdraw = () => app.call(withdrawEmail, {}, { token: bearer })
  expect([(await withdraw()).body.code, auditOf(app, 'user.email.change.withdrawn')]).toEqual(['no_pending_email', []])
  const token = await linkFor(app, bearer)
  expect((await app.call(usersMe, {}, { token: bearer })).body.pendingEmailExpiresAt).toBe(
    new Date(app.clock.now() + 24 * 3_600_000).toISOString(),
  )
  expect((await withdraw()).body).toEqual({ success: true })
  const links = q.selectFrom('one_time_secrets').select('kind').where('kind', '=', 'email_verification')
  expect(app.db.all(links), 'nor is one sent that still waits for a mail server').toEqual([])
  const none = { email: admin.email, pendingEmail: null, pendingEmailRequestedAt: null, pendingEmailExpiresAt: null }
  expect((await app.call(usersMe, {}, { token: bearer })).body).toMatchObject(none)
  expect((await follow(app, token)).status).toBe(400)
  const second = await linkFor(app, bearer)
  expect((await follow(app, token)).status, 'not even once the same address is wanted again').toBe(400)
  expect((await withdraw()).status).toBe(200)
  expect((await withdraw()).status, 'a second time').toBe(404)
  expect((await follow(app, second)).status).toBe(400)
  expect(auditOf(app, 'user.email.change.withdrawn')).toMatchObject(
    Array(2).fill({ resource_id: admin.userId, partner_id: admin.partnerId, details: `{"newEmail":"${newEmail}"}` }),
  )
  expect(await attempt(app, admin.email)).toBe(200)
})

test('withdrawing the change keeps the link that confirms the present address', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  app.db.run(q.updateTable('users').set({ email_verified_at: null }).where('id', '=', admin.userId))
  await linkFor(app, admin.token)
  await resend(app, admin.token)
  expect((await app.call(withdrawEmail, {}, { token: admin.token })).status).toBe(200)
  expect((await follow(app, tokenIn(await mailOf(app, 'verify-address')))).status).toBe(200)
})

test('of a link and a withdrawal at the same time, one wins', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const token = await linkFor(app, admin.token)
  const [followed, withdrawn] = await Promise.all([
    follow(app, token),
    app.call(withdrawEmail, {}, { token: admin.token }),
  ])
  expect([followed.status, withdrawn.status].filter((status) => status === 200)).toHaveLength(1)
})

test('of ten simultaneous uses of the link, one wins', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const token = await linkFor(app, admin.token)
  const answers = await Promise.all(Array.from({ length: 10 }, () => follow(app, token)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
})

test('the link of a disabled account is invalid', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const token = await linkFor(app, admin.token)
  app.db.run(q.updateTable('users').set({ status: 'disabled' }).where('id', '=', admin.userId))
  expect((await follow(app, token)).status).toBe(400)
})

test('moving the address invalidates a reset link sent to the old one', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const token = await linkFor(app, admin.token)
  await app.call(forgotPassword, { body: { email: admin.email } })
  const body = { token: tokenIn(await mailOf(app, 'password-reset')), password: 'Another1Horse' }
  await follow(app, token)
  expect((await app.call(resetPassword, { body })).body.code).toBe('invalid_reset_token')
})

// A thief of the password may have requested the change; the warning to the old address advises a new password.
test.each(['reset', 'changed'])('once the password was %s, older links no longer move the address', async (way) => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const token = await linkFor(app, admin.token)
  const next = 'Another1Horse'
  if (way === 'reset') {
    await app.call(forgotPassword, { body: { email: admin.email } })
    const body = { token: tokenIn(await mailOf(app, 'password-reset')), password: next }
    expect((await app.call(resetPassword, { body })).status).toBe(200)
  } else {
    const body = { currentPassword: password, newPassword: next }
    expect((await app.call(changePassword, { body }, { token: admin.token })).status).toBe(200)
  }
  expect((await follow(app, token)).status).toBe(400)
  const again = await signedInJar(app, admin.email, next)
  expect((await app.call(usersMe, {}, { token: again.token })).body.pendingEmail).toBeNull()
})

test('the present address is confirmed by the newest link only', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  expect((await resend(app, admin.token)).body.error).toBe('already_verified')
  app.db.run(q.updateTable('users').set({ email_verified_at: null }).where('id', '=', admin.userId))
  const pending = await linkFor(app, admin.token)
  const tokens: string[] = []
  for (let n = 0; n < 2; n++) {
    expect((await resend(app, admin.token)).body).toEqual({ sent: true })
    tokens.push(...(await mailsOf(app)).filter(({ kind }) => kind === 'verify-address').map(tokenIn))
    app.clock.advance(60_000)
  }
  expect((await follow(app, tokens[0] as string)).status).toBe(400)
  expect((await follow(app, tokens.at(-1) as string)).body).toEqual({
    purpose: 'address_proof',
    verified: true,
    partnerId: admin.partnerId,
    email: admin.email,
    autoActivated: false,
  })
  expect((await app.call(usersMe, {}, { token: admin.token })).body.emailVerified).toBe(true)
  expect(auditOf(app, 'auth.email.verification.sent')).toHaveLength(2)
  expect((await follow(app, pending)).body.purpose).toBe('email_change')
})

test('confirmation mail is limited to one a minute and five an hour, and refused where no mail is sent', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const unproven = () =>
    app.db.run(q.updateTable('users').set({ email_verified_at: null }).where('id', '=', admin.userId))
  unproven()
  expect((await resend(app, admin.token)).status).toBe(200)
  const soon = await resend(app, admin.token)
  expect([soon.status, soon.body]).toMatchObject([429, { window: 'minute', retryAfter: 60, retryAfterSeconds: 60 }])
  for (let n = 0; n < 4; n++) {
    app.clock.advance(60_000)
    expect((await resend(app, admin.token)).status).toBe(200)
  }
  app.clock.advance(60_000)
  expect((await resend(app, admin.token)).body).toMatchObject({ window: 'hour', retryAfterSeconds: 3600 - 300 })

  await using mute = await testApp()
  const other = await bootstrapped(mute)
  mute.db.run(q.updateTable('users').set({ email_verified_at: null }))
  const { status, body } = await resend(mute, other.token)
  expect([status, body.code, body.error]).toEqual([503, 'mail_unavailable', 'This appliance cannot send mail yet'])
})
