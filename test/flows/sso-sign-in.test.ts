import { once } from 'node:events'
import { connect } from 'node:net'
import type { Updateable } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import type { SsoProviderTable } from '../../server/features/sso/tables.ts'
import { toJson } from '../../server/lib/json.ts'
import { minute } from '../../server/platform/clock.ts'
import { ssoLogin, ssoLoginOfPartner } from '../../shared/api/sso-sign-in.ts'
import { bootstrapped, organizationOf, otherCompany } from '../helpers/factories.ts'
import { applianceOrigin, type OpenIdProvider } from '../helpers/openid-provider.ts'
import { failing } from '../helpers/openid-tampering.ts'
import { setOrganization, setPartner } from '../helpers/rows.ts'
import { sessionOf } from '../helpers/sessions.ts'
import { readyProvider, type SsoScene, ssoScene } from '../helpers/sso-kit.ts'
import { enforcingProvider, setProvider } from '../helpers/sso-rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** How a sign-in at an identity provider starts, and what prevents it. */

const unlimited = { HOMEPORT_LIMIT_SSO_LOGIN: '0/60', HOMEPORT_LIMIT_SSO_LOGIN_TARGET: '0/60' }
let scene: SsoScene

beforeAll(async () => {
  scene = await ssoScene({ env: unlimited })
})
afterAll(() => scene[Symbol.asyncDispose]())
beforeEach(() => scene.idp.front.beHonest())

const begin = (query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  scene.app.inject({ method: 'GET', url: scene.loginUrl, query, headers })
const journeyOf = (address: string) =>
  scene.app.db.first(
    q
      .selectFrom('sso_sessions')
      .selectAll()
      .where('state', '=', new URL(address).searchParams.get('state') ?? ''),
  )
const rowOf = (app: TestApp, id: string) =>
  app.db.first(q.selectFrom('sso_providers').selectAll().where('id', '=', id)) as Updateable<SsoProviderTable>

describe('the authorization request', () => {
  test('asks for a code with state, nonce and challenge that bind the answer to this browser', async () => {
    const { idp, app, provider } = scene
    const answer = await begin({ redirect: '/devices?status=online' })
    expect(answer.statusCode).toBe(302)
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    const address = new URL(String(answer.headers.location))
    expect(address.origin + address.pathname).toBe(`${idp.issuer}/auth`)
    const { state, nonce, code_challenge: challenge, ...rest } = Object.fromEntries(address.searchParams)
    expect(rest).toEqual({
      client_id: idp.clientId,
      response_type: 'code',
      scope: 'openid profile email',
      redirect_uri: `${applianceOrigin}/api/v1/sso/callback`,
      code_challenge_method: 'S256',
    })
    const journey = journeyOf(address.href)
    expect(journey).toMatchObject({
      state,
      nonce,
      mode: 'login',
      provider_id: provider.id,
      provider_version: provider.configVersion,
      redirect_url: '/devices?status=online',
      link_user_id: null,
    })
    expect(Date.parse(String(journey?.expires_at)) - app.clock.now()).toBe(10 * minute)
    expect(journey?.code_verifier).not.toBe(challenge)
    expect(answer.cookies).toMatchObject([{ name: 'svc_sso_state', value: expect.not.stringContaining(String(state)) }])
  })

  test('is never the same twice', async () => {
    const addresses = await Promise.all([begin(), begin()])
    const [one, two] = addresses.map(({ headers }) => new URL(String(headers.location)).searchParams)
    for (const name of ['state', 'nonce', 'code_challenge']) expect(one?.get(name)).not.toBe(two?.get(name))
  })

  const wishes: [query: Record<string, string>, passed: Record<string, string>][] = [
    [{ login_hint: 'alice@corp.test' }, { login_hint: 'alice@corp.test' }],
    [{ login_hint: 'alice' }, {}],
    [{ login_hint: 'alice@corp.test\u0007' }, {}],
    [{ login_hint: `${'a'.repeat(320)}@corp.test` }, {}],
    [{ prompt: 'login' }, { prompt: 'login' }],
    [{ prompt: 'select_account' }, { prompt: 'select_account' }],
    [{ prompt: 'none' }, {}],
    [{ client_id: 'other', scope: 'offline_access', redirect_uri: 'https://evil.example' }, {}],
  ]
  test.each(wishes)('with %j passes on %j', async (query, passed) => {
    const { searchParams } = new URL(String((await begin(query)).headers.location))
    const { login_hint, prompt, client_id, scope } = Object.fromEntries(searchParams)
    expect({ ...(login_hint && { login_hint }), ...(prompt && { prompt }) }).toEqual(passed)
    expect([client_id, scope]).toEqual([scene.idp.clientId, 'openid profile email'])
  })
})

test('of the latest attempt is the only one that can be completed', async () => {
  const browser = scene.browser()
  const first = await browser.callbackFrom(`${scene.loginUrl}?login_hint=alice@corp.test`)
  const second = await browser.callbackFrom(`${scene.loginUrl}?login_hint=alice@corp.test`)
  expect((await browser.visit(first)).path).toBe('/login?error=session_expired')
  // The refusal cleared its cookie.
  expect((await browser.visit(second)).path).toBe('/login?error=session_expired')
  const third = await browser.callbackFrom(`${scene.loginUrl}?login_hint=alice@corp.test`)
  expect((await browser.visit(third)).path).toMatch(/^\/#ssoCode=/)
})

test('over plain HTTP has a cookie without Secure, except in production', async () => {
  for (const [NODE_ENV, isSecure] of [
    ['development', false],
    ['production', true],
  ] as const) {
    await using own = await testApp({ env: { PUBLIC_URL: 'http://homeport.test', NODE_ENV }, logs: true })
    const admin = await bootstrapped(own)
    const { id } = await organizationOf(own, admin.token)
    const provider = await readyProvider(own, await sessionOf(own, admin.userId, 'totp'), scene.idp, {
      orgId: id,
      issuer: null,
    })
    setProvider(own, provider.id, {
      issuer: 'https://idp.invalid',
      authorization_url: 'https://idp.invalid/auth',
      token_url: 'https://idp.invalid/token',
      jwks_url: 'https://idp.invalid/keys',
    })
    const { cookies } = await own.inject({ method: 'GET', url: `/api/v1/sso/login/${id}` })
    expect(cookies[0]?.secure === true).toBe(isSecure)
    expect(own.logLines.some((line) => line.includes('single sign-on needs https'))).toBe(isSecure)
  }
})

test('is forgotten when nobody returns', async () => {
  await using own = await ssoScene({ env: unlimited })
  const { app } = own
  await own.browser().callbackFrom(`${own.loginUrl}?login_hint=alice@corp.test`)
  expect((await own.browser().visit(`${own.loginUrl}?login_hint=alice@corp.test`)).path).toMatch(/^\/#ssoCode=/)
  const left = () => [app.rowCounts().sso_sessions, app.rowCounts().sso_exchange_grants]
  app.clock.advance(minute)
  await app.app.jobs.runNow('sso.prune')
  expect(left()).toEqual([1, 1])
  app.clock.advance(minute)
  await app.app.jobs.runNow('sso.prune')
  expect(left()).toEqual([1, 0])
  app.clock.advance(8 * minute)
  await app.app.jobs.runNow('sso.prune')
  expect(left()).toEqual([0, 0])
})

test('query parameters of invalid requests are not logged', async () => {
  await using app = await testApp({ logs: true })
  const secret = 'a-code-that-is-nobodys-business'
  const admin = await bootstrapped(app)
  const { id } = await organizationOf(app, admin.token)
  app.db.statement('ALTER TABLE sso_providers RENAME COLUMN status TO gone').run()
  const urls = ['callback%', 'callback/nowhere', '%ZZ', 'callback', `login/${id}`].map((path) => `/api/v1/sso/${path}`)
  const answers = await Promise.all(urls.map((url) => app.inject({ method: 'GET', url: `${url}?code=${secret}` })))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([400, 404, 400, 302, 500])
  const { port } = new URL(await app.app.fastify.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), '127.0.0.1')
  socket.end(`GET /api/v1/sso/callback?code=${secret} HTTP/9.9\r\n\r\n`)
  await once(socket.resume(), 'close')
  const written = app.logLines.join('\n')
  expect(written).toContain('A request failed')
  // As a list of bytes it could be logged, too.
  expect(written).toContain('"rawPacket":"[redacted]"')
  expect(written).not.toContain(secret)
})

describe('without a usable provider', () => {
  const answer = async (app: TestApp, orgId: string) => {
    const { status, body } = await app.call(ssoLogin, { params: { orgId } })
    return [status, body.error]
  }
  const none = [404, 'No active SSO provider for this organization']

  test('a missing, inactive or testing provider and a closed owner answer 404', async () => {
    const { app, org, admin, provider } = scene
    expect(await answer(app, '019a0000-0000-7000-8000-000000000000')).toEqual(none)
    expect(await answer(app, (await organizationOf(app, admin.token)).id)).toEqual(none)
    expect((await app.call(ssoLogin, { params: { orgId: 'no-id' } })).status).toBe(400)
    for (const status of ['inactive', 'testing'] as const) {
      setProvider(app, provider.id, { status })
      expect(await answer(app, org.id), `${status}`).toEqual(none)
    }
    setProvider(app, provider.id, { status: 'active' })
    setOrganization(app, org.id, { status: 'suspended' })
    expect(await answer(app, org.id)).toEqual(none)
    setOrganization(app, org.id, { status: 'active' })
    setPartner(app, admin.partnerId, { status: 'suspended' })
    expect(await answer(app, org.id)).toEqual(none)
    setPartner(app, admin.partnerId, { status: 'active' })
    expect((await begin()).statusCode).toBe(302)
  })

  test('a company has a sign-in address of its own', async () => {
    const { app, idp, admin, org } = scene
    const params = { partnerId: admin.partnerId }
    const before = await app.call(ssoLoginOfPartner, { params })
    expect([before.status, before.body.error]).toEqual([404, 'No active SSO provider for this partner'])
    const { id } = await readyProvider(app, admin.token, idp, { ownerScope: 'partner' })
    const { status, headers } = await app.call(ssoLoginOfPartner, { params })
    expect([status, journeyOf(String(headers.location))?.provider_id]).toEqual([302, id])
    const other = await otherCompany(app)
    expect((await app.call(ssoLoginOfPartner, { params: { partnerId: other.partnerId } })).status).toBe(404)
    expect((await app.call(ssoLoginOfPartner, { params: { partnerId: org.id } })).status).toBe(404)
    app.db.run(q.deleteFrom('sso_providers').where('id', '=', id))
  })

  const incomplete: [values: Updateable<SsoProviderTable>, error: string][] = [
    [{ type: 'saml' }, 'Only OIDC login is currently supported'],
    [{ client_id: null }, 'Provider is not fully configured'],
    [{ client_secret: null }, 'Provider is not fully configured'],
    [{ issuer: null }, 'Provider is not fully configured'],
    [{ client_secret: 'v1:AAAA' }, 'SSO provider configuration is invalid'],
    [{ authorization_url: 'https://127.0.0.1/auth' }, 'SSO provider configuration is invalid'],
    [{ token_url: 'http://idp.example/token' }, 'SSO provider configuration is invalid'],
    [{ userinfo_url: 'https://169.254.169.254/me' }, 'SSO provider configuration is invalid'],
    [{ jwks_url: 'https://[::ffff:10.0.0.1]/keys' }, 'SSO provider configuration is invalid'],
    [{ authorization_url: 'https://idp.invalid/auth?state=x' }, 'SSO provider configuration is invalid'],
    [
      { discovery_metadata: toJson({ id_token_signing_alg_values_supported: ['none', 'HS256'] }) },
      'SSO provider configuration is invalid',
    ],
  ]
  test.each(incomplete)('a provider with %j is refused', async (values, error) => {
    const { app, org, provider } = scene
    const before = rowOf(app, provider.id)
    const { sso_sessions } = app.rowCounts()
    setProvider(app, provider.id, { ...values, config_version: 1000 })
    expect(await answer(app, org.id)).toEqual([400, error])
    setProvider(app, provider.id, before)
    expect(app.rowCounts().sso_sessions).toBe(sso_sessions)
    expect((await begin()).statusCode).toBe(302)
  })

  test('a provider whose names cannot be resolved still gets the request', async () => {
    const { app, provider, org } = scene
    const before = rowOf(app, provider.id)
    const [authorization_url, token_url] = ['https://idp.invalid/auth', 'https://idp.invalid/token']
    const elsewhere = { authorization_url, token_url, userinfo_url: null, jwks_url: 'https://idp.invalid/keys' }
    setProvider(app, provider.id, { ...elsewhere, config_version: 1001 })
    const { status, headers } = await app.call(ssoLogin, { params: { orgId: org.id } })
    setProvider(app, provider.id, before)
    expect(status).toBe(302)
    expect(String(headers.location)).toMatch(/^https:\/\/idp\.invalid\/auth\?.*code_challenge_method=S256/)
  })
})

describe('missing endpoints', () => {
  const missing = { authorization_url: null, token_url: null, userinfo_url: null, jwks_url: null }
  const found = ({ issuer }: OpenIdProvider) => ({
    issuer,
    authorization_url: `${issuer}/auth`,
    token_url: `${issuer}/token`,
    userinfo_url: `${issuer}/me`,
    jwks_url: `${issuer}/jwks`,
    discovery_error: null,
  })
  const version = () => Number(rowOf(scene.app, scene.provider.id).config_version)
  const forget = (values: Updateable<SsoProviderTable> = missing) =>
    setProvider(scene.app, scene.provider.id, { ...values, config_version: version() + 1 })

  test('are discovered at the first of ten simultaneous sign-ins, which invalidates those in progress', async () => {
    const { app, idp, provider } = scene
    const browser = scene.browser()
    const old = await browser.callbackFrom(`${scene.loginUrl}?login_hint=alice@corp.test`)
    forget({ ...missing, issuer: `${idp.issuer}/`, discovery_metadata: null, discovery_error: 'it was out of reach' })
    const before = version()
    idp.front.forgetRequests()
    const answers = await Promise.all(Array.from({ length: 10 }, () => begin()))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(302))
    expect(idp.front.requests.discovery).toBe(1)
    expect(rowOf(app, provider.id)).toMatchObject({ ...found(idp), config_version: before + 1 })
    expect(journeyOf(String(answers[0]?.headers.location))?.provider_version).toBe(before + 1)
    expect((await browser.visit(old)).path).toBe('/login?error=sso_config_changed')
    expect((await scene.browser().visit(`${scene.loginUrl}?login_hint=alice@corp.test`)).path).toMatch(/#ssoCode=/)
  })

  test('are discovered once a minute while the provider is out of reach', async () => {
    const { app, idp } = scene
    forget()
    const before = version()
    idp.front.forgetRequests()
    idp.front.tamper('discovery', failing(503, 'down'))
    for (let count = 0; count < 3; count++) {
      const answer = await begin()
      expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([400, 'OIDC discovery failed'])
    }
    expect(idp.front.requests.discovery).toBe(1)
    expect(version()).toBe(before)
    idp.front.beHonest()
    expect((await begin()).statusCode).toBe(400)
    app.clock.advance(minute)
    expect((await begin()).statusCode).toBe(302)
  })

  test('do not replace those entered by hand', async () => {
    const { app, idp, provider } = scene
    forget({ ...missing, token_url: `${idp.issuer}/token?tenant=a` })
    expect((await begin()).statusCode).toBe(302)
    const token_url = `${idp.issuer}/token?tenant=a`
    expect(rowOf(app, provider.id)).toMatchObject({ ...found(idp), token_url })
    forget(found(idp))
  })

  test('if only that of the keys is missing, the sign-in starts but cannot be completed', async () => {
    const { idp } = scene
    forget({ ...found(idp), jwks_url: null })
    idp.front.tamper('discovery', failing(503, 'down'))
    const landing = await scene.browser().visit(`${scene.loginUrl}?login_hint=alice@corp.test`)
    expect(landing.path).toBe('/login?error=sso_provider_unverified')
    forget(found(idp))
  })
})

describe('a browser that follows a link', () => {
  const navigates = { 'sec-fetch-mode': 'navigate', host: 'homeport.test' }
  const goes = async (headers: Record<string, string> = navigates, url = scene.loginUrl) => {
    const { statusCode, headers: answered } = await scene.app.inject({ method: 'GET', url, headers })
    return statusCode === 302 ? String(answered.location) : statusCode
  }

  test('is first redirected to the host where the provider will return it', async () => {
    const { loginUrl } = scene
    const wanted = '?redirect=%2Fdevices&login_hint=a%40corp.test'
    const first = await goes({ ...navigates, host: '192.168.1.9:8443' }, loginUrl + wanted)
    expect(first).toBe(`${applianceOrigin}${loginUrl}${wanted}&moved=1`)
    // A proxy that sends another host name must not cause a redirect loop.
    const { pathname, search } = new URL(String(first))
    expect(await goes({ ...navigates, host: '192.168.1.9:8443' }, pathname + search)).toContain(scene.idp.issuer)
    expect(await goes()).toContain(scene.idp.issuer)
    expect(await goes({ host: '192.168.1.9:8443' })).toContain(scene.idp.issuer)
  })

  test('gets the reason of a refusal on the page of the console', async () => {
    const { app, provider } = scene
    const before = rowOf(app, provider.id)
    const ends = async (values: Updateable<SsoProviderTable>) => {
      setProvider(app, provider.id, { ...values, config_version: 1002 })
      const path = await goes()
      setProvider(app, provider.id, before)
      return path
    }
    expect(await ends({ status: 'inactive' })).toBe('/login?error=sso_unavailable')
    expect(await ends({ type: 'saml' })).toBe('/login?error=sso_unavailable')
    expect(await ends({ client_id: null })).toBe('/login?error=sso_not_ready')
    expect(await ends({ token_url: 'https://10.0.0.1/' })).toBe('/login?error=sso_not_ready')
  })
})

test('sign-in attempts are limited by address, with an IPv6 network counting as one', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const org = await organizationOf(app, admin.token)
  enforcingProvider(app, { orgId: org.id })
  const from = async (remoteAddress: string, orgId = org.id, headers = {}) => {
    const url = `/api/v1/sso/login/${orgId}`
    return app.inject({ method: 'GET', url, remoteAddress, headers })
  }
  for (let count = 0; count < 10; count++) expect((await from(`2001:db8::${count}`)).statusCode).toBe(400)
  const refused = await from('2001:db8::ffff')
  expect([refused.statusCode, refused.json()]).toMatchObject([
    429,
    { error: 'Too many login attempts. Please try again later.', retryAfter: 300 },
  ])
  expect((await from('2001:db8:0:1::1')).statusCode).toBe(400)
  const page = await from('2001:db8::1', `${org.id}?moved=1`, { 'sec-fetch-mode': 'navigate' })
  expect(page.headers.location).toBe('/login?error=rate_limited')
  for (let count = 0; count < 30; count++) {
    const orgId = `019a0000-0000-7000-8000-0000000000${10 + count}`
    expect((await from('10.0.0.9', orgId)).statusCode).toBe(404)
  }
  expect((await from('10.0.0.9')).statusCode).toBe(429)
})
