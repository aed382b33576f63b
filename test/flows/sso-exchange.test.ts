import { randomUUIDv7 } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp } from '../../server/app.ts'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { minute } from '../../server/platform/clock.ts'
import { silentLog } from '../../server/platform/log.ts'
import { openSecrets, sha256 } from '../../server/platform/secrets.ts'
import { login, refresh } from '../../shared/api/auth.ts'
import { listOrganizations } from '../../shared/api/organizations.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { deleteSsoProvider, setSsoProviderStatus, updateSsoProvider } from '../../shared/api/sso-providers.ts'
import { ssoExchange } from '../../shared/api/sso-sign-in.ts'
import { member, password } from '../helpers/factories.ts'
import { applianceOrigin } from '../helpers/openid-provider.ts'
import { auditOf, setOrganization, setPartner } from '../helpers/rows.ts'
import type { SsoBrowser } from '../helpers/sso-browser.ts'
import { readyProvider, type SsoScene, ssoScene } from '../helpers/sso-kit.ts'
import { setProvider } from '../helpers/sso-rows.ts'
import { pathOf } from '../helpers/test-app.ts'

/** What a one-time code gives, and to whom. */

let scene: SsoScene

beforeAll(async () => {
  scene = await ssoScene({ env: { HOMEPORT_LIMIT_SSO_EXCHANGE: '0/60' } })
})
afterAll(() => scene[Symbol.asyncDispose]())
beforeEach(() => {
  const { app, provider, alice } = scene
  app.db.run(q.deleteFrom('sso_exchange_grants'))
  setProvider(app, provider.id, { status: 'active', trusts_idp_mfa: 0 })
  app.db.run(q.updateTable('users').set({ status: 'active', mfa_enabled: 0 }).where('id', '=', alice.id))
})

/** Alice returns from the provider: her code, and the browser that received it. */
async function arrived(who = 'alice', url = scene.loginUrl): Promise<{ code: string; browser: SsoBrowser }> {
  const browser = scene.browser()
  const landing = await browser.visit(`${url}?login_hint=${encodeURIComponent(`${who}@corp.test`)}`)
  const code = new URLSearchParams(landing.url.hash.slice(1)).get('ssoCode')
  if (!code) throw new Error(`ended at ${landing.path}`)
  return { code, browser }
}

/** By a program without a browser. */
const redeem = (code: string) => scene.app.call(ssoExchange, { body: { code } })
/** By the console in a browser. */
const redeemIn = (browser: SsoBrowser, code: string) =>
  browser.inject({
    method: 'POST',
    url: `/api/v1${pathOf(ssoExchange)}`,
    headers: { origin: applianceOrigin, 'content-type': 'application/json' },
    payload: JSON.stringify({ code }),
  })
const refusal = { error: 'Invalid or expired token exchange code', code: 'sso_exchange_invalid' }
const expectRefused = async (code: string) => {
  const { status, body } = await redeem(code)
  expect([status, body]).toMatchObject([400, refusal])
}
const sessions = () => scene.app.db.all(q.selectFrom('sessions').selectAll().orderBy('created_at').orderBy('id'))
const newestSession = () =>
  scene.app.db.first(
    q
      .selectFrom('sessions')
      .selectAll()
      .orderBy('rowid' as never, 'desc'),
  )
const setAlice = (values: object) =>
  scene.app.db.run(q.updateTable('users').set(values).where('id', '=', scene.alice.id))

describe('a valid code', () => {
  test('starts a session in the organization, with the same cookies as a sign-in by password', async () => {
    const { app, alice, org, provider, admin } = scene
    const { code, browser } = await arrived()
    const answer = await redeemIn(browser, code)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-store')
    const body = answer.json<{ accessToken: string; refreshToken: string; expiresInSeconds: number }>()
    expect(body).toEqual({ accessToken: expect.any(String), expiresInSeconds: 900, refreshToken: expect.any(String) })
    const byPassword = await app.call(login, { body: { email: alice.email, password } })
    const shape = (cookies: readonly object[]) => cookies.map((cookie) => ({ ...cookie, value: '…' }))
    const own = answer.cookies.filter(({ name }) => name !== 'svc_sso_exchange')
    expect(shape(own), 'passwords given in this browser count as anywhere').toEqual(
      shape(byPassword.cookies.filter(({ name }) => name !== 'svc_known_browser')),
    )
    expect(answer.cookies.find(({ name }) => name === 'svc_sso_exchange')).toMatchObject({ value: '', maxAge: 0 })
    expect(own.find(({ name }) => name === 'svc_refresh_token')?.value).toBe(body.refreshToken)
    const me = await app.call(usersMe, {}, { token: body.accessToken })
    expect(me.body).toMatchObject({ id: alice.id, scope: 'organization', orgId: org.id })
    const membership = app.db.first(q.selectFrom('organization_users').select('id').where('user_id', '=', alice.id))
    expect(app.db.first(q.selectFrom('sessions').selectAll().where('sso_provider_id', '=', provider.id))).toMatchObject(
      {
        user_id: alice.id,
        membership_id: membership?.id,
        mfa_at: null,
        mfa_source: null,
      },
    )
    expect(auditOf(app, 'user.login').at(-2)).toMatchObject({
      org_id: org.id,
      partner_id: admin.partnerId,
      actor_id: alice.id,
      details: { method: 'sso', mfa: false, scope: 'organization', providerId: provider.id },
    })
  })

  test('starts a session that can be refreshed', async () => {
    const { code, browser } = await arrived()
    await redeemIn(browser, code)
    const csrf = browser.cookies.for(new URL('/', applianceOrigin)).find(({ name }) => name === 'svc_csrf_token')?.value
    const headers = { 'x-svc-csrf': String(csrf), origin: 'http://localhost:80', host: 'localhost:80' }
    const again = await browser.inject({ method: 'POST', url: `/api/v1${pathOf(refresh)}`, headers })
    expect(again.statusCode, again.body).toBe(200)
  })

  test('starts no session that becomes one of an operator when the membership is removed', async () => {
    const { app, idp, org } = scene
    const { id } = await member(app, { email: 'otto@corp.test', scope: 'organization', orgId: org.id })
    idp.people.otto = { email: 'otto@corp.test', email_verified: true, name: 'Otto' }
    const { code } = await arrived('otto')
    const [token] = (await redeem(code)).cookies.filter(({ name }) => name === 'svc_refresh_token')
    app.db.run(q.updateTable('users').set({ is_platform_admin: 1 }).where('email', '=', 'otto@corp.test'))
    app.db.run(q.deleteFrom('organization_users').where('user_id', '=', id))
    const headers = { 'x-svc-csrf': '1', cookie: `svc_refresh_token=${token?.value}` }
    expect((await app.call(refresh, {}, { headers })).status).toBe(401)
  })

  test('of the provider of a company starts a session there', async () => {
    const { app, idp, admin } = scene
    const { id: providerId } = await readyProvider(app, admin.token, idp, { ownerScope: 'partner' })
    await member(app, { email: 'tina@corp.test', scope: 'partner', partnerId: admin.partnerId, orgAccess: 'none' })
    idp.people.tina = { email: 'tina@corp.test', email_verified: true, name: 'Tina' }
    const { code } = await arrived('tina', `/api/v1/sso/login/partner/${admin.partnerId}`)
    const { body } = await redeem(code)
    const me = await app.call(usersMe, {}, { token: body.accessToken })
    expect(me.body).toMatchObject({ scope: 'partner', partnerId: admin.partnerId, orgId: null })
    expect((await app.call(listOrganizations, {}, { token: body.accessToken })).body.data).toEqual([])
    expect(auditOf(app, 'user.login').at(-1)?.details).toMatchObject({
      method: 'sso-partner',
      scope: 'partner',
      providerId,
    })
  })

  test('survives a restart, and is stored only as a digest', async () => {
    const { app } = scene
    const { code } = await arrived()
    const rows = app.db.all(q.selectFrom('sso_exchange_grants').selectAll())
    expect(rows).toMatchObject([{ code_digest: sha256(code), user_id: scene.alice.id }])
    expect(app.db.serialize().includes(code)).toBe(false)
    const restarted = await buildApp({
      config: app.config,
      db: app.db,
      clock: app.clock,
      log: silentLog(),
      secrets: openSecrets(app.dataDir, app.config.secrets),
      tls: null,
      version: '0.0.0-test',
      distDir: join(app.dataDir, 'dist'),
    })
    const url = `/api/v1${pathOf(ssoExchange)}`
    const answer = await restarted.fastify.inject({ method: 'POST', url, payload: { code } })
    expect(answer.statusCode).toBe(200)
    const { accessToken, refreshToken } = answer.json<Record<string, string>>()
    const image = app.db.serialize()
    for (const secret of [code, accessToken, refreshToken]) expect(image.includes(String(secret))).toBe(false)
    await restarted.fastify.close()
    await restarted.stop()
  })

  test('stays valid when the provider is only renamed', async () => {
    const { app, provider, admin } = scene
    const { code } = await arrived()
    await app.call(updateSsoProvider, { params: { id: provider.id }, body: { name: 'New' } }, { token: admin.token })
    expect((await redeem(code)).status).toBe(200)
  })
})

describe('a code is refused with the same answer', () => {
  test('the second time, after two minutes, and when it was never issued', async () => {
    const { app } = scene
    const { code } = await arrived()
    expect((await redeem(code)).status).toBe(200)
    await expectRefused(code)
    const { code: late } = await arrived()
    app.clock.advance(2 * minute)
    await expectRefused(late)
    for (const made of ['x', 'A'.repeat(43), sha256(code)]) await expectRefused(made)
  })

  test('for nine of ten simultaneous uses', async () => {
    const { code } = await arrived()
    const before = sessions().length
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => redeem(code)))).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(400)])
    expect(sessions()).toHaveLength(before + 1)
  })

  const changes: [what: string, change: () => unknown, undo?: () => unknown][] = [
    ['the person is disabled', () => setAlice({ status: 'disabled' })],
    ['their password was changed', () => setAlice({ auth_epoch: 77 })],
    ['their second factor was changed', () => setAlice({ mfa_epoch: 77 })],
    ['the provider is off', () => setStatus('inactive')],
    ['the provider is being tested', () => setStatus('testing')],
    [
      'the organization is suspended',
      () => setOrganization(scene.app, scene.org.id, { status: 'suspended' }),
      () => setOrganization(scene.app, scene.org.id, { status: 'active' }),
    ],
    [
      'the company is not active yet',
      () => setPartner(scene.app, scene.admin.partnerId, { status: 'pending' }),
      () => setPartner(scene.app, scene.admin.partnerId, { status: 'active' }),
    ],
  ]
  test.each(changes)('once %s, and is used up by that', async (_, change, undo) => {
    const { alice } = scene
    const { auth_epoch, mfa_epoch } = scene.app.db.first(
      q.selectFrom('users').select(['auth_epoch', 'mfa_epoch']).where('id', '=', alice.id),
    ) as { auth_epoch: number; mfa_epoch: number }
    const { code } = await arrived()
    const before = sessions().length
    await change()
    await expectRefused(code)
    await undo?.()
    await setStatus('active')
    setAlice({ status: 'active', auth_epoch, mfa_epoch })
    await expectRefused(code)
    expect(sessions()).toHaveLength(before)
  })

  test('once the user has left the organization, even if they return, or the provider is deleted', async () => {
    const { app, idp, admin, org } = scene
    await member(app, { email: 'leaver@corp.test', scope: 'organization', orgId: org.id })
    idp.people.leaver = { email: 'leaver@corp.test', email_verified: true, name: 'Leaver' }
    const { code } = await arrived('leaver')
    const { user_id } = app.db.first(q.selectFrom('sso_exchange_grants').selectAll()) as { user_id: string }
    app.db.run(q.deleteFrom('organization_users').where('user_id', '=', user_id))
    await expectRefused(code)
    await member(app, { email: 'returner@corp.test', scope: 'organization', orgId: org.id })
    idp.people.returner = { email: 'returner@corp.test', email_verified: true, name: 'Returner' }
    const { code: former } = await arrived('returner')
    const { membership_id } = app.db.first(q.selectFrom('sso_exchange_grants').selectAll()) as { membership_id: string }
    app.db.run(q.updateTable('organization_users').set({ id: randomUUIDv7() }).where('id', '=', membership_id))
    await expectRefused(former)
    const { id } = await readyProvider(app, admin.token, idp, { orgId: org.id, name: 'Second' })
    app.db.run(q.updateTable('sso_providers').set({ created_at: '2000-01-01T00:00:00.000Z' }).where('id', '=', id))
    const { code: orphan } = await arrived()
    expect((await app.call(deleteSsoProvider, { params: { id } }, { token: admin.token })).status).toBe(200)
    await expectRefused(orphan)
  })

  const setStatus = async (status: 'active' | 'inactive' | 'testing') => {
    const { app, provider, admin } = scene
    const wanted = { params: { id: provider.id }, body: { status } }
    expect((await app.call(setSsoProviderStatus, wanted, { token: admin.token })).status).toBe(200)
  }
})

describe('a code belongs to the browser that received it', () => {
  test('another browser is not signed in by it, and uses it up', async () => {
    const attacker = await arrived()
    const victim = scene.browser()
    const answer = await redeemIn(victim, attacker.code)
    expect([answer.statusCode, answer.json()]).toMatchObject([400, refusal])
    expect(answer.cookies.filter(({ value }) => value !== '')).toEqual([])
    expect((await redeemIn(attacker.browser, attacker.code)).statusCode).toBe(400)
  })

  test('nor is a browser with a code of its own', async () => {
    const attacker = await arrived()
    const victim = await arrived()
    expect((await redeemIn(victim.browser, attacker.code)).statusCode).toBe(400)
  })

  test('its cookie is sent to the exchange and nowhere else', async () => {
    const browser = scene.browser()
    const landing = await browser.visit(`${scene.loginUrl}?login_hint=alice@corp.test`)
    const cookie = landing.headers.getSetCookie().find((one) => one.startsWith('svc_sso_exchange='))
    expect(cookie?.split('; ').slice(1).sort()).toEqual(
      ['HttpOnly', 'Max-Age=120', 'Path=/api/v1/sso/exchange', 'SameSite=Strict', 'Secure'].sort(),
    )
  })
})

describe('the second factor at the identity provider', () => {
  const mfaAfter = async (who: string) => {
    const { code } = await arrived(who)
    const { status, body } = await redeem(code)
    expect(status).toBe(200)
    const { mfa_source, mfa_at } = newestSession() ?? {}
    expect(mfa_at !== null).toBe(mfa_source !== null)
    return { source: mfa_source, token: body.accessToken }
  }
  const demand = (requireMfa: boolean) =>
    setPartner(scene.app, scene.admin.partnerId, { settings: toJson({ security: { requireMfa } }) })

  test('counts only if the provider is trusted with it', async () => {
    const { app, provider } = scene
    expect((await mfaAfter('alice+mfa')).source).toBeNull()
    setProvider(app, provider.id, { trusts_idp_mfa: 1 })
    expect((await mfaAfter('alice+mfa')).source).toBe('idp')
    expect(auditOf(app, 'user.login').at(-1)?.details).toMatchObject({ method: 'sso', source: 'idp', mfa: true })
    expect((await mfaAfter('alice+pwd')).source).toBeNull()
    expect((await mfaAfter('alice')).source).toBeNull()
  })

  test('does not replace an enrollment that is required', async () => {
    const { app, provider } = scene
    setProvider(app, provider.id, { trusts_idp_mfa: 1 })
    demand(true)
    const { source, token } = await mfaAfter('alice+mfa')
    expect(source).toBeNull()
    expect((await app.call(listOrganizations, {}, { token })).status).toBe(428)
    setAlice({ mfa_enabled: 1, mfa_method: 'totp', mfa_secret: 'x' })
    expect((await mfaAfter('alice+mfa')).source).toBe('idp')
    setAlice({ mfa_enabled: 0, mfa_method: null, mfa_secret: null })
    demand(false)
    expect((await mfaAfter('alice+mfa')).source).toBe('idp')
  })
})

test('the refresh token can be left out of the answer, and exchanges are limited by address', async () => {
  await using own = await ssoScene({ env: { SSO_EXCHANGE_RETURN_REFRESH_TOKEN: 'false' } })
  const browser = own.browser()
  const landing = await browser.visit(`${own.loginUrl}?login_hint=alice@corp.test`)
  const code = new URLSearchParams(landing.url.hash.slice(1)).get('ssoCode') ?? ''
  const { body } = await own.app.call(ssoExchange, { body: { code } })
  expect(body).toEqual({ accessToken: expect.any(String), expiresInSeconds: 900 })
  for (let count = 1; count < 30; count++)
    expect((await own.app.call(ssoExchange, { body: { code } })).status).toBe(400)
  expect((await own.app.call(ssoExchange, { body: { code } })).status).toBe(429)
})

test('an address outside the IP allow-list is refused', async () => {
  const proxied = { TRUST_PROXY_HEADERS: 'true', TRUSTED_PROXY_CIDRS: '127.0.0.0/8,10.0.0.0/8' }
  await using own = await ssoScene({ env: proxied })
  const { app, admin } = own
  const landing = await own.browser().visit(`${own.loginUrl}?login_hint=alice@corp.test`)
  const code = new URLSearchParams(landing.url.hash.slice(1)).get('ssoCode') ?? ''
  setPartner(app, admin.partnerId, { settings: toJson({ security: { ipAllowlist: ['203.0.113.0/24'] } }) })
  const headers = { 'x-forwarded-for': '198.51.100.7' }
  const { status, body } = await app.call(ssoExchange, { body: { code } }, { headers })
  expect([status, body.code]).toEqual([401, 'IP_NOT_ALLOWED'])
})
