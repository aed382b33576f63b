import { expect, test } from 'vitest'
import { authMe, login } from '../../shared/api/auth.ts'
import { changePassword } from '../../shared/api/passwords.ts'
import { bootstrapped, password, person } from '../helpers/factories.ts'
import { mailOf, mailToFiles } from '../helpers/mail.ts'
import { setPartner } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf, refreshWith, signedInJar } from './kit.ts'

const next = 'Another1Horse'
const change = (app: TestApp, token: string, currentPassword = password, newPassword = next) =>
  app.call(changePassword, { body: { currentPassword, newPassword } }, { token })
const attempt = async (app: TestApp, email: string, secret: string) =>
  (await app.call(login, { body: { email, password: secret } })).status

test('another password ends every session, this one too, and the owner is told', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const { jar, token } = await signedInJar(app, admin.email, password)
  const answer = await change(app, token)
  expect([answer.status, answer.body.success]).toEqual([200, true])
  expect(jar.copy().take(answer).cookies.size).toBe(0)
  for (const bearer of [token, admin.token]) expect((await app.call(authMe, {}, { token: bearer })).status).toBe(401)
  expect((await refreshWith(app, jar)).status).toBe(401)
  expect([await attempt(app, admin.email, password), await attempt(app, admin.email, next)]).toEqual([401, 200])
  expect((await mailOf(app, 'password-changed')).to).toBe(admin.email)
  expect(auditOf(app, 'user.password.change')).toMatchObject([{ resource_id: admin.userId, result: 'success' }])
})

test('the current password is judged before the new one, by status and code clients know', async () => {
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

test('five guesses, then a pause; the pause is told and keeps the session', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const answers = await Promise.all(Array.from({ length: 8 }, () => change(app, admin.token, 'Wrong1Horse')))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(400), 429, 429, 429])
  const { status, body } = await change(app, admin.token)
  expect([status, body.retryAfter]).toEqual([429, 300])
  app.clock.advance(300_000)
  expect((await change(app, admin.token)).status).toBe(200)
})

test('of ten changes at once, one wins and the others showed a password that is no more', async () => {
  await using app = await testApp({ env: { HOMEPORT_LIMIT_CURRENT_PASSWORD: '0/60' } })
  const admin = await bootstrapped(app)
  const secrets = Array.from({ length: 10 }, (_, n) => `Horse-number-${n}-Wins`)
  const answers = await Promise.all(secrets.map((secret) => change(app, admin.token, password, secret)))
  const codes = answers.map(({ status, body }) => (status === 200 ? 'won' : body.code))
  expect(codes.sort()).toEqual([...Array(9).fill('invalid_credentials'), 'won'])
  const winner = secrets[answers.findIndex(({ status }) => status === 200)] as string
  expect(await attempt(app, admin.email, winner)).toBe(200)
})

test('an account without a password has none to show', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const { id, token } = await person(app, { email: 'b@x.test', scope: 'partner', partnerId: admin.partnerId })
  app.db.statement('UPDATE users SET password_hash = NULL WHERE id = ?').run(id)
  const { status, body } = await change(app, token)
  expect([status, body.code]).toEqual([400, 'invalid_credentials'])
})
