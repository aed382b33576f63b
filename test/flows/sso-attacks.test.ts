import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { testSsoProvider } from '../../shared/api/sso-providers.ts'
import type { SsoErrorCode } from '../../shared/sso-codes.ts'
import { applianceOrigin, openIdProvider } from '../helpers/openid-provider.ts'
import {
  asHtml,
  bombing,
  failing,
  hanging,
  type OpenIdEndpoint,
  oversized,
  redirecting,
  saying,
  type Tampering,
} from '../helpers/openid-tampering.ts'
import { landingOf } from '../helpers/sso-browser.ts'
import { readyProvider, type SsoScene, ssoScene } from '../helpers/sso-kit.ts'
import { expectRefusal } from '../helpers/sso-refusal.ts'
import { times } from '../helpers/thorough.ts'

/** Attacks on the way to an identity provider and back: by links, by other browsers, by the answers of the provider. */

let scene: SsoScene

beforeAll(async () => {
  scene = await ssoScene()
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => scene.idp.front.beHonest())

const begin = async (query = '') => {
  const browser = scene.browser()
  const callback = await browser.callbackFrom(`${scene.loginUrl}?login_hint=alice@corp.test${query}`)
  return { browser, callback, arrive: () => browser.visit(callback) }
}

/** The callback with other parameters; null removes one. */
const changed = (callback: URL, change: Record<string, string | null>): URL => {
  const url = new URL(callback)
  for (const [name, value] of Object.entries(change))
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  return url
}

const twice = (callback: URL, name: string, value = callback.searchParams.get(name) ?? ''): URL => {
  const url = new URL(callback)
  url.searchParams.append(name, value)
  return url
}

const welcome = expect.stringMatching(/^\/#ssoCode=/)

describe('a return path never leads away from the appliance', () => {
  const hostile = [
    '/.//evil.example',
    '/x/..//evil.example',
    '/%2e//evil.example',
    '/./%2e//evil.example',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    '@evil.example',
    '.evil.example',
    ' //evil.example',
    '/api/v1/users/me',
    '/x/../api/v1/users/me',
    '/%61pi/v1/users/me',
    `/${'x'.repeat(501)}`,
    '',
  ]

  test.each(hostile)('with the redirect %j', async (redirect) => {
    const { callback, arrive } = await begin(`&redirect=${encodeURIComponent(redirect)}`)
    expect(scene.underWay(callback)?.redirect_url).toBe('/')
    expect((await arrive()).path).toEqual(welcome)
  })

  test('with random redirects, also repeated ones', async () => {
    const piece = fc.constantFrom(
      ...['/', '\\', '.', '..', '%2e', '%2f', '%5c', '//', '\t', '\r', '\n', '\0', ' ', '@', ':', '?', '#', 'https:'],
      ...['evil.example', 'api', '%61pi', 'x', '／', '。', '\u200b', '[::1]'],
    )
    const step = fc.constantFrom('', '.', '..', '%2e', '%2E%2e', 'x', 'api', '%61pi', 'evil.example')
    const redirect = fc.oneof(
      fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join('')),
      fc.array(step, { maxLength: 6 }).map((steps) => `/${steps.join('/')}`),
    )
    const startUrl = (values: string[]) =>
      `${scene.loginUrl}?${values.map((value) => `redirect=${encodeURIComponent(value)}`).join('&')}`
    await fc.assert(
      fc.asyncProperty(fc.array(redirect, { minLength: 1, maxLength: 2 }), async (values) => {
        const answer = await scene.browser().inject({ method: 'GET', url: startUrl(values) })
        // No endpoint takes this one character.
        const isTaken = !values.join('').includes('\0')
        expect(answer.statusCode).toBe(isTaken ? 302 : 400)
        if (!isTaken) return
        const state = new URL(String(answer.headers.location)).searchParams.get('state') ?? ''
        const row = scene.app.db.first(q.selectFrom('sso_sessions').selectAll().where('state', '=', state))
        const path = String(row?.redirect_url)
        expect(new URL(path, applianceOrigin).origin).toBe(applianceOrigin)
        expect(path).toMatch(/^\/(?![/\\])[\x20-\x7e]*$/)
        expect(path).not.toContain('#')
        expect(decodeURIComponent(new URL(path, applianceOrigin).pathname)).not.toMatch(/^\/+api(\/|$)/)
      }),
      { numRuns: times(300, 60) },
    )
  })

  test('with a redirect manipulated in the database', async () => {
    const { callback, arrive } = await begin('&redirect=/devices')
    const state = callback.searchParams.get('state') ?? ''
    const away = q.updateTable('sso_sessions').set({ redirect_url: '/.//evil.example' }).where('state', '=', state)
    scene.app.db.run(away)
    expect((await arrive()).path).toEqual(welcome)
  })

  test('and a valid redirect leads to its page', async () => {
    const { arrive } = await begin(`&redirect=${encodeURIComponent('/devices?status=online#top')}`)
    expect((await arrive()).path).toMatch(/^\/devices\?status=online#ssoCode=[\w-]{43}$/)
  })
})

describe('the callback belongs to the browser that began the sign-in', () => {
  test('without its cookie or with another one, the sign-in stays available to the right browser', async () => {
    const { callback, arrive } = await begin()
    const nobody = scene.browser()
    await expectRefusal(scene, callback, 'session_expired', () => nobody.visit(callback))
    const other = await begin()
    await expectRefusal(scene, callback, 'session_expired', () => other.browser.visit(callback))
    const forger = scene.browser()
    for (const value of ['', 'x', callback.searchParams.get('state') ?? '', '0'.repeat(64), 'ü'.repeat(64)])
      await expectRefusal(scene, callback, 'session_expired', async () => {
        const answer = await forger.inject({
          method: 'GET',
          url: callback.pathname + callback.search,
          headers: { cookie: `svc_sso_state=${encodeURIComponent(value)}` },
        })
        return landingOf(answer)
      })
    expect(scene.underWay(callback)).toBeDefined()
    expect((await arrive()).path).toEqual(welcome)
  })

  test("the callback of another person signs nobody in, not even during a sign-in of one's own", async () => {
    const attacker = await begin()
    const victim = await begin()
    await expectRefusal(scene, attacker.callback, 'session_expired', () => victim.browser.visit(attacker.callback))
    expect(scene.underWay(attacker.callback)).toBeDefined()
  })

  test('the cookie is SameSite=Lax and limited to the callback', async () => {
    const answer = await scene.browser().inject({ method: 'GET', url: scene.loginUrl })
    const cookie = [answer.headers['set-cookie']].flat().join('\n')
    expect(cookie).toMatch(/^svc_sso_state=[0-9a-f]{64};/)
    expect(cookie.split('; ').slice(1).sort()).toEqual(
      ['HttpOnly', 'Max-Age=600', 'Path=/api/v1/sso/callback', 'SameSite=Lax', 'Secure'].sort(),
    )
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  })
})

describe('replays', () => {
  test('of two simultaneous callbacks exactly one succeeds', async () => {
    const { browser, callback } = await begin()
    const { token } = scene.idp.front.requests
    const paths = await Promise.all([1, 2, 3].map(async () => (await browser.visit(callback)).path))
    expect(paths.filter((path) => path === '/login?error=session_expired')).toHaveLength(2)
    expect(paths).toContainEqual(welcome)
    expect(scene.idp.front.requests.token).toBe(token + 1)
  })

  test('after a failure at the token endpoint the callback is used up', async () => {
    const { browser, callback, arrive } = await begin()
    scene.idp.front.tamper('token', failing(503, 'temporarily_unavailable'))
    const cookie = browser.cookieHeader(callback)
    await expectRefusal(scene, callback, 'sso_error', arrive)
    scene.idp.front.beHonest()
    const { token } = scene.idp.front.requests
    const again = await scene
      .browser()
      .inject({ method: 'GET', url: callback.pathname + callback.search, headers: { cookie } })
    expect(again.headers.location).toBe('/login?error=session_expired')
    expect(scene.idp.front.requests.token).toBe(token)
  })

  test('a used callback is refused, even with its old cookie', async () => {
    const { browser, callback, arrive } = await begin()
    const cookie = browser.cookieHeader(callback)
    expect((await arrive()).path).toEqual(welcome)
    const again = await scene
      .browser()
      .inject({ method: 'GET', url: callback.pathname + callback.search, headers: { cookie } })
    expect(again.headers.location).toBe('/login?error=session_expired')
  })

  test('a code that was used already is refused in another sign-in', async () => {
    const first = await begin()
    expect((await first.arrive()).path).toEqual(welcome)
    const second = await begin()
    const replayed = changed(second.callback, { code: first.callback.searchParams.get('code') })
    await expectRefusal(scene, second.callback, 'sso_error', () => second.browser.visit(replayed))
  })

  test('a sign-in that took more than ten minutes is refused', async () => {
    await using own = await ssoScene()
    const browser = own.browser()
    const callback = await browser.callbackFrom(own.loginUrl.concat('?login_hint=alice@corp.test'))
    own.app.clock.advance(601_000)
    await expectRefusal(own, callback, 'session_expired', () => browser.visit(callback))
    expect(own.idp.front.requests.token).toBe(0)
  })
})

describe('parameters of the callback', () => {
  test('a code issued to another browser is refused', async () => {
    const stolen = await begin()
    const { browser, callback } = await begin()
    const injected = changed(callback, { code: stolen.callback.searchParams.get('code') })
    await expectRefusal(scene, stolen.callback, 'sso_error', () => browser.visit(injected))
  })

  const malformed: Record<string, [SsoErrorCode, (callback: URL) => URL]> = {
    'no state': ['invalid_callback', (url) => changed(url, { state: null })],
    'an empty state': ['invalid_callback', (url) => changed(url, { state: '' })],
    'the state twice': ['invalid_callback', (url) => twice(url, 'state')],
    'two states': ['invalid_callback', (url) => twice(url, 'state', 'f'.repeat(64))],
    'a state of another': ['session_expired', (url) => changed(url, { state: 'f'.repeat(64) })],
    'an endless state': ['session_expired', (url) => changed(url, { state: 'f'.repeat(10_000) })],
    'neither code nor error': ['invalid_callback', (url) => changed(url, { code: null })],
    'the code twice': ['sso_error', (url) => twice(url, 'code')],
    'two codes': ['sso_error', (url) => twice(url, 'code', 'another')],
    'another issuer': ['sso_error', (url) => changed(url, { iss: 'https://idp.evil.test' })],
    'no issuer where the provider promised one': ['sso_error', (url) => changed(url, { iss: null })],
    'the issuer twice': ['sso_error', (url) => twice(url, 'iss')],
    'a code and an error': ['sso_error', (url) => changed(url, { error: 'access_denied' })],
    'an ID token by the browser': ['sso_error', (url) => changed(url, { id_token: 'eyJ.e30.x' })],
    'a sealed response': ['sso_error', (url) => changed(url, { response: 'eyJ.e30.x' })],
  }
  test.each(Object.entries(malformed))('%s', async (_name, [code, change]) => {
    const { browser, callback } = await begin()
    const { token } = scene.idp.front.requests
    await expectRefusal(scene, callback, code, () => browser.visit(change(callback)))
    expect(scene.idp.front.requests.token).toBe(token)
  })

  test('text of the callback never appears on a page', async () => {
    const { browser, callback } = await begin()
    const { code } = Object.fromEntries(callback.searchParams)
    const shouting = changed(callback, {
      code: null,
      error: 'call +1 555 0100',
      error_description: '<b>Your account is locked, call +1 555 0100</b>',
      error_uri: 'https://evil.example',
      message: 'call',
    })
    expect(code).toBeDefined()
    await expectRefusal(scene, callback, 'sso_error', () => browser.visit(shouting))
  })

  test('nor does the error text of the provider when a user cancels', async () => {
    const browser = scene.browser()
    const callback = await browser.callbackFrom(`${scene.loginUrl}?login_hint=nobody@corp.test`)
    expect(callback.searchParams.get('error')).toBe('access_denied')
    await expectRefusal(scene, callback, 'sso_error', () => browser.visit(callback))
  })

  test('the address of the callback does not depend on the headers of a request', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
    const browser = scene.browser()
    const start = await browser.inject({ method: 'GET', url: `${scene.loginUrl}?login_hint=alice@corp.test`, headers })
    const location = new URL(String(start.headers.location))
    expect(location.searchParams.get('redirect_uri')).toBe(`${applianceOrigin}/api/v1/sso/callback`)
    const callback = await browser.callbackFrom(location.href)
    const answer = await browser.inject({ method: 'GET', url: callback.pathname + callback.search, headers })
    expect(answer.headers.location).toEqual(welcome)
  })

  test('a HEAD request uses up nothing', async () => {
    const { browser, callback, arrive } = await begin()
    const count = scene.app.rowCounts().sso_sessions
    for (const url of [scene.loginUrl, callback.pathname + callback.search])
      expect((await browser.inject({ method: 'HEAD', url })).statusCode).toBe(404)
    expect(scene.app.rowCounts().sso_sessions).toBe(count)
    expect((await arrive()).path).toEqual(welcome)
  })
})

describe('with two providers', () => {
  test('a response that names another issuer is refused, and its code is sent nowhere', async () => {
    await using own = await ssoScene()
    await using evil = await openIdProvider()
    const browser = own.browser()
    const callback = await browser.callbackFrom(`${own.loginUrl}?login_hint=alice@corp.test`)
    const mixedUp = changed(callback, { iss: evil.issuer })
    await expectRefusal(own, callback, 'sso_error', () => browser.visit(mixedUp))
    expect([own.idp.front.requests.token, evil.front.requests.token]).toEqual([0, 0])
  })

  test('a discovery document that names another issuer is refused', async () => {
    await using own = await ssoScene()
    const { issuer, front } = own.idp
    const params = { id: own.provider.id }
    const examine = () => own.app.call(testSsoProvider, { params }, { token: own.admin.token })
    for (const other of ['https://idp.evil.test', `${issuer}/tenant`, issuer.toUpperCase(), `${issuer}//`, '', null]) {
      front.tamper('discovery', saying({ issuer: other }))
      expect((await examine()).status).toBe(400)
    }
    front.tamper('discovery', saying({ issuer: `${issuer}/` }))
    expect((await examine()).status).toBe(200)
  })

  test('the issuer is taken from the discovery document, even if it was typed with a slash at the end', async () => {
    await using own = await ssoScene({ provider: { status: 'inactive' } })
    const issuer = `${own.idp.issuer}/`
    const { app, admin, org, idp } = own
    const typed = await readyProvider(app, admin.token, { ...idp, issuer }, { orgId: org.id })
    expect(typed.issuer).toBe(idp.issuer)
    const browser = own.browser()
    const callback = await browser.callbackFrom(`${own.loginUrl}?login_hint=alice@corp.test`)
    expect((await browser.visit(callback)).path).toEqual(welcome)
  })
})

describe('malicious answers of a provider', () => {
  const inside = () => `${scene.idp.issuer}/elsewhere/latest/meta-data`

  test.each([301, 302, 303, 307, 308])('a redirect with %d from the token endpoint is not followed', async (status) => {
    const { callback, arrive } = await begin()
    const { token } = scene.idp.front.requests
    scene.idp.front.tamper('token', redirecting(inside(), status))
    await expectRefusal(scene, callback, 'sso_error', arrive)
    expect(scene.idp.front.requests.token).toBe(token + 1)
  })

  const endpoints: OpenIdEndpoint[] = ['token', 'userinfo', 'jwks']
  const answers: [string, Tampering][] = [
    ['a redirect', ({ json }) => redirecting(inside())({ status: 200, json })],
    ['two MiB', oversized],
    ['two MiB in a few kilobytes of gzip', bombing],
    ['a page', asHtml],
    ['a failure', failing(500, 'server_error')],
    ['nothing', () => ({ body: '' })],
    ['a list', () => ({ body: '[]' })],
  ]
  test.each(answers)('%s', async (_name, answer) => {
    for (const endpoint of endpoints) {
      // Keys are cached: only an appliance that never signed anybody in requests them.
      await using own = endpoint === 'jwks' ? await ssoScene() : null
      const at = own ?? scene
      const browser = at.browser()
      const callback = await browser.callbackFrom(`${at.loginUrl}?login_hint=alice@corp.test`)
      at.idp.front.tamper(endpoint, answer)
      await expectRefusal(at, callback, 'sso_error', () => browser.visit(callback))
      at.idp.front.beHonest()
    }
  })

  test('keys that never arrive in full end in a refused sign-in', async () => {
    await using own = await ssoScene()
    const browser = own.browser()
    const callback = await browser.callbackFrom(`${own.loginUrl}?login_hint=alice@corp.test`)
    own.idp.front.tamper('jwks', hanging)
    await expectRefusal(own, callback, 'sso_error', () => browser.visit(callback))
  })
})

test.each(['sso_sessions', 'sso_exchange_grants', 'user_sso_identities'])(
  'an internal failure at %s reveals nothing and logs no secret',
  async (table) => {
    await using own = await ssoScene()
    const browser = own.browser()
    const callback = await browser.callbackFrom(`${own.loginUrl}?login_hint=alice@corp.test`)
    await expectRefusal(own, callback, 'sso_error', () => {
      own.app.db
        .statement(`CREATE TRIGGER "full" BEFORE ${table === 'sso_sessions' ? 'DELETE' : 'INSERT'} ON ${table}
        BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`)
        .run()
      return browser.visit(callback)
    })
  },
)

test('a successful sign-in logs neither codes nor tokens', async () => {
  const { browser, callback } = await begin()
  const row = scene.underWay(callback)
  const landing = await browser.visit(callback)
  const code = new URLSearchParams(landing.url.hash.slice(1)).get('ssoCode') ?? ''
  const answer = await browser.inject({
    method: 'POST',
    url: '/api/v1/sso/exchange',
    headers: { origin: applianceOrigin, 'content-type': 'application/json' },
    payload: JSON.stringify({ code }),
  })
  expect(answer.statusCode).toBe(200)
  const { accessToken, refreshToken } = answer.json<Record<string, string>>()
  const written =
    scene.app.logLines.join('\n') + JSON.stringify(scene.app.db.statement('SELECT * FROM audit_logs').all())
  const { state, nonce, code_verifier: verifier } = row ?? {}
  for (const secret of [code, accessToken, refreshToken, state, nonce, verifier, callback.searchParams.get('code')]) {
    expect(secret).toBeTruthy()
    expect(written).not.toContain(secret)
  }
})
