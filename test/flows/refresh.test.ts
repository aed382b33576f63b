import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { authMe, login, logout } from '../../shared/api/auth.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, password, person } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { auditOf, CookieJar, claimsIn, refreshWith, signedInJar } from './kit.ts'

const statusOf = async (app: TestApp, token: string | undefined) => (await app.call(authMe, {}, { token })).status
const day = 24 * 3_600_000

async function signedIn(app: TestApp) {
  const admin = await bootstrapped(app)
  return { admin, ...(await signedInJar(app, admin.email, password)) }
}

test('a refresh returns a new pair of tokens, which can be refreshed again', async () => {
  await using app = await testApp()
  const { jar, token } = await signedIn(app)
  const first = jar.copy()
  for (let n = 0; n < 3; n++) {
    const answer = await refreshWith(app, jar)
    expect(answer.status).toBe(200)
    expect(await statusOf(app, answer.body.tokens?.accessToken)).toBe(200)
    expect(JSON.stringify(answer.body)).not.toContain(jar.take(answer).cookies.get('svc_refresh_token'))
    app.clock.advance(20_000)
  }
  expect(jar.cookies.get('svc_refresh_token')).not.toBe(first.cookies.get('svc_refresh_token'))
  expect(jar.cookies.get('svc_csrf_token')).not.toBe(first.cookies.get('svc_csrf_token'))
  expect(await statusOf(app, token)).toBe(200)
})

test('of two simultaneous refreshes with one cookie one succeeds, and the cookie jar still works', async () => {
  await using app = await testApp()
  const { jar } = await signedIn(app)
  const answers = await Promise.all([refreshWith(app, jar), refreshWith(app, jar)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  const [won, lost] = answers[0]?.status === 200 ? answers : answers.toReversed()
  expect(lost?.body).toMatchObject({ error: 'Refresh already in progress', reason: 'refresh_raced' })
  expect(lost?.setCookie).toEqual([])
  for (const answer of [won, lost]) if (answer) jar.take(answer)
  expect((await refreshWith(app, jar)).status).toBe(200)
})

test('ten simultaneous refreshes return one pair', async () => {
  await using app = await testApp()
  const { jar } = await signedIn(app)
  const answers = await Promise.all(Array.from({ length: 10 }, () => refreshWith(app, jar)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(app.db.statement('SELECT count(*) FROM refresh_tokens WHERE rotated_at IS NULL').pluck().get()).toBe(2)
})

test('a replay within fifteen seconds is taken for a race, a later one for theft that ends the session', async () => {
  await using app = await testApp()
  const { jar, admin } = await signedIn(app)
  const stolen = jar.copy()
  const next = await refreshWith(app, jar)
  jar.take(next)
  app.clock.advance(15_000)
  expect((await refreshWith(app, stolen)).body.code).toBe('refresh_raced')
  expect(await statusOf(app, next.body.tokens?.accessToken)).toBe(200)
  app.clock.advance(1000)
  const replay = await refreshWith(app, stolen)
  expect([replay.status, replay.body.error]).toEqual([401, 'Invalid refresh token'])
  expect(stolen.take(replay).ofSession).toEqual([])
  expect(await statusOf(app, next.body.tokens?.accessToken)).toBe(401)
  expect((await refreshWith(app, jar)).status).toBe(401)
  const [event, ...others] = auditOf(app, 'auth.refresh.reuse_detected')
  expect(others).toEqual([])
  expect([event?.result, event?.partner_id]).toEqual(['denied', admin.partnerId])
  expect(JSON.parse(event?.details ?? '')).toHaveProperty('replayedJti')
})

test('a detected theft ends only the stolen session', async () => {
  await using app = await testApp()
  const { admin, jar } = await signedIn(app)
  const other = await signedInJar(app, admin.email, password)
  const stolen = jar.copy()
  await refreshWith(app, jar)
  app.clock.advance(16_000)
  await refreshWith(app, stolen)
  expect(await statusOf(app, other.token)).toBe(200)
})

test('without a grace period the first replay is taken for theft', async () => {
  await using app = await testApp({ env: { REFRESH_ROTATION_GRACE_SECONDS: '0' } })
  const { jar } = await signedIn(app)
  const stolen = jar.copy()
  jar.take(await refreshWith(app, jar))
  app.clock.advance(1)
  expect((await refreshWith(app, stolen)).body.code).toBe('invalid_refresh_token')
  expect((await refreshWith(app, jar)).status).toBe(401)
})

test('a session ends thirty days after its sign-in, however often it is refreshed', async () => {
  await using app = await testApp()
  const { jar } = await signedIn(app)
  for (let days = 0; days < 29; days++) {
    app.clock.advance(day)
    const answer = await refreshWith(app, jar)
    expect(answer.status, `day ${days}`).toBe(200)
    jar.take(answer)
  }
  app.clock.advance(day - 1000)
  const last = await refreshWith(app, jar)
  expect(last.status).toBe(200)
  jar.take(last)
  app.clock.advance(1000)
  expect((await refreshWith(app, jar)).status).toBe(401)
  expect(await statusOf(app, last.body.tokens?.accessToken)).toBe(401)
})

test('a refresh token expires after a week without use', async () => {
  await using app = await testApp()
  const { jar } = await signedIn(app)
  app.clock.advance(7 * day)
  expect((await refreshWith(app, jar)).status).toBe(401)
})

test('sixty refreshes a minute per session, then 429 with the cookies kept', async () => {
  await using app = await testApp({ env: { HOMEPORT_LIMIT_REFRESH_SESSION: '3/60' } })
  const { jar } = await signedIn(app)
  for (let n = 0; n < 3; n++) jar.take(await refreshWith(app, jar))
  const { status, body, setCookie } = await refreshWith(app, jar)
  expect([status, body.code, setCookie]).toEqual([429, 'rate_limited', []])
  app.clock.advance(60_000)
  expect((await refreshWith(app, jar)).status).toBe(200)
})

test('a refresh whose token cannot be looked up keeps the cookies', async () => {
  await using app = await testApp()
  const { jar } = await signedIn(app)
  app.db.statement('ALTER TABLE refresh_tokens RENAME TO elsewhere').run()
  const { status, setCookie } = await refreshWith(app, jar)
  expect([status, setCookie]).toEqual([500, []])
  app.db.statement('ALTER TABLE elsewhere RENAME TO refresh_tokens').run()
  expect((await refreshWith(app, jar)).status).toBe(200)
})

test('tokens stay bound to the device of the sign-in, whatever a refresh claims', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const body = { email: admin.email, password }
  const answer = await app.call(login, { body }, { headers: { 'x-svc-mobile-device-id': 'phone-1' } })
  const jar = new CookieJar().take(answer)
  const assertBound = (accessToken = '') => {
    expect(claimsIn(jar.cookies.get('svc_refresh_token') ?? '')).toMatchObject({ mdid: 'phone-1', type: 'refresh' })
    expect(claimsIn(accessToken)).toMatchObject({ mdid: 'phone-1', type: 'access' })
  }
  assertBound(answer.body.tokens?.accessToken)
  const refreshed = await refreshWith(app, jar, { 'x-svc-mobile-device-id': 'phone-2' })
  jar.take(refreshed)
  assertBound(refreshed.body.tokens?.accessToken)
})

test('signing out with an invalid token is refused and clears the cookies', async () => {
  await using app = await testApp()
  const { jar, token } = await signedIn(app)
  for (const dead of [`${token}x`, undefined]) {
    const answer = await app.call(logout, {}, { token: dead })
    expect([answer.status, jar.copy().take(answer).ofSession]).toEqual([401, []])
  }
  app.clock.advance(900_000)
  expect((await app.call(logout, {}, { token })).status).toBe(401)
  expect((await refreshWith(app, jar)).status).toBe(200)
})

/** One of two sessions of a user; the access tokens of both have expired. */
async function expiredOfTwo(app: TestApp) {
  const { jar, token, admin } = await signedIn(app)
  const other = await signedInJar(app, admin.email, password)
  app.clock.advance(900_000)
  return { jar, token, headers: { cookie: jar.header }, other, admin }
}

test('signing out after the access token has expired still ends the sessions', async () => {
  await using app = await testApp()
  const { jar, token, headers, other, admin } = await expiredOfTwo(app)
  const answer = await app.call(logout, {}, { token, headers })
  expect([answer.status, jar.copy().take(answer).ofSession]).toEqual([401, []])
  for (const left of [jar, other.jar]) expect((await refreshWith(app, left)).status).toBe(401)
  expect(auditOf(app, 'user.logout')).toMatchObject([{ resource_id: admin.userId, partner_id: admin.partnerId }])
  await app.call(logout, {}, { token, headers })
  expect(auditOf(app, 'user.logout')).toHaveLength(1)
})

test('signing out of one session after the access token has expired ends that session only', async () => {
  await using app = await testApp()
  const { jar, token, headers, other } = await expiredOfTwo(app)
  for (const query of [{ reach: 'nowhere' as 'session' }, { reach: 'session' as const }])
    await app.call(logout, { query }, { token, headers })
  expect((await refreshWith(app, jar)).status).toBe(401)
  expect((await refreshWith(app, other.jar)).status).toBe(200)
  expect(auditOf(app, 'user.logout')).toHaveLength(1)
})

const own = { origin: 'http://localhost:80', host: 'localhost:80' }
const csrf = (jar: CookieJar) => jar.cookies.get('svc_csrf_token') as string

test.each<[name: string, headers: (jar: CookieJar) => Record<string, string>, status: number, code?: string]>([
  ['without the header', () => ({ 'x-svc-csrf': '' }), 403, 'missing_csrf_header'],
  ['with a blank header', () => ({ 'x-svc-csrf': '  ' }), 403, 'missing_csrf_header'],
  ['as a script with any value', () => ({ 'x-svc-csrf': 'anything' }), 200],
  ['as a page of ours', (jar) => ({ ...own, 'sec-fetch-site': 'same-origin', 'x-svc-csrf': csrf(jar) }), 200],
  ['as a page of ours with a wrong value', () => ({ ...own, 'x-svc-csrf': 'f'.repeat(64) }), 403, 'invalid_csrf_token'],
  [
    'as a page of ours with half the value',
    (jar) => ({ ...own, 'x-svc-csrf': csrf(jar).slice(1) }),
    403,
    'invalid_csrf_token',
  ],
  [
    'as a page of another site',
    (jar) => ({ ...own, origin: 'https://evil.test', 'x-svc-csrf': csrf(jar) }),
    403,
    'invalid_origin',
  ],
  [
    'as a page of another port',
    (jar) => ({ ...own, origin: 'http://localhost:81', 'x-svc-csrf': csrf(jar) }),
    403,
    'invalid_origin',
  ],
  ['as a sandboxed page', (jar) => ({ ...own, origin: 'null', 'x-svc-csrf': csrf(jar) }), 403, 'invalid_origin'],
  ['across sites', (jar) => ({ 'sec-fetch-site': 'cross-site', 'x-svc-csrf': csrf(jar) }), 403, 'cross_site_request'],
  ['from the address bar', (jar) => ({ 'sec-fetch-site': 'none', 'x-svc-csrf': csrf(jar) }), 403, 'cross_site_request'],
  ['from an allowed origin', (jar) => ({ ...own, origin: 'https://console.test', 'x-svc-csrf': csrf(jar) }), 200],
  [
    'as a browser without the CSRF cookie',
    (jar) => ({ ...own, 'x-svc-csrf': 'x', cookie: `svc_refresh_token=${jar.cookies.get('svc_refresh_token')}` }),
    403,
    'missing_csrf_cookie',
  ],
  ['without any cookie', () => ({ cookie: '' }), 401, 'invalid_refresh_token'],
  ['with nonsense for a cookie', () => ({ cookie: 'svc_refresh_token=%00%ff' }), 401, 'invalid_refresh_token'],
])('a refresh %s', async (_, headersFor, status, code) => {
  await using app = await testApp({ env: { CORS_ALLOWED_ORIGINS: 'https://console.test/' } })
  const { jar } = await signedIn(app)
  const answer = await refreshWith(app, jar, headersFor(jar))
  expect([answer.status, answer.body.code]).toEqual([status, code])
  if (status === 200) return
  expect(answer.setCookie.map((cookie) => /^(\w+)=;.*Max-Age=0/.exec(cookie)?.[1])).toEqual([
    'svc_refresh_token',
    'svc_csrf_token',
  ])
  expect(app.db.statement('SELECT count(*) FROM sessions WHERE revoked_at IS NOT NULL').pluck().get()).toBe(0)
})

test.each<[what: string, values: object]>([
  ['disabled', { status: 'disabled' }],
  ['whose password changed', { auth_epoch: 2 }],
  ['whose factors changed', { mfa_epoch: 2 }],
])('a user %s cannot refresh, and their token is refused at once', async (_, values) => {
  await using app = await testApp()
  const { admin, jar, token } = await signedIn(app)
  app.db.run(q.updateTable('users').set(values).where('id', '=', admin.userId))
  expect([401, 403]).toContain(await statusOf(app, token))
  const answer = await refreshWith(app, jar)
  expect([answer.status, jar.take(answer).ofSession]).toEqual([401, []])
})

test('a token of one user with the session of another is refused', async () => {
  await using app = await testApp()
  const { admin, jar, token } = await signedIn(app)
  const other = await person(app, { email: 'o@x.test', scope: 'partner', partnerId: admin.partnerId })
  app.db.run(q.updateTable('sessions').set({ user_id: other.id }).where('user_id', '=', admin.userId))
  expect(await statusOf(app, token)).toBe(401)
  expect((await refreshWith(app, jar)).status).toBe(401)
})
