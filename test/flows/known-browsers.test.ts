import { decodeJwt, SignJWT } from 'jose'
import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { knownBrowserCookie } from '../../server/features/authentication/sessions/cookies.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import { login, logout, mfaVerify } from '../../shared/api/auth.ts'
import { changePassword, forgotPassword, resetPassword } from '../../shared/api/passwords.ts'
import { Authenticator } from '../helpers/authenticator.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, password, person } from '../helpers/factories.ts'
import { mailOf, mailsOf, tokenIn } from '../helpers/mail.ts'
import { auditOf } from '../helpers/rows.ts'
import { enforcingProvider } from '../helpers/sso-rows.ts'
import { testApp, usualSignInFloor } from '../helpers/test-app.ts'
import { codeOf, withFactor } from './kit.ts'
import { attack, Browser, lockEnv, wrong } from './lock-kit.ts'
import { register, signInAlone } from './passkey-kit.ts'

/** A known browser of the owner cannot be locked by wrong passwords from elsewhere. */

const next = 'Another1Horse'
const day = 24 * 3_600_000

/** A user with a known browser, and another browser in which they never signed in. */
async function scene(env: Record<string, string> = {}) {
  const app = await testApp({ env: { ...lockEnv, ...env } })
  const admin = await bootstrapped(app)
  const eve = await person(app, { email: 'eve@x.test', scope: 'partner', partnerId: admin.partnerId })
  const [known, unknown] = [new Browser(app), new Browser(app)]
  expect(await known.signIn(eve.email)).toBe(200)
  const close = () => app[Symbol.asyncDispose]()
  return { app, admin, eve, known, unknown, [Symbol.asyncDispose]: close }
}

test('wrong passwords from many addresses lock unknown browsers, but not the known one of the owner', async () => {
  await using one = await scene()
  const { app, eve, known, unknown } = one
  expect(await attack(app, eve.email)).toEqual(Array(5).fill(401))
  expect(await unknown.signIn(eve.email), 'the right password').toBe(401)
  expect(await known.signIn(eve.email)).toBe(200)
  expect(await unknown.signIn(eve.email), 'that opens it for nobody else').toBe(401)
  app.clock.advance(900_000)
  expect(await unknown.signIn(eve.email)).toBe(200)
  expect((await mailsOf(app)).map(({ kind }) => kind)).toEqual(['account-locked'])
  expect(auditOf(app, 'user.locked').map(({ details }) => details)).toEqual([{ browser: 'unknown', minutes: 15 }])
})

test('five wrong passwords in a known browser lock only that browser until the window ends', async () => {
  await using one = await scene()
  const { app, eve, known, unknown } = one
  const second = new Browser(app)
  await second.signIn(eve.email)
  for (let n = 0; n < 5; n++) expect(await known.signIn(eve.email, wrong)).toBe(401)
  expect(await known.signIn(eve.email), 'the right password').toBe(401)
  for (const other of [second, unknown]) expect(await other.signIn(eve.email)).toBe(200)
  app.clock.advance(900_000 - 1)
  expect(await known.signIn(eve.email)).toBe(401)
  app.clock.advance(1)
  expect(await known.signIn(eve.email)).toBe(200)
  const mail = await mailOf(app, 'account-locked')
  expect([mail.to, mail.text.includes('In that browser the account is locked for 15 minutes')]).toEqual([
    eve.email,
    true,
  ])
  expect(auditOf(app, 'user.locked').map(({ details }) => details)).toEqual([{ browser: 'known', minutes: 15 }])
})

test('a stolen cookie allows five guesses, even simultaneous ones, and a right password resets the count', async () => {
  await using one = await scene()
  const { app, eve, known } = one
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 4; n++) expect(await known.signIn(eve.email, wrong)).toBe(401)
    expect(await known.signIn(eve.email)).toBe(200)
  }
  const before = auditOf(app, 'user.login.failed').length
  await Promise.all(Array.from({ length: 8 }, () => known.signIn(eve.email, wrong)))
  const reasons = auditOf(app, 'user.login.failed').map(({ details }) => details.reason)
  expect(reasons.slice(before)).toEqual([...Array(4).fill('invalid_password'), ...Array(4).fill('account_locked')])
  expect((await mailsOf(app)).filter(({ kind }) => kind === 'account-locked')).toHaveLength(1)
})

test('all refusals have the same answer and delay, whatever is known or locked', async () => {
  await using one = await scene(usualSignInFloor)
  const { app, admin, eve, known, unknown } = one
  const locked = new Browser(app)
  await locked.signIn(eve.email)
  for (let n = 0; n < 5; n++) await locked.signIn(eve.email, wrong)
  await attack(app, admin.email)
  const answers = new Set<string>()
  const tries: [browser: Browser, email: string, secret: string][] = [
    [unknown, 'nobody@x.test', password],
    [known, 'nobody@x.test', password],
    [known, eve.email, wrong],
    // Eve’s browser reveals nothing about other users.
    [known, admin.email, wrong],
    [known, admin.email, password],
    [unknown, admin.email, password],
    [locked, eve.email, password],
  ]
  for (const [browser, email, secret] of tries) {
    const startedAt = performance.now()
    const { status, body, headers, cookies } = await browser.attempt(email, secret)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(345)
    expect(cookies).toEqual([])
    const { date: _, 'x-request-id': __, ...rest } = headers
    answers.add(JSON.stringify([status, body, rest]))
  }
  expect([...answers]).toHaveLength(1)
  expect([...answers][0]).toContain('"code":"invalid_credentials"')
})

test('the cookie is limited to the sign-in and does not identify its owner', async () => {
  await using one = await scene()
  const { app, eve } = one
  const { headers } = await new Browser(app).attempt(eve.email)
  const [line = ''] = (headers['set-cookie'] as string[]).filter((cookie) => cookie.startsWith(knownBrowserCookie))
  expect(line).toMatch(/^svc_known_browser=[\w.-]+; Max-Age=7776000; Path=\/api\/v1\/auth; HttpOnly; SameSite=Lax$/)
  const hash = app.db.first(q.selectFrom('users').select('password_hash').where('id', '=', eve.id))?.password_hash
  const content = JSON.stringify(decodeJwt(line.split(';')[0]?.split('=')[1] ?? ''))
  for (const secret of [eve.id, eve.email, 'eve', String(hash)]) expect(content).not.toContain(secret)
})

test('a browser stays known for ninety days after the last sign-in', async () => {
  await using one = await scene()
  const { app, eve, known } = one
  app.clock.advance(89 * day)
  expect(await known.signIn(eve.email)).toBe(200)
  app.clock.advance(89 * day)
  await attack(app, eve.email)
  expect(await known.signIn(eve.email)).toBe(200)
  app.clock.advance(90 * day)
  await attack(app, eve.email)
  expect(await known.signIn(eve.email)).toBe(401)
})

test('a forged or changed cookie does not make a browser known', async () => {
  await using one = await scene()
  const { app, eve, known } = one
  await using elsewhere = await scene()
  const [head, body, mark] = (known.knownBy ?? '').split('.')
  const content = { ...decodeJwt(known.knownBy ?? ''), exp: 4_000_000_000 }
  const ours = openSecrets(app.dataDir)
  const signed = (payload: object, key: Uint8Array) =>
    new SignJWT({ ...payload }).setProtectedHeader({ alg: 'HS256' }).sign(key)
  const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
  await attack(app, eve.email)
  const forgeries = [
    'nonsense',
    `${head}.${body}.`,
    `${unsigned}.${body}.`,
    `${unsigned}.${body}.${mark}`,
    elsewhere.known.knownBy ?? '',
    await signed(content, ours.jwtKey),
    await signed(content, new Uint8Array(32)),
    await signed({ ...content, visits: 'x' }, ours.knownBrowserKey),
    await signed({ ...content, aud: 'svc-api' }, ours.knownBrowserKey),
  ]
  for (const forged of forgeries) {
    const browser = new Browser(app)
    browser.jar.cookies.set(knownBrowserCookie, forged)
    expect(await browser.signIn(eve.email), forged).toBe(401)
  }
  expect(await known.signIn(eve.email)).toBe(200)
})

test('signing out keeps the browser known, and a new password keeps only the one where it was set', async () => {
  await using one = await scene()
  const { app, eve, known } = one
  const elsewhere = new Browser(app)
  await elsewhere.signIn(eve.email)
  const { tokens } = (await known.attempt(eve.email)).body
  known.jar.take(await app.call(logout, {}, { token: tokens?.accessToken, headers: known.headers }))
  expect([...known.jar.cookies.keys()]).toEqual([knownBrowserCookie])
  const { body } = await known.attempt(eve.email)
  const changed = await app.call(
    changePassword,
    { body: { currentPassword: password, newPassword: next } },
    { token: body.tokens?.accessToken, headers: known.headers },
  )
  expect(changed.status).toBe(200)
  known.jar.take(changed)
  await attack(app, eve.email)
  expect([await elsewhere.signIn(eve.email, next), await known.signIn(eve.email, next)]).toEqual([401, 200])
})

test('a password reset makes all browsers unknown and unlocks the account', async () => {
  await using one = await scene()
  const { app, eve, known } = one
  await attack(app, eve.email)
  await app.call(forgotPassword, { body: { email: eve.email } })
  const token = tokenIn(await mailOf(app, 'password-reset'))
  expect((await app.call(resetPassword, { body: { token, password: next } })).status).toBe(200)
  expect(await new Browser(app).signIn(eve.email, next), 'unlocked').toBe(200)
  await attack(app, eve.email)
  expect(await known.signIn(eve.email, next)).toBe(401)
})

test('a browser can be known to eight users, and the ninth replaces the least recent one', async () => {
  await using one = await scene()
  const { app, admin, eve, known } = one
  const emails = Array.from({ length: 8 }, (_, n) => `p${n}@x.test`)
  for (const email of emails) await person(app, { email, scope: 'partner', partnerId: admin.partnerId })
  for (const email of emails.slice(0, 7)) await known.signIn(email)
  await attack(app, eve.email)
  await attack(app, 'p0@x.test')
  for (const email of [eve.email, 'p0@x.test']) expect(await known.signIn(email)).toBe(200)
  await known.signIn('p7@x.test')
  // p1 is the least recent one: p0 and Eve have signed in since.
  await attack(app, 'p1@x.test')
  expect(await known.signIn('p1@x.test')).toBe(401)
  expect(await known.signIn(eve.email)).toBe(200)
  expect((known.knownBy ?? '').length, 'and it does not grow').toBeLessThan(2000)
})

test('guesses for another user in a known browser count like those in an unknown one', async () => {
  await using one = await scene()
  const { app, admin, eve, known, unknown } = one
  for (let n = 0; n < 5; n++) await known.signIn(admin.email, wrong)
  expect([await unknown.signIn(admin.email), await known.signIn(admin.email)]).toEqual([401, 401])
  expect([await known.signIn(eve.email), await unknown.signIn(eve.email)]).toEqual([200, 200])
  expect(auditOf(app, 'user.locked')[0]).toMatchObject({ resource_id: admin.userId, details: { browser: 'unknown' } })
})

test('a browser becomes known after the second factor, or by a passkey alone', async () => {
  await using one = await scene()
  const { app, eve, unknown } = one
  const { secret, enabled } = await withFactor(app, eve.token)
  const device = new Authenticator()
  await register(app, enabled.body.tokens.accessToken, device)
  const { tempToken } = (await unknown.attempt(eve.email)).body
  expect(unknown.knownBy).toBeUndefined()
  app.clock.advance(60_000)
  const body = { tempToken: String(tempToken), code: codeOf(app, secret) }
  unknown.jar.take(await app.call(mfaVerify, { body }))
  expect(unknown.knownBy).toBeTruthy()
  const alone = new Browser(app)
  alone.jar.take(await signInAlone(app, device))
  await attack(app, eve.email)
  for (const browser of [alone, unknown]) expect((await browser.attempt(eve.email)).body.mfaRequired).toBe(true)
})

test('a passkey registered through an identity provider makes no browser known', async () => {
  await using one = await scene()
  const { app, admin, eve } = one
  const device = new Authenticator()
  await register(app, eve.token, device)
  const provider = enforcingProvider(app, { partnerId: admin.partnerId }, { enforce_sso: 0 })
  app.db.run(q.updateTable('user_passkeys').set({ sso_provider_id: provider }))
  const signedIn = await signInAlone(app, device)
  expect([signedIn.status, signedIn.cookies.map(({ name }) => name)]).toEqual([
    200,
    ['svc_refresh_token', 'svc_csrf_token'],
  ])
})

test('without account lock-out known browsers are not locked either', async () => {
  await using one = await scene({ LOGIN_ACCOUNT_LOCKOUT_MAX: '0' })
  const { app, eve, known, unknown } = one
  await attack(app, eve.email, 7)
  for (let n = 0; n < 7; n++) await known.signIn(eve.email, wrong)
  for (const browser of [known, unknown]) expect(await browser.signIn(eve.email)).toBe(200)
  expect(auditOf(app, 'user.locked')).toEqual([])
})

test('a known browser is still subject to the limits by address', async () => {
  await using one = await scene({ HOMEPORT_LIMIT_LOGIN_EMAIL: '5/300' })
  const { app, eve, known } = one
  const body = { email: eve.email, password: wrong }
  const { headers } = known
  const statuses = []
  for (let n = 0; n < 6; n++) statuses.push((await app.call(login, { body }, { headers })).status)
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
})
