import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { authMe, login, logout, mfaVerify } from '../../shared/api/auth.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, organizationOf, otherCompany, password, person, signIn } from '../helpers/factories.ts'
import { setPartner } from '../helpers/rows.ts'
import { type TestApp, testApp, usualSignInFloor } from '../helpers/test-app.ts'
import { auditOf, CookieJar, codeOf, refreshWith, signedInJar, whileJudged, withFactor } from './kit.ts'

const wide = { HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60' }
const attempt = (app: TestApp, email: string, secret = password, remoteAddress?: string) =>
  app.call(login, { body: { email, password: secret } }, remoteAddress ? { remoteAddress } : {})
const isAlive = async (app: TestApp, token: string) => (await app.call(authMe, {}, { token })).status

test('every refused sign-in gives the same answer, and not before the minimum delay', async () => {
  await using app = await testApp({ env: { ...wide, ...usualSignInFloor } })
  const admin = await bootstrapped(app)
  const org = await organizationOf(app, admin.token)
  for (const email of ['disabled', 'invited', 'homeless', 'locked', 'passwordless'])
    await person(app, { email: `${email}@x.test`, scope: 'partner', partnerId: admin.partnerId })
  await person(app, { email: 'suspended@x.test', scope: 'organization', orgId: org.id })
  const set = (email: string, values: object) =>
    app.db.run(q.updateTable('users').set(values).where('email', '=', `${email}@x.test`))
  set('disabled', { status: 'disabled' })
  set('invited', { status: 'invited' })
  set('passwordless', { password_hash: null })
  app.db.run(q.updateTable('organizations').set({ status: 'suspended' }).where('id', '=', org.id))
  const homeless = app.db.first(q.selectFrom('users').select('id').where('email', '=', 'homeless@x.test'))
  app.db.run(q.deleteFrom('partner_users').where('user_id', '=', homeless?.id as string))
  await Promise.all(Array.from({ length: 5 }, () => attempt(app, 'locked@x.test', 'Wrong1234')))
  const closed = await otherCompany(app)
  setPartner(app, closed.partnerId, { status: 'suspended' })

  const answers = new Set<string>()
  const reasons: [email: string, secret: string][] = [
    ['nobody@x.test', password],
    [admin.email, 'Wrong1234'],
    ['disabled@x.test', password],
    ['invited@x.test', password],
    ['passwordless@x.test', password],
    ['homeless@x.test', password],
    ['suspended@x.test', password],
    [closed.admin.email, password],
    ['locked@x.test', password],
  ]
  for (const [email, secret] of reasons) {
    const startedAt = performance.now()
    const { status, body, headers, cookies } = await attempt(app, email, secret)
    expect(performance.now() - startedAt, email).toBeGreaterThanOrEqual(345)
    expect(cookies, email).toEqual([])
    const { date: _, 'x-request-id': __, ...rest } = headers
    answers.add(JSON.stringify([status, body, rest]))
  }
  expect([...answers]).toHaveLength(1)
  expect([...answers][0]).toContain('"error":"Invalid email or password"')
  expect([...answers][0]).toContain('"code":"invalid_credentials"')
})

test.each([{ auth_epoch: 2 }, { mfa_epoch: 2 }, { status: 'disabled' as const }])(
  'a change of the account while its password is checked refuses the sign-in: %o',
  async (change) => {
    await using app = await testApp()
    const admin = await bootstrapped(app)
    const sessions = app.rowCounts().sessions
    const { status } = await whileJudged(
      app,
      admin.userId,
      () => attempt(app, admin.email),
      () => app.db.run(q.updateTable('users').set(change).where('id', '=', admin.userId)),
    )
    expect(status).toBe(401)
    expect(app.rowCounts().sessions).toBe(sessions)
  },
)

test('five wrong passwords lock the account until the window ends, even for the right password', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  for (let n = 0; n < 5; n++) expect((await attempt(app, admin.email, 'Wrong1234')).status).toBe(401)
  expect((await attempt(app, admin.email)).status).toBe(401)
  expect((await attempt(app, admin.email)).status).toBe(401)
  const reasons = auditOf(app, 'user.login.failed').map(
    ({ details }) => (JSON.parse(details) as { reason: string }).reason,
  )
  expect(reasons).toEqual([...Array(4).fill('invalid_password'), 'account_locked', 'account_locked', 'account_locked'])
  app.clock.advance(900_000 - 1)
  expect((await attempt(app, admin.email)).status).toBe(401)
  app.clock.advance(1)
  expect((await attempt(app, admin.email)).status).toBe(200)
})

test('of eight simultaneous guesses, the account lock stops all but four', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  await Promise.all(Array.from({ length: 8 }, () => attempt(app, admin.email, 'Wrong1234')))
  const reasons = auditOf(app, 'user.login.failed').map(
    ({ details }) => (JSON.parse(details) as { reason: string }).reason,
  )
  expect(reasons).toEqual([...Array(4).fill('invalid_password'), ...Array(4).fill('account_locked')])
})

test('a right password resets the count of wrong ones', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 4; n++) await attempt(app, admin.email, 'Wrong1234')
    expect((await attempt(app, admin.email)).status).toBe(200)
  }
})

test('wrong passwords for an unknown address lock nothing and leave no event', async () => {
  await using app = await testApp({ env: wide })
  await bootstrapped(app)
  const before = auditOf(app).length
  for (let n = 0; n < 6; n++) await attempt(app, 'nobody@x.test', 'Wrong1234')
  expect(auditOf(app)).toHaveLength(before)
  expect(app.db.statement("SELECT count(*) FROM rate_limits WHERE bucket = 'login_lockout'").pluck().get()).toBe(0)
})

test('an address may try an account five times in five minutes, and then gets 429 with the time to wait', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  await Promise.all(Array.from({ length: 5 }, () => attempt(app, 'a@x.test', 'x')))
  const { status, body, headers, cookies } = await attempt(app, 'A@x.test ', 'x')
  expect([status, body.code, body.retryAfter]).toEqual([429, 'rate_limited', 300])
  expect(headers['retry-after']).toBe('300')
  expect(cookies).toEqual([])
  expect((await attempt(app, admin.email)).status).toBe(200)
  expect((await attempt(app, 'a@x.test', 'x', '10.0.0.7')).status).toBe(401)
})

test('an address may try ten times in five minutes in total, and further attempts extend the refusal', async () => {
  await using app = await testApp({ env: { HOMEPORT_LIMIT_LOGIN_IP: '10/300' } })
  const admin = await bootstrapped(app)
  await Promise.all(Array.from({ length: 10 }, (_, n) => attempt(app, `a${n}@x.test`, 'x')))
  expect((await attempt(app, admin.email)).status).toBe(429)
  app.clock.advance(290_000)
  expect((await attempt(app, admin.email)).body.retryAfter).toBe(10)
  app.clock.advance(299_000)
  expect((await attempt(app, admin.email, password, '10.0.0.8')).status).toBe(200)
})

test('right passwords do not count towards the limits, and reset the count of that account only', async () => {
  await using app = await testApp({ env: { HOMEPORT_LIMIT_LOGIN_IP: '10/300' } })
  const admin = await bootstrapped(app)
  for (let n = 0; n < 4; n++) await attempt(app, 'a@x.test', 'x')
  for (let n = 0; n < 4; n++) await attempt(app, admin.email, 'Wrong1234')
  for (let n = 0; n < 20; n++) expect((await attempt(app, admin.email)).status).toBe(200)
  // Attempts for others still count, and so do those of the whole address for this account.
  expect((await attempt(app, 'a@x.test', 'x')).status).toBe(401)
  expect((await attempt(app, 'a@x.test', 'x')).status).toBe(429)
  expect((await attempt(app, admin.email)).status, 'the tenth from there').toBe(429)
})

test('before the second factor a right password counts towards the limits like a wrong one', async () => {
  await using app = await testApp({ env: { HOMEPORT_LIMIT_LOGIN_IP: '10/300' } })
  const admin = await bootstrapped(app)
  const { secret } = await withFactor(app, admin.token)
  let tempToken = ''
  for (let n = 0; n < 5; n++) tempToken = String((await attempt(app, admin.email)).body.tempToken)
  expect((await attempt(app, admin.email)).status).toBe(429)
  const answered = await app.call(mfaVerify, { body: { tempToken, code: codeOf(app, secret) } })
  expect(answered.status).toBe(200)
  expect((await attempt(app, admin.email)).status).toBe(200)
})

test('a sign-in returns the user, is recorded once, and updates the date of the last sign-in', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  app.clock.advance(5000)
  const before = auditOf(app, 'user.login').length
  const { body } = await app.call(login, { body: { email: ` ${admin.email.toUpperCase()} `, password } })
  expect(body).toMatchObject({
    user: { id: admin.userId, email: admin.email, mfaEnabled: false, isPlatformAdmin: true },
    tokens: { expiresInSeconds: 900 },
    mfaRequired: false,
    requiresSetup: true,
    mfaEnrollmentRequired: false,
  })
  const events = auditOf(app, 'user.login')
  expect(events).toHaveLength(before + 1)
  expect(events.at(-1)).toMatchObject({ result: 'success', partner_id: admin.partnerId, resource_id: admin.userId })
  const { body: me } = await app.call(authMe, {}, { token: body.tokens?.accessToken })
  expect(me.user.lastLoginAt).toBe(new Date(app.clock.now()).toISOString())
})

test('cookies are Secure over HTTPS only, whatever headers a caller forwards', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const { headers } = await app.call(
    login,
    { body: { email: admin.email, password } },
    { headers: { 'x-forwarded-proto': 'https', forwarded: 'proto=https' } },
  )
  const [refreshCookie = '', csrfCookie = ''] = headers['set-cookie'] as string[]
  expect(refreshCookie).toMatch(
    /^svc_refresh_token=[^;]+; Max-Age=604800; Path=\/api\/v1\/auth; HttpOnly; SameSite=Lax$/,
  )
  expect(csrfCookie).toMatch(/^svc_csrf_token=[0-9a-f]{64}; Max-Age=604800; Path=\/; SameSite=Lax$/)
})

test('behind a trusted proxy the Secure attribute follows the protocol of the client', async () => {
  await using app = await testApp({ env: { TRUST_PROXY_HEADERS: 'true', TRUSTED_PROXY_CIDRS: '10.0.0.2/32' } })
  const admin = await bootstrapped(app)
  const cookiesFrom = async (remoteAddress: string, proto: string) => {
    const headers = { 'x-forwarded-proto': proto, 'x-forwarded-for': '192.168.1.9' }
    const answer = await app.call(login, { body: { email: admin.email, password } }, { headers, remoteAddress })
    return answer.cookies.map(({ secure }) => secure ?? false)
  }
  expect(await cookiesFrom('10.0.0.2', 'https')).toEqual([true, true, true])
  expect(await cookiesFrom('10.0.0.2', 'http')).toEqual([false, false, false])
  expect(await cookiesFrom('10.0.0.3', 'https')).toEqual([false, false, false])
})

test.each([
  [{ AUTH_COOKIE_FORCE_SECURE: 'true' }, 'SameSite=Lax'],
  [{ AUTH_COOKIE_SAME_SITE: 'none' }, 'SameSite=None'],
])('with %j the cookies are Secure, and cleared with the same attributes', async (env, sameSite) => {
  await using app = await testApp({ env })
  const admin = await bootstrapped(app)
  const signedIn = await app.call(login, { body: { email: admin.email, password } })
  for (const cookie of signedIn.headers['set-cookie'] as string[]) {
    expect(cookie).toContain('Secure')
    expect(cookie).toContain(sameSite)
  }
  const { headers } = await app.call(logout, {}, { token: signedIn.body.tokens?.accessToken })
  const cleared = headers['set-cookie'] as string[]
  expect(cleared).toHaveLength(2)
  for (const cookie of cleared) {
    expect(cookie).toContain('Max-Age=0')
    expect(cookie).toContain('Secure')
    expect(cookie).toContain(sameSite)
  }
})

test('signing out ends every session of the user at once, and a new sign-in in the same second works', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const here = await signedInJar(app, admin.email, password)
  const there = await signedInJar(app, admin.email, password)
  const other = await person(app, { email: 'o@x.test', scope: 'partner', partnerId: admin.partnerId })
  const answer = await app.call(logout, {}, { token: here.token })
  expect([answer.status, answer.body.success]).toEqual([200, true])
  expect(here.jar.copy().take(answer).ofSession).toEqual([])
  for (const token of [here.token, there.token, admin.token]) expect(await isAlive(app, token)).toBe(401)
  for (const { jar } of [here, there]) expect((await refreshWith(app, jar)).status).toBe(401)
  expect(await isAlive(app, other.token)).toBe(200)
  expect(await isAlive(app, await signIn(app, admin.email))).toBe(200)
  expect(auditOf(app, 'user.logout')).toHaveLength(1)
})

test('signing out of one session leaves the others of the user', async () => {
  await using app = await testApp({ env: wide })
  const admin = await bootstrapped(app)
  const here = await signedInJar(app, admin.email, password)
  const there = await signedInJar(app, admin.email, password)
  const answer = await app.call(logout, { query: { reach: 'session' } }, { token: here.token })
  expect([answer.status, here.jar.copy().take(answer).ofSession]).toEqual([200, []])
  expect(await isAlive(app, here.token)).toBe(401)
  expect((await refreshWith(app, here.jar)).status).toBe(401)
  expect(await isAlive(app, there.token)).toBe(200)
  expect((await refreshWith(app, there.jar)).status).toBe(200)
  expect(auditOf(app, 'user.logout')).toMatchObject([{ resource_type: 'session', partner_id: admin.partnerId }])
})

test('an access token expires after fifteen minutes', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  expect(await isAlive(app, admin.token)).toBe(200)
  app.clock.advance(900_000 - 1000)
  expect(await isAlive(app, admin.token)).toBe(200)
  app.clock.advance(1000)
  expect(await isAlive(app, admin.token)).toBe(401)
})

test('a token that was changed or signed with another key answers 401', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const [head, body, mark] = admin.token.split('.') as [string, string, string]
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
  const forged = Buffer.from(JSON.stringify({ ...claims, scope: 'system' })).toString('base64url')
  const none = Buffer.from('{"alg":"none"}').toString('base64url')
  for (const token of [`${head}.${forged}.${mark}`, `${none}.${body}.`, `${none}.${body}.${mark}`, `${head}.${body}.`])
    expect(await isAlive(app, token)).toBe(401)
  await using elsewhere = await testApp()
  await bootstrapped(elsewhere)
  expect(await isAlive(elsewhere, admin.token)).toBe(401)
})

test('access tokens and refresh tokens are not interchangeable', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const { jar, token } = await signedInJar(app, admin.email, password)
  const refreshToken = jar.cookies.get('svc_refresh_token') as string
  expect(await isAlive(app, refreshToken)).toBe(401)
  const swapped = new CookieJar()
  swapped.cookies.set('svc_refresh_token', token)
  const { status, body } = await refreshWith(app, swapped)
  expect([status, body.error]).toEqual([401, 'Invalid refresh token'])
})

test('the profile lists what the session may do, and no secret', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const { body } = await app.call(usersMe, {}, { token: admin.token })
  expect(body).toMatchObject({
    scope: 'partner',
    partnerId: admin.partnerId,
    partnerName: 'Acme',
    orgId: null,
    permissions: [{ resource: '*', action: '*' }],
    canManagePartnerWide: true,
    requiresSetup: true,
    hasPassword: true,
  })
})
