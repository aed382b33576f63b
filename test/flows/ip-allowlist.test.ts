import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startAppliance } from '../../server/appliance.ts'
import { loadConfig } from '../../server/config/config.ts'
import { Database } from '../../server/db/database.ts'
import { databaseFile } from '../../server/db/location.ts'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { minute } from '../../server/platform/clock.ts'
import { silentLog } from '../../server/platform/log.ts'
import { login, mfaVerify } from '../../shared/api/auth.ts'
import { updateOwnPartner } from '../../shared/api/partners.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { test } from '../helpers/concurrent-test.ts'
import { bootstrapped, company, password, person } from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { liveStream } from '../helpers/live-stream.ts'
import { auditOf, setPartner } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { CookieJar, codeOf, refreshWith, withFactor } from './kit.ts'

const env = { TRUST_PROXY_HEADERS: 'true', TRUSTED_PROXY_CIDRS: '127.0.0.0/8', HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60' }
const from = (ip: string) => ({ 'x-forwarded-for': ip })
const office = from('203.0.113.9')
const home = from('198.51.100.7')

const listOf = (...ipAllowlist: unknown[]) => toJson({ security: { ipAllowlist } })
const list = (app: TestApp, partnerId: string, ...entries: unknown[]) =>
  setPartner(app, partnerId, { settings: listOf(...entries) })

/** A company with an allow-list, and a user who is bound by it. */
async function bound(entries: unknown[] = ['203.0.113.0/24'], more: Record<string, string> = {}) {
  const app = await testApp({ env: { ...env, ...more } })
  const admin = await bootstrapped(app)
  const ann = await person(app, { email: 'ann@x.test', scope: 'partner', partnerId: admin.partnerId })
  list(app, admin.partnerId, ...entries)
  const me = async (headers: Record<string, string>, token = ann.token) => {
    const { status, body } = await app.call(usersMe, {}, { token, headers })
    return status === 200 ? 200 : [status, body.code]
  }
  const signIn = (headers: Record<string, string>, secret = password) =>
    app.call(login, { body: { email: ann.email, password: secret } }, { headers })
  return { app, admin, ann, me, signIn, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

test('a request from another or an unknown address answers 403, and is recorded every ten minutes', async () => {
  await using scene = await bound()
  const { app, ann, me } = scene
  expect(await me(office)).toBe(200)
  expect(await me(home)).toEqual([403, 'IP_NOT_ALLOWED'])
  expect(await me({})).toEqual([403, 'untrusted_ip'])
  expect(await me(from('garbage'))).toEqual([403, 'untrusted_ip'])
  app.clock.advance(10 * minute)
  expect(await me({})).toEqual([403, 'untrusted_ip'])
  const denied = auditOf(app, 'ip_allowlist.denied')
  expect(denied.map(({ details, result }) => [details, result])).toEqual([
    [{ clientIp: '198.51.100.7', reason: 'not_listed' }, 'denied'],
    [{ clientIp: '127.0.0.1', reason: 'untrusted_ip' }, 'denied'],
    [{ clientIp: '127.0.0.1', reason: 'untrusted_ip' }, 'denied'],
  ])
  expect(denied[0]).toMatchObject({ actor_id: ann.id, actor_email: ann.email })
})

test('an address on the list is accepted only from a trusted proxy', async () => {
  await using scene = await bound(['127.0.0.0/8', '203.0.113.0/24'])
  const { me, signIn } = scene
  expect(await me({})).toEqual([403, 'untrusted_ip'])
  expect((await signIn({})).body.code).toBe('untrusted_ip')
  expect(await me(office)).toBe(200)
})

test('a sign-in from elsewhere answers IP_NOT_ALLOWED only after the right password', async () => {
  await using scene = await bound()
  const { app, ann, signIn } = scene
  expect((await signIn(office)).status).toBe(200)
  const events = auditOf(app, 'user.login').length
  const refused = await signIn(home)
  expect([refused.status, refused.body.code, refused.cookies]).toEqual([401, 'IP_NOT_ALLOWED', []])
  const guess = await signIn(home, 'Wrong1Horse')
  expect([guess.status, guess.body.code, guess.body.error]).toEqual([
    401,
    'invalid_credentials',
    'Invalid email or password',
  ])
  const nowhere = await signIn({})
  expect([nowhere.status, nowhere.body.code]).toEqual([403, 'untrusted_ip'])
  expect(auditOf(app, 'user.login')).toHaveLength(events)
  expect(auditOf(app, 'user.login.failed').map(({ details }) => details.reason)).toEqual([
    'ip_not_allowed',
    'invalid_password',
    'ip_not_allowed',
  ])
  expect(
    app.db.first(
      q
        .selectFrom('sessions')
        .select((s) => s.fn.countAll<number>().as('n'))
        .where('user_id', '=', ann.id),
    )?.n,
  ).toBe(2)
})

test('a sign-in continued from elsewhere gets no session, and its code stays unused', async () => {
  await using scene = await bound([])
  const { app, admin, ann, signIn } = scene
  const { secret } = await withFactor(app, ann.token)
  list(app, admin.partnerId, '203.0.113.0/24')
  const { tempToken } = (await signIn(office)).body
  const answer = (headers: Record<string, string>) =>
    app.call(mfaVerify, { body: { tempToken: String(tempToken), code: codeOf(app, secret) } }, { headers })
  const refused = await answer(home)
  expect([refused.status, refused.body.code, refused.cookies]).toEqual([401, 'IP_NOT_ALLOWED', []])
  expect((await answer(office)).status).toBe(200)
})

test('a refresh from elsewhere is refused and recorded, and keeps the cookies and the session', async () => {
  await using scene = await bound()
  const { app, ann, signIn, me } = scene
  const jar = new CookieJar().take(await signIn(office))
  const before = app.rowCounts()
  for (const [headers, code] of [
    [home, 'IP_NOT_ALLOWED'],
    [{}, 'untrusted_ip'],
  ] as const) {
    const { status, body, setCookie } = await refreshWith(app, jar, headers)
    expect([status, body.code, setCookie]).toEqual([403, code, []])
  }
  const after = app.rowCounts()
  expect([after.sessions, after.refresh_tokens]).toEqual([before.sessions, before.refresh_tokens])
  const denied = auditOf(app, 'ip_allowlist.denied')
  expect(denied.map(({ resource_id, result }) => [resource_id, result])).toEqual([
    [ann.id, 'denied'],
    [ann.id, 'denied'],
  ])
  const back = await refreshWith(app, jar, office)
  expect(back.status).toBe(200)
  expect(await me(office, back.body.tokens?.accessToken)).toBe(200)
  const again = await refreshWith(app, jar.take(back), office)
  expect(again.status).toBe(200)
})

test('reuse of a stolen refresh token is detected from any address', async () => {
  await using scene = await bound()
  const { app, signIn } = scene
  const stolen = new CookieJar().take(await signIn(office))
  await refreshWith(app, stolen, office)
  app.clock.advance(16_000)
  expect((await refreshWith(app, stolen, home)).status).toBe(401)
  expect(auditOf(app, 'auth.refresh.reuse_detected')).toHaveLength(1)
})

test('a platform admin can refresh from anywhere, others get 503 while the list cannot be read', async () => {
  await using scene = await bound()
  const { app, admin, signIn } = scene
  const signedIn = await app.call(login, { body: { email: admin.email, password } }, { headers: home })
  expect((await refreshWith(app, new CookieJar().take(signedIn), home)).status).toBe(200)
  const jar = new CookieJar().take(await signIn(office))
  list(app, admin.partnerId, 'not an address')
  const refused = await refreshWith(app, jar, office)
  expect([refused.status, refused.setCookie]).toEqual([503, []])
  list(app, admin.partnerId)
  expect((await refreshWith(app, jar, home)).status).toBe(200)
})

const cases: [entries: string[], ip: string, isListed: boolean][] = [
  [['10.0.0.0/8'], '10.1.2.3', true],
  [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
  [['10.0.0.0/8'], '11.0.0.1', false],
  [[' 10.1.2.3/8 '], '10.200.0.1', true],
  [['203.0.113.9'], '203.0.113.9', true],
  [['203.0.113.9'], '203.0.113.10', false],
  [['203.0.113.9'], '203.0.113.9:4711', true],
  [['2001:db8::/32'], '2001:db8:1::5', true],
  [['2001:db8::/32'], '[2001:db8:1::5]:443', true],
  [['2001:db8::/32'], '2001:db9::5', false],
  [['::/0'], '203.0.113.9', false],
  [['0.0.0.0/0'], '2001:db8::1', false],
  [['fe80::/10', '203.0.113.9'], 'fe80::1%eth0', true],
]

test('addresses are compared by value, and IPv4 and IPv6 never match each other', async () => {
  await using scene = await bound()
  for (const [entries, ip, isListed] of cases) {
    list(scene.app, scene.admin.partnerId, ...entries)
    expect(await scene.me(from(ip)), `${ip} in ${entries}`).toEqual(isListed ? 200 : [403, 'IP_NOT_ALLOWED'])
  }
})

test('forwarding headers sent by the client itself are ignored', async () => {
  await using scene = await bound()
  const { app, ann, me } = scene
  expect(await me(from('203.0.113.9, 198.51.100.7'))).toEqual([403, 'IP_NOT_ALLOWED'])
  expect(await me(from('198.51.100.7, 203.0.113.9, 127.0.0.2'))).toBe(200)
  expect(await me({ 'cf-connecting-ip': '203.0.113.9', ...home })).toEqual([403, 'IP_NOT_ALLOWED'])
  const direct = { token: ann.token, headers: office, remoteAddress: '192.0.2.1' }
  expect((await app.call(usersMe, {}, direct)).body.code).toBe('untrusted_ip')
})

test('a platform admin is let in from anywhere, and the bypass is recorded', async () => {
  await using scene = await bound()
  const { app, admin, me } = scene
  for (const headers of [home, home, {}]) expect(await me(headers, admin.token)).toBe(200)
  const { body } = await app.call(login, { body: { email: admin.email, password } }, { headers: home })
  expect(body.tokens).toBeTruthy()
  const events = auditOf(app, 'ip_allowlist.bypass_platform_admin')
  expect(events.map(({ details }) => details.clientIp)).toEqual(['198.51.100.7', '127.0.0.1'])
})

test('members of an organization are bound by the list of their partner, devices by none', async () => {
  await using app = await testApp({ env })
  const { admin, org, device } = await company(app)
  const { token } = await person(app, { email: 'o@x.test', scope: 'organization', orgId: org.id })
  list(app, admin.partnerId, '203.0.113.0/24')
  expect((await app.call(usersMe, {}, { token, headers: office })).status).toBe(200)
  expect((await app.call(usersMe, {}, { token, headers: home })).body.code).toBe('IP_NOT_ALLOWED')
  expect((await fakeDevice(app, device).beat({}, { headers: home })).status).toBe(200)
})

test('an unreadable list answers 503 to everybody but a platform admin, who can repair it', async () => {
  await using scene = await bound(['not an address'])
  const { app, admin, me, signIn } = scene
  expect(await me(office)).toEqual([503, 'unavailable'])
  expect((await signIn(office)).status).toBe(503)
  expect(await me(home, admin.token)).toBe(200)
  const mended = { body: { settings: { security: { ipAllowlist: [] } } } }
  expect((await app.call(updateOwnPartner, mended, { token: admin.token, headers: home })).status).toBe(200)
  expect(await me(office)).toBe(200)
  setPartner(app, admin.partnerId, { settings: toJson({ security: { ipAllowlist: '10.0.0.0/8' } }) })
  expect(await me(office)).toEqual([503, 'unavailable'])
})

test('IP_ALLOWLIST_ENFORCEMENT_MODE=off switches the check off', async () => {
  await using scene = await bound(['192.0.2.1'], { IP_ALLOWLIST_ENFORCEMENT_MODE: 'off' })
  expect(await scene.me({})).toBe(200)
  expect((await scene.signIn(home)).status).toBe(200)
})

test('a change of the list applies to the very next request', async () => {
  await using scene = await bound([])
  const { app, ann, me } = scene
  const patch = (...ipAllowlist: string[]) =>
    app.call(
      updateOwnPartner,
      { body: { settings: { security: { ipAllowlist } } } },
      { token: ann.token, headers: office },
    )
  expect(await me(home)).toBe(200)
  // Locking oneself out is accepted; the status of the list warns, and a platform admin can undo it.
  expect((await patch('203.0.113.9')).status).toBe(200)
  expect(await me(home)).toEqual([403, 'IP_NOT_ALLOWED'])
  expect((await patch('203.0.113.9', '198.51.100.0/24')).status).toBe(200)
  expect(await me(home)).toBe(200)
  expect((await patch('192.0.2.1')).status).toBe(200)
  expect((await patch()).body.code).toBe('IP_NOT_ALLOWED')
})

test('a change by another process applies too, and ends the live streams of refused addresses', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'homeport-allowlist-'))
  const config = loadConfig({
    ...env,
    HOMEPORT_DATA_DIR: dataDir,
    HOMEPORT_TLS: 'off',
    HOMEPORT_HOST: '127.0.0.1',
    HOMEPORT_PORT: '0',
    BOOTSTRAP_ADMIN_EMAIL: 'ada@acme.test',
    BOOTSTRAP_ADMIN_PASSWORD: 'Correct1HorseBattery',
  })
  const { app, port, stop } = await startAppliance({ config, log: silentLog(), version: '0', distDir: dataDir })
  const another = new Database({ file: databaseFile(dataDir) })
  try {
    another.run(q.updateTable('users').set({ is_platform_admin: 0 }))
    const origin = `http://127.0.0.1:${port}`
    const signedIn = await fetch(`${origin}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@acme.test', password: 'Correct1HorseBattery' }),
    })
    const { tokens } = (await signedIn.json()) as { tokens: { accessToken: string } }
    const me = async (headers: Record<string, string>) => {
      const authorization = `Bearer ${tokens.accessToken}`
      return (await fetch(`${origin}/api/v1/users/me`, { headers: { authorization, ...headers } })).status
    }
    expect(await me(home)).toBe(200)
    using stream = await liveStream(origin, tokens.accessToken)
    another.run(q.updateTable('partners').set({ settings: listOf('203.0.113.9') }))
    expect([await me(home), await me(office)]).toEqual([403, 200])
    await app.jobs.runNow('connections.sweep')
    await expect(stream.event(() => false)).rejects.toThrow('the stream ended')
  } finally {
    another.close()
    await stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
