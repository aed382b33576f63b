import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publicConfig, registerPartner, updateRegistration, verifyEmail } from '../../shared/api/registration.ts'
import { bootstrap } from '../../shared/api/system.ts'
import { password, person } from '../helpers/factories.ts'
import { mailOf, mailToFiles, tokenIn } from '../helpers/mail.ts'
import { auditOf } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** Whether strangers may register companies: asked at the set-up, changed later, overruled by the environment. */

async function setUp(app: TestApp, openRegistration?: boolean) {
  app.app.bootstrap.setupCode()
  const setupCode = readFileSync(join(app.dataDir, 'setup-code'), 'utf8').trim()
  const admin = { setupCode, companyName: 'Acme', name: 'Ada Admin', email: 'ada@acme.test', password }
  const answered = openRegistration === undefined ? {} : { openRegistration }
  const { status, body } = await app.call(bootstrap, { body: { ...admin, ...answered } })
  expect(status).toBe(201)
  return { token: body.tokens.accessToken, userId: body.user.id, partnerId: body.partner.id }
}

const registrant = { companyName: 'Umbrella', name: 'Una', email: 'una@umbrella.test', password, acceptTerms: true }
const register = async (app: TestApp) => {
  const { status, body } = await app.call(registerPartner, { body: { ...registrant, acceptTerms: true } })
  return [status, body.error]
}
const shown = async (app: TestApp) => (await app.call(publicConfig)).body.registration
const closed = [404, 'Not Found']
const open = [200, undefined]

test('where nobody was asked, registration is open', async () => {
  await using app = await testApp({ env: mailToFiles })
  await setUp(app)
  expect(await shown(app)).toEqual({ enabled: true, shown: true, setByEnvironment: false })
  expect(await register(app)).toEqual(open)
  expect(auditOf(app, 'platform_admin.registration')).toEqual([])
})

test('the answer given at the set-up holds', async () => {
  await using app = await testApp({ env: mailToFiles })
  await setUp(app, false)
  expect(await shown(app)).toEqual({ enabled: false, shown: false, setByEnvironment: false })
  expect(await register(app)).toEqual(closed)
  expect(auditOf(app, 'platform_admin.registration')).toMatchObject([{ details: { before: null, after: false } }])
  await using other = await testApp({ env: mailToFiles })
  await setUp(other, true)
  expect(await register(other)).toEqual(open)
})

test('a platform administrator closes and opens it; a link sent before does not work while it is closed', async () => {
  await using app = await testApp({ env: mailToFiles })
  const { token, userId, partnerId } = await setUp(app, true)
  const put = (isOpen: boolean, bearer = token) =>
    app.call(updateRegistration, { body: { open: isOpen } }, { token: bearer })
  expect(await register(app)).toEqual(open)
  const follow = async () =>
    (await app.call(verifyEmail, { body: { token: tokenIn(await mailOf(app, 'verify-registration')) } })).status
  expect((await put(false)).status).toBe(200)
  expect(await register(app)).toEqual(closed)
  expect(await follow()).toBe(400)
  expect(auditOf(app, 'platform_admin.registration').at(-1)).toMatchObject({
    actor_id: userId,
    details: { before: true, after: false },
  })

  const other = await person(app, { email: 'bo@acme.test', scope: 'partner', partnerId })
  expect((await put(true, other.token)).status).toBe(403)
  expect((await app.call(updateRegistration, { body: {} as never }, { token })).status).toBe(400)
  expect(await register(app)).toEqual(closed)
  expect(auditOf(app, 'platform_admin.registration')).toHaveLength(2)
  expect((await put(true)).status).toBe(200)
  expect(await follow()).toBe(200)
})

test.each([
  ['true', open],
  ['false', closed],
])('ENABLE_REGISTRATION=%s overrules both, and closes the change', async (value, expected) => {
  await using app = await testApp({ env: { ...mailToFiles, ENABLE_REGISTRATION: value } })
  const { token } = await setUp(app, value === 'false')
  expect(await register(app)).toEqual(expected)
  expect((await shown(app)).setByEnvironment).toBe(true)
  const refused = await app.call(updateRegistration, { body: { open: value === 'false' } }, { token })
  expect([refused.status, refused.body.code]).toEqual([400, 'set_by_environment'])
  expect(await register(app)).toEqual(expected)
})

test('the console does not offer what needs a mail that nobody gets', async () => {
  await using app = await testApp()
  await setUp(app, true)
  expect(await shown(app)).toEqual({ enabled: true, shown: false, setByEnvironment: false })
})
