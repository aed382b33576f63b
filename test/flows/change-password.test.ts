import { expect } from 'vitest'
import { authMe, login } from '../../shared/api/auth.ts'
import { mfaSetup } from '../../shared/api/mfa.ts'
import { changePassword } from '../../shared/api/passwords.ts'
import { updateMe } from '../../shared/api/profile.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, organizationOf, password, person } from '../helpers/factories.ts'
import { mailOf, mailToFiles } from '../helpers/mail.ts'
import { setOrganization, setPartner } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf, refreshWith, signedInJar } from './kit.ts'

const next = 'Another1Horse'
const change = (app: TestApp, token: string, currentPassword = password, newPassword = next) =>
  app.call(changePassword, { body: { currentPassword, newPassword } }, { token })
const attempt = async (app: TestApp, email: string, secret: string) =>
  (await app.call(login, { body: { email, password: secret } })).status

test('a new password ends every session, including the current one, and is confirmed by mail', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const { jar, token } = await signedInJar(app, admin.email, password)
  const answer = await change(app, token)
  expect([answer.status, answer.body.success]).toEqual([200, true])
  expect(jar.copy().take(answer).ofSession).toEqual([])
  for (const bearer of [token, admin.token]) expect((await app.call(authMe, {}, { token: bearer })).status).toBe(401)
  expect((await refreshWith(app, jar)).status).toBe(401)
  expect([await attempt(app, admin.email, password), await attempt(app, admin.email, next)]).toEqual([401, 200])
  expect((await mailOf(app, 'password-changed')).to).toBe(admin.email)
  expect(auditOf(app, 'user.password.change')).toMatchObject([{ resource_id: admin.userId, result: 'success' }])
})

test('the current password is checked before the new one, with the public status and code', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  for (const weak of ['weak', next]) {
    const { status, body } = await change(app, admin.token, 'Wrong1Horse', weak)
    const said = 'Current password is incorrect'
    expect([status, body]).toMatchObject([400, { error: said, message: said, code: 'invalid_credentials' }])
  }
  setPartner(app, admin.partnerId, { name: 'Zumkeller' })
  for (const weak of ['short', 'Password123', 'Zumkeller1']) {
    const { status, body } = await change(app, admin.token, password, weak)
    expect([status, Object.keys((body.details as { fieldErrors: object }).fieldErrors)]).toEqual([400, ['newPassword']])
  }
  expect((await app.call(authMe, {}, { token: admin.token })).status).toBe(200)
})

test('the present password is refused as the new one', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const { status, body } = await change(app, admin.token, password, password)
  const fieldErrors = { newPassword: ['That is the password you have now. Choose another one.'] }
  expect([status, body.details]).toEqual([400, { formErrors: [], fieldErrors }])
  const guessed = await change(app, admin.token, next, next)
  expect([guessed.status, guessed.body.code]).toEqual([400, 'invalid_credentials'])
  expect((await app.call(authMe, {}, { token: admin.token })).status).toBe(200)
  expect(auditOf(app, 'user.password.change')).toEqual([])
})

test('the new password must not contain the name of an organization of its owner', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const org = await organizationOf(app, admin.token)
  setOrganization(app, org.id, { name: 'Kirschbaum Logistics' })
  const { token } = await person(app, { email: 'o@x.test', scope: 'organization', orgId: org.id })
  expect((await change(app, token, password, 'Kirschbaum-1815')).body.code).toBe('validation_failed')
  expect((await change(app, token, password, 'Quittenbaum-Regal-18')).status).toBe(200)
})

test('a wrong current password is recorded once, with its purpose', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const email = 'new@acme.test'
  const wrong = 'Wrong1Horse'
  await change(app, admin.token, wrong)
  await app.call(updateMe, { body: { email, currentPassword: wrong } }, { token: admin.token })
  await app.call(mfaSetup, { body: { currentPassword: wrong } }, { token: admin.token })
  const told = auditOf(app).filter(({ result }) => result === 'denied')
  expect(told.map(({ action, resource_id, details }) => [action, resource_id, JSON.parse(details).purpose])).toEqual(
    ['change-password', 'email-change', 'mfa'].map((purpose) => ['user.password.check.failed', admin.userId, purpose]),
  )
  expect(JSON.stringify(told)).not.toContain(wrong)
})

test('after five wrong current passwords the next answers 429 until the pause ends, and the session stays', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const answers = await Promise.all(Array.from({ length: 8 }, () => change(app, admin.token, 'Wrong1Horse')))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(400), 429, 429, 429])
  const { status, body } = await change(app, admin.token)
  expect([status, body.retryAfter]).toEqual([429, 300])
  app.clock.advance(300_000)
  expect((await change(app, admin.token)).status).toBe(200)
})

test('of ten simultaneous changes one wins, and the others are refused for a wrong current password', async () => {
  await using app = await testApp({ env: { HOMEPORT_LIMIT_CURRENT_PASSWORD: '0/60' } })
  const admin = await bootstrapped(app)
  const secrets = Array.from({ length: 10 }, (_, n) => `Horse-number-${n}-Wins`)
  const answers = await Promise.all(secrets.map((secret) => change(app, admin.token, password, secret)))
  const codes = answers.map(({ status, body }) => (status === 200 ? 'won' : body.code))
  expect(codes.sort()).toEqual([...Array(9).fill('invalid_credentials'), 'won'])
  const winner = secrets[answers.findIndex(({ status }) => status === 200)] as string
  expect(await attempt(app, admin.email, winner)).toBe(200)
})

test('an account without a password cannot change it', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const { id, token } = await person(app, { email: 'b@x.test', scope: 'partner', partnerId: admin.partnerId })
  app.db.statement('UPDATE users SET password_hash = NULL WHERE id = ?').run(id)
  const { status, body } = await change(app, token)
  expect([status, body.code]).toEqual([400, 'invalid_credentials'])
})
