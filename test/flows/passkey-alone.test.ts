import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { authMe } from '../../shared/api/auth.ts'
import { passkeyLogin, passkeyLoginOptions } from '../../shared/api/passkeys.ts'
import { Authenticator, type Misbehaviour } from '../helpers/authenticator.ts'
import { test } from '../helpers/concurrent-test.ts'
import { person, signIn } from '../helpers/factories.ts'
import { type TestApp, testApp, usualSignInFloor } from '../helpers/test-app.ts'
import { auditOf } from './kit.ts'
import {
  answer,
  at,
  challenge,
  handIn,
  openOptions,
  optionsFor,
  register,
  signInAlone,
  wide,
  withPasskey,
} from './passkey-kit.ts'

const liveSessions = (app: TestApp) =>
  app.db.all(q.selectFrom('sessions').select('id').where('revoked_at', 'is', null)).length

/** The single answer to all failed attempts. */
const refused = { status: 401, code: 'passkey_refused', error: 'This passkey cannot sign in here' }
const shapeOf = ({ status, body }: Awaited<ReturnType<typeof handIn>>) => ({
  status,
  code: body.code,
  error: body.error,
})

test('a passkey signs in without a name or a password', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const options = await openOptions(app)
  expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] })
  const done = await handIn(app, device.get(options))
  expect(done.status).toBe(200)
  expect(done.body).toMatchObject({ mfaRequired: false, user: { id: admin.userId, email: admin.email } })
  expect(done.cookies).toHaveLength(3)
  expect((await app.call(authMe, {}, { token: done.body.tokens.accessToken })).status).toBe(200)
  const { details } = auditOf(app, 'user.login').at(-1) ?? {}
  expect(JSON.parse(details ?? '{}')).toMatchObject({ method: 'passkey', mfa: true, source: 'passkey' })
  const counter = app.db.first(q.selectFrom('user_passkeys').select('counter'))
  expect(counter).toEqual({ counter: 1 })
})

test.each<[what: string, wrong: Misbehaviour]>([
  ['another page', { origin: 'https://evil.test' }],
  ['another relying party', { rpId: 'evil.test' }],
  ['a challenge of its own', { challenge: 'AAAA' }],
  ['no verified user', { isUserVerified: false }],
  ['a counter that stands still', { counter: 1 }],
  ['another user named', { userHandle: 'c29tZWJvZHk' }],
  ['no user named', { userHandle: null }],
  ['the wrong ceremony', { type: 'webauthn.create' }],
])('an answer with %s gets the uniform refusal after the usual delay and uses up the challenge', async (_, wrong) => {
  await using app = await testApp({ env: { ...wide, ...usualSignInFloor } })
  const { device } = await withPasskey(app)
  await signInAlone(app, device)
  const before = liveSessions(app)
  const options = await openOptions(app)
  const startedAt = performance.now()
  const wrongAnswer = await handIn(app, device.get(options, wrong))
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(345)
  expect(shapeOf(wrongAnswer)).toEqual(refused)
  expect(wrongAnswer.cookies).toEqual([])
  // An unanswered challenge is still stored; every other one is deleted.
  if (!wrong.challenge) expect(shapeOf(await handIn(app, device.get(options)))).toEqual(refused)
  expect(liveSessions(app)).toBe(before)
})

test.each([
  ['nothing inside', { id: 'x' }],
  ['a null inside', { id: 'x', response: null }],
  ['rubbish for client data', { id: 'x', response: { clientDataJSON: '%%%' } }],
  ['client data that is no object', { id: 'x', response: { clientDataJSON: 'bnVsbA' } }],
])('a credential with %s is refused like an unknown one', async (_, credential) => {
  await using app = await testApp({ env: wide })
  expect(shapeOf(await handIn(app, credential))).toEqual(refused)
})

test('an impostor, an outdated clone and an unknown passkey get the same refusal', async () => {
  await using app = await testApp({ env: wide })
  const { device } = await withPasskey(app)
  const clone = device.clone()
  await signInAlone(app, device)
  expect(shapeOf(await signInAlone(app, device.impostor()))).toEqual(refused)
  expect(shapeOf(await signInAlone(app, clone))).toEqual(refused)
  app.db.run(q.deleteFrom('user_passkeys'))
  expect(shapeOf(await signInAlone(app, device))).toEqual(refused)
  const reasons = auditOf(app, 'user.login.failed').map(({ details }) => details)
  expect(reasons, 'strangers are not recorded').toEqual(Array(2).fill('{"reason":"passkey_rejected"}'))
})

test.each<[what: string, change: (app: TestApp, userId: string) => void]>([
  ['a disabled user', (app, id) => app.db.run(q.updateTable('users').set({ status: 'disabled' }).where('id', '=', id))],
  ['a suspended company', (app) => app.db.run(q.updateTable('partners').set({ status: 'suspended' }))],
  [
    'a passkey that was switched off',
    (app) => app.db.run(q.updateTable('user_passkeys').set({ disabled_at: '2026-01-01T00:00:00.000Z' })),
  ],
])('%s is refused like an unknown passkey', async (_, change) => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  change(app, admin.userId)
  expect(shapeOf(await signInAlone(app, device))).toEqual(refused)
})

test('of ten simultaneous answers one signs in, and a replay is refused', async () => {
  await using app = await testApp({ env: wide })
  const { device } = await withPasskey(app)
  const credential = device.get(await openOptions(app))
  const answers = await Promise.all(Array.from({ length: 10 }, () => handIn(app, credential)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(401)])
  expect(shapeOf(await handIn(app, credential))).toEqual(refused)
})

test('of two clones used at once the counter lets one in', async () => {
  await using app = await testApp({ env: wide })
  const { device } = await withPasskey(app)
  const credentials = [device.clone(), device.clone()]
  const options = [await openOptions(app), await openOptions(app)]
  const answers = await Promise.all(credentials.map((copy, n) => handIn(app, copy.get(options[n] ?? {}))))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
})

test('challenges are independent of each other and expire after five minutes', async () => {
  await using app = await testApp({ env: wide })
  const { device } = await withPasskey(app)
  const [first, second, third] = [await openOptions(app), await openOptions(app), await openOptions(app)]
  expect((await handIn(app, device.get(second))).status).toBe(200)
  expect((await handIn(app, device.get(first))).status).toBe(200)
  app.clock.advance(300_000)
  expect(shapeOf(await handIn(app, device.get(third)))).toEqual(refused)
})

test('an answer to a second step challenge does not sign in alone', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const { tempToken } = await challenge(app, admin.email)
  const options = await optionsFor(app, tempToken)
  expect(shapeOf(await handIn(app, device.get(options)))).toEqual(refused)
})

test('a stranger cannot use up the challenge of a user who is signing in', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const { tempToken } = await challenge(app, admin.email)
  const options = await optionsFor(app, tempToken)
  const stranger = new Authenticator()
  stranger.create({ challenge: 'x', rp: { id: 'localhost' }, user: { id: 'x' }, excludeCredentials: [] })
  await handIn(app, stranger.sign(stranger.ids[0] as string, `${admin.userId} sign-in`))
  await handIn(app, stranger.sign(stranger.ids[0] as string, String(options.challenge)))
  expect((await answer(app, tempToken, device.get(options))).status).toBe(200)
})

test('a passkey made at one host does not sign in at another', async () => {
  await using app = await testApp({ env: { ...wide, DASHBOARD_URL: 'https://rmm.example.test' } })
  const { device } = await withPasskey(app)
  const headers = at('https://rmm.example.test')
  const options = await openOptions(app, headers)
  const elsewhere = { origin: 'https://rmm.example.test', rpId: 'rmm.example.test' }
  expect(
    shapeOf(await handIn(app, device.sign(device.ids[0] as string, String(options.challenge), elsewhere))),
  ).toEqual(refused)
})

test('each of two users signs in to their own account', async () => {
  await using app = await testApp({ env: wide })
  const { admin, device } = await withPasskey(app)
  const eve = await person(app, { email: 'eve@acme.test', scope: 'partner', partnerId: admin.partnerId })
  const hers = new Authenticator()
  await register(app, await signIn(app, eve.email), hers)
  expect((await signInAlone(app, hers)).body.user.id).toBe(eve.id)
  expect((await signInAlone(app, device)).body.user.id).toBe(admin.userId)
})

test('at a host without passkeys the refusal reveals no addresses', async () => {
  await using app = await testApp({ env: { ...wide, DASHBOARD_URL: 'https://rmm.example.test' } })
  const { status, body } = await app.call(passkeyLoginOptions, {}, { headers: { host: 'evil.test' } })
  expect([status, body.code, body.addresses]).toEqual([400, 'passkey_origin', undefined])
})

test('refusals are limited by address and apart from passwords, and successful sign-ins do not count', async () => {
  await using app = await testApp({ env: { ...wide, HOMEPORT_LIMIT_LOGIN_IP: '1/300' } })
  const { admin, device } = await withPasskey(app)
  for (let n = 0; n < 9; n++) expect((await handIn(app, { id: 'x' })).status).toBe(401)
  for (let n = 0; n < 3; n++) expect((await signInAlone(app, device)).status).toBe(200)
  expect((await handIn(app, { id: 'x' })).status).toBe(401)
  const tooMany = await signInAlone(app, device)
  expect([tooMany.status, tooMany.headers['retry-after']]).toEqual([429, '300'])
  await challenge(app, admin.email)
  app.clock.advance(300_000)
  expect((await signInAlone(app, device)).status).toBe(200)
})

test('requesting passkey options is not limited by address', async () => {
  await using app = await testApp()
  for (let n = 0; n < 100; n++) await openOptions(app)
})

test('an address outside the IP allow-list is refused, which only the owner of a passkey can find out', async () => {
  await using app = await testApp({ env: wide })
  const { device } = await withPasskey(app)
  const security = { ipAllowlist: ['203.0.113.0/24'] }
  app.db.run(q.updateTable('partners').set({ settings: toJson({ security }) }))
  app.db.run(q.updateTable('users').set({ is_platform_admin: 0 }))
  const { status } = await signInAlone(app, device)
  expect([401, 403]).toContain(status)
  expect(auditOf(app, 'user.login.failed').at(-1)?.details).toContain('ip_not_allowed')
  expect(shapeOf(await signInAlone(app, device.impostor()))).toEqual(refused)
})

test('without second factors no passkey signs in', async () => {
  await using app = await testApp({ env: { ...wide, ENABLE_2FA: 'false' } })
  expect((await app.call(passkeyLoginOptions)).status).toBe(404)
  expect((await app.call(passkeyLogin, { body: { credential: { id: 'x' } } })).status).toBe(404)
})
