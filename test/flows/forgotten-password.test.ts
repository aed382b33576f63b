import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { authMe, login } from '../../shared/api/auth.ts'
import { changePassword, checkResetLink, forgotPassword, resetPassword } from '../../shared/api/passwords.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, organizationOf, password, person } from '../helpers/factories.ts'
import { mailOf, mailsOf, mailToFiles, tokenIn } from '../helpers/mail.ts'
import { setOrganization, setPartner } from '../helpers/rows.ts'
import { type TestApp, testApp, usualSignInFloor } from '../helpers/test-app.ts'
import { auditOf, refreshWith, signedInJar, withFactor } from './kit.ts'

const next = 'Another1Horse'
const wide = { ...mailToFiles, HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60', HOMEPORT_LIMIT_FORGOT_PASSWORD: '0/60' }

const forget = (app: TestApp, email: string, remoteAddress = '127.0.0.1') =>
  app.call(forgotPassword, { body: { email } }, { remoteAddress })
const reset = (app: TestApp, token: string, secret = next) =>
  app.call(resetPassword, { body: { token, password: secret } })
const check = (app: TestApp, token: string) => app.call(checkResetLink, { body: { token } })
const attempt = async (app: TestApp, email: string, secret: string) =>
  (await app.call(login, { body: { email, password: secret } })).status
const userOf = (app: TestApp, email: string) =>
  app.db.first(q.selectFrom('users').selectAll().where('email', '=', email))

/** The tokens of all reset links sent so far, oldest first. */
async function tokensOf(app: TestApp): Promise<string[]> {
  return (await mailsOf(app)).filter(({ kind }) => kind === 'password-reset').map(tokenIn)
}
async function resetToken(app: TestApp, email: string): Promise<string> {
  await forget(app, email)
  return (await tokensOf(app)).at(-1) as string
}

test('the mailed link sets a new password once, ends every session and informs the owner', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const session = await signedInJar(app, admin.email, password)
  const token = await resetToken(app, ' ADA@acme.test ')
  for (const secret of [token, next]) expect(app.db.serialize().includes(secret)).toBe(false)
  const { status, body, cookies } = await reset(app, token)
  expect([status, body.success, cookies]).toEqual([200, true, []])
  expect((await app.call(authMe, {}, { token: session.token })).status).toBe(401)
  expect((await refreshWith(app, session.jar)).status).toBe(401)
  expect([await attempt(app, admin.email, password), await attempt(app, admin.email, next)]).toEqual([401, 200])
  expect(userOf(app, admin.email)?.password_changed_at).toBe(new Date(app.clock.now()).toISOString())
  const again = await reset(app, token)
  expect([again.status, again.body.error]).toEqual([400, 'Invalid or expired reset token'])
  expect((await mailOf(app, 'password-changed')).to).toBe(admin.email)
  for (const secret of [token, next]) expect(app.db.serialize().includes(secret)).toBe(false)
  for (const action of ['user.password.reset.requested', 'user.password.reset'])
    expect(auditOf(app, action)).toMatchObject([{ partner_id: admin.partnerId, resource_id: admin.userId }])
})

test('known and unknown addresses get the same answer after the same time, without mail or event for unknown ones', async () => {
  await using app = await testApp({ env: { ...wide, ...usualSignInFloor } })
  const admin = await bootstrapped(app)
  const before = auditOf(app).length
  const answers = new Set<string>()
  for (const email of [admin.email, 'nobody@x.test']) {
    const startedAt = performance.now()
    const { status, body, headers } = await forget(app, email)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(345)
    answers.add(JSON.stringify([status, body, { ...headers, date: '' }]))
  }
  expect([...answers]).toHaveLength(1)
  expect((await mailsOf(app)).map(({ to }) => to)).toEqual([admin.email])
  expect(auditOf(app).slice(before)).toMatchObject([{ action: 'user.password.reset.requested' }])
})

/** Counts links made, because the mail of a link that a newer one has replaced is not sent. */
const linksMade = async (app: TestApp) => {
  await mailsOf(app)
  return auditOf(app, 'user.password.reset.requested').length
}

test('the fourth request in an hour from one address gets the same answer and sends nothing', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const answers = await Promise.all([1, 2, 3, 4].map(() => forget(app, admin.email)))
  expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
  expect(await linksMade(app)).toBe(3)
  await forget(app, admin.email, '10.0.0.9')
  expect(await linksMade(app)).toBe(4)
  app.clock.advance(3_600_000)
  await forget(app, admin.email)
  expect(await linksMade(app)).toBe(5)
})

test('a mailbox gets at most five links an hour, without a change in the answer', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const answers = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((n) => forget(app, admin.email, `10.0.0.${n}`)))
  expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
  expect(await linksMade(app)).toBe(5)
  const looks = await Promise.all((await tokensOf(app)).map((token) => check(app, token)))
  expect(
    looks.filter(({ status }) => status === 200),
    'the last one still works',
  ).toHaveLength(1)
  app.clock.advance(3_600_000)
  await forget(app, admin.email, '10.0.0.8')
  expect(await linksMade(app)).toBe(6)
})

test('of two links only the second works, and changing the password invalidates both', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const [first, second] = [await resetToken(app, admin.email), await resetToken(app, admin.email)]
  expect((await reset(app, first)).body.code).toBe('invalid_reset_token')
  const change = { currentPassword: password, newPassword: 'Changed1Horse' }
  expect((await app.call(changePassword, { body: change }, { token: admin.token })).status).toBe(200)
  for (const token of [first, second]) expect((await reset(app, token)).body.code).toBe('invalid_reset_token')
  expect((await reset(app, await resetToken(app, admin.email))).status).toBe(200)
})

test('a link is valid for an hour', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const token = await resetToken(app, admin.email)
  app.clock.advance(3_600_000 - 1)
  expect((await reset(app, token, 'Password123')).body.code).toBe('validation_failed')
  app.clock.advance(1)
  expect((await reset(app, token)).body.code).toBe('invalid_reset_token')
})

test('a password that is too weak does not use up the link', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  setPartner(app, admin.partnerId, { name: 'Zumkeller' })
  const token = await resetToken(app, admin.email)
  for (const weak of ['short', 'Password123', 'Adaadmin1', 'Zumkeller1']) {
    const { status, body } = await reset(app, token, weak)
    expect([status, Object.keys((body.details as { fieldErrors: object }).fieldErrors)]).toEqual([400, ['password']])
  }
  expect((await reset(app, token)).status).toBe(200)
})

test('the present password is refused as the new one and does not use up the link', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const token = await resetToken(app, admin.email)
  const { status, body } = await reset(app, token, password)
  const fieldErrors = { password: ['That is the password you have now. Choose another one.'] }
  expect([status, body.details]).toEqual([400, { formErrors: [], fieldErrors }])
  expect(auditOf(app, 'user.password.reset')).toEqual([])
  expect((await reset(app, token)).status).toBe(200)
})

test('a link allows five guesses at the present password in five minutes, even simultaneous ones', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const token = await resetToken(app, admin.email)
  const answers = await Promise.all(Array.from({ length: 8 }, () => reset(app, token, password)))
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 429, 429, 429])
  expect((await reset(app, token)).status).toBe(429)
  app.clock.advance(5 * 60_000 + 1)
  expect((await reset(app, token)).status).toBe(200)
})

test('a link can be checked before it is used, and all invalid ones look the same', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const older = await resetToken(app, admin.email)
  const token = await resetToken(app, admin.email)
  const before = auditOf(app).length
  for (let look = 0; look < 2; look++) {
    const { status, body } = await check(app, token)
    expect([status, body]).toEqual([200, { email: admin.email, about: [admin.email, 'Ada Admin', 'Acme'] }])
  }
  const dead = new Set<string>()
  const noteDead = async (token: string) => {
    const { status, body } = await check(app, token)
    dead.add(JSON.stringify([status, { ...body, requestId: '' }]))
  }
  await noteDead(older)
  await noteDead('f'.repeat(64))
  expect(auditOf(app)).toHaveLength(before)
  expect((await reset(app, token)).status).toBe(200)
  await noteDead(token)
  const expiring = await resetToken(app, admin.email)
  app.clock.advance(3_600_000)
  await noteDead(expiring)
  expect([...dead]).toHaveLength(1)
  expect([...dead][0]).toContain('invalid_reset_token')
})

test('checking links is rate limited', async () => {
  await using app = await testApp({ env: { ...wide, HOMEPORT_LIMIT_RESET_LINK_CHECK: '2/60' } })
  await bootstrapped(app)
  const statuses = []
  for (let guess = 0; guess < 3; guess++) statuses.push((await check(app, 'f'.repeat(64))).status)
  expect(statuses).toEqual([400, 400, 429])
})

test('of ten simultaneous uses of one link, one wins', async () => {
  await using app = await testApp({ env: { ...wide, HOMEPORT_LIMIT_CURRENT_PASSWORD: '0/60' } })
  const admin = await bootstrapped(app)
  const token = await resetToken(app, admin.email)
  const secrets = Array.from({ length: 10 }, (_, n) => `Horse-number-${n}-Wins`)
  const answers = await Promise.all(secrets.map((secret) => reset(app, token, secret)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
  const winner = secrets[answers.findIndex(({ status }) => status === 200)] as string
  expect(await attempt(app, admin.email, winner)).toBe(200)
  expect(auditOf(app, 'user.password.reset')).toHaveLength(1)
})

test.each<[what: string, change: (app: TestApp, orgId: string) => unknown]>([
  ['disabled', (app) => app.db.run(q.updateTable('users').set({ status: 'disabled' }).where('email', '=', 'o@x.test'))],
  ['of a suspended tenant', (app, orgId) => setOrganization(app, orgId, { status: 'suspended' })],
  ['removed', (app) => app.db.run(q.deleteFrom('organization_users'))],
])('an account that is %s gets no link, and an older link is invalid', async (_, change) => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const org = await organizationOf(app, admin.token)
  await person(app, { email: 'o@x.test', scope: 'organization', orgId: org.id })
  const token = await resetToken(app, 'o@x.test')
  change(app, org.id)
  expect((await reset(app, token)).body.code).toBe('invalid_reset_token')
  await forget(app, 'o@x.test')
  expect(await tokensOf(app)).toHaveLength(1)
  expect(auditOf(app, 'user.password.reset.requested')).toHaveLength(1)
})

test('a link is invalid once the address of its account has changed', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const token = await resetToken(app, admin.email)
  app.db.run(q.updateTable('users').set({ email: 'moved@acme.test' }).where('id', '=', admin.userId))
  expect((await reset(app, token)).body.code).toBe('invalid_reset_token')
})

test('an invited user can set a password and stays invited', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  await person(app, { email: 'i@x.test', scope: 'partner', partnerId: admin.partnerId })
  app.db.run(q.updateTable('users').set({ status: 'invited' }).where('email', '=', 'i@x.test'))
  expect((await reset(app, await resetToken(app, 'i@x.test'))).status).toBe(200)
  expect(userOf(app, 'i@x.test')?.status).toBe('invited')
})

test('a new password invalidates a sign-in that waits for its second factor', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  await withFactor(app, admin.token)
  const { body } = await app.call(login, { body: { email: admin.email, password } })
  expect(body.mfaRequired).toBe(true)
  await reset(app, await resetToken(app, admin.email))
  expect(app.db.statement('SELECT auth_epoch FROM users').pluck().get()).toBe(2)
  expect(await attempt(app, admin.email, next)).toBe(200)
})

test('the fifth wrong password locks the account and sends one mail with a working reset link', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  for (let n = 0; n < 5; n++) expect(await attempt(app, admin.email, 'Wrong1Horse')).toBe(401)
  const mail = await mailOf(app, 'account-locked')
  expect([mail.to, mail.text.includes('15 minutes')]).toEqual([admin.email, true])
  expect((await reset(app, tokenIn(mail))).status).toBe(200)
  expect(await attempt(app, admin.email, next)).toBe(200)
  expect((await mailsOf(app)).map(({ kind }) => kind).sort()).toEqual(['account-locked', 'password-changed'])
})

test('an account is locked and mailed once per window, however the wrong passwords are spread', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  for (let n = 0; n < 5; n++) {
    expect(await attempt(app, admin.email, 'Wrong1Horse')).toBe(401)
    app.clock.advance(100_000)
  }
  for (let n = 0; n < 3; n++) expect(await attempt(app, admin.email, password)).toBe(401)
  // 900 s after the first wrong password all of them are forgotten.
  app.clock.advance(400_000)
  for (let n = 0; n < 4; n++) expect(await attempt(app, admin.email, 'Wrong1Horse')).toBe(401)
  expect(await attempt(app, admin.email, password)).toBe(200)
  expect((await mailOf(app, 'account-locked')).to).toBe(admin.email)
})

test('simultaneous wrong passwords lock once, and those for unknown addresses send no mail', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const guesses = [admin.email, 'nobody@x.test'].flatMap((email) => Array<string>(7).fill(email))
  await Promise.all(guesses.map((email) => attempt(app, email, 'Wrong1Horse')))
  expect((await mailsOf(app)).map(({ kind, to }) => [kind, to])).toEqual([['account-locked', admin.email]])
})

test('a sign-in answers 503 while the rate limits cannot be stored', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  app.db.statement('ALTER TABLE rate_limits RENAME TO elsewhere').run()
  const { status, body } = await app.call(login, { body: { email: admin.email, password } })
  expect([status, body.error]).toEqual([503, 'Service temporarily unavailable'])
})
