import { generateKeyPairSync } from 'node:crypto'
import { EncryptJWT, importJWK, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { q } from '../../server/db/query.ts'
import type { SsoErrorCode } from '../../shared/sso-codes.ts'
import { signed, signedWithPublicKey, signingKey, unsigned } from '../helpers/openid-keys.ts'
import { failing, type IdTokenClaims, saying, withIdToken } from '../helpers/openid-tampering.ts'
import { type SsoScene, ssoScene } from '../helpers/sso-kit.ts'
import { expectRefusal } from '../helpers/sso-refusal.ts'

/** Requirements for an ID token, each tested with a forged token in the real flow. */

let scene: SsoScene

beforeAll(async () => {
  scene = await ssoScene({
    // The worst case: the discovery document promises that everything is supported.
    prepare: ({ front }) =>
      front.tamper('discovery', saying({ id_token_signing_alg_values_supported: ['none', 'HS256', 'EdDSA', 'RS256'] })),
  })
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => {
  scene.idp.front.beHonest()
  vi.useRealTimers()
})

const begin = async () => {
  const browser = scene.browser()
  const callback = await browser.callbackFrom(`${scene.loginUrl}?login_hint=alice@corp.test`)
  return { callback, arrive: () => browser.visit(callback) }
}

const now = () => Math.floor(Date.now() / 1000)

/** Signed by the right key with other claims; `undefined` omits one. */
const claiming = (change: IdTokenClaims | ((claims: IdTokenClaims) => IdTokenClaims)) =>
  withIdToken((claims) =>
    signed({ ...claims, ...(typeof change === 'function' ? change(claims) : change) }, scene.idp.key),
  )

const ecKey = generateKeyPairSync('ed25519')

const forgeries: Record<string, ReturnType<typeof withIdToken>> = {
  'by another key under the same name': withIdToken((claims) => signed(claims, signingKey(scene.idp.key.kid))),
  'with a signature of other claims': withIdToken(async (claims) => {
    const [head, , signature] = (await signed(claims, scene.idp.key)).split('.')
    return [head, Buffer.from(JSON.stringify({ ...claims, amr: ['mfa'] })).toString('base64url'), signature].join('.')
  }),
  'unsigned, where the provider says it may be': withIdToken(unsigned),
  'unsigned, with what stood for a signature before': withIdToken(async (claims) => {
    const signature = (await signed(claims, scene.idp.key)).split('.')[2]
    return unsigned(claims) + signature
  }),
  'by HS256 with the public key as secret': withIdToken((claims) => signedWithPublicKey(claims, scene.idp.key)),
  'by HS256 with the client secret': withIdToken((claims) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(scene.idp.clientSecret)),
  ),
  'of another issuer': claiming({ iss: 'https://idp.evil.test' }),
  'of an issuer with a slash more': claiming(({ iss }) => ({ iss: `${iss}/` })),
  'of no issuer': claiming({ iss: undefined }),
  'for another client': claiming({ aud: 'another-client' }),
  'for other clients': claiming({ aud: ['another-client', 'third-client'], azp: 'another-client' }),
  'for nobody': claiming({ aud: undefined }),
  'for several clients, of which none is named as the party': claiming({ aud: ['homeport', 'another-client'] }),
  'for several clients, issued to another': claiming({ aud: ['homeport', 'another-client'], azp: 'another-client' }),
  'for this client, issued to another': claiming({ azp: 'another-client' }),
  'for this client in a list, issued to another': claiming({ aud: ['homeport'], azp: 'another-client' }),
  'for this client, issued to something that is no name': claiming({ azp: ['homeport'] }),
  'that is over for more than a minute': claiming(() => ({ exp: now() - 75 })),
  'that is never over': claiming({ exp: undefined }),
  'that is over at no time': claiming({ exp: 'tomorrow' }),
  'that is not good yet': claiming(() => ({ nbf: now() + 75 })),
  'of no time': claiming({ iat: undefined }),
  'of the future': claiming(() => ({ iat: now() + 75 })),
  'without nonce': claiming({ nonce: undefined }),
  'with the nonce of another sign-in': claiming({ nonce: 'f'.repeat(64) }),
  'with the nonce in a list': claiming(({ nonce }) => ({ nonce: [nonce] })),
  'about a number': claiming({ sub: 4711 }),
  'about nobody': claiming({ sub: undefined }),
  'with a header that has to be understood': withIdToken((claims) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: scene.idp.key.kid, crit: ['b64'], b64: true })
      .sign(scene.idp.key.privateKey),
  ),
  'that is encrypted': withIdToken((claims) =>
    new EncryptJWT(claims)
      .setProtectedHeader({ alg: 'RSA-OAEP', enc: 'A256GCM', kid: scene.idp.key.kid })
      .encrypt(scene.idp.key.publicKey),
  ),
  'that is no token': withIdToken(() => 'not.a.token'),
  'that is no text': () => ({ body: JSON.stringify({ access_token: 'x', token_type: 'Bearer', id_token: {} }) }),
}

describe('an ID token is refused', () => {
  test.each(Object.entries(forgeries))('%s', async (_name, forgery) => {
    const { callback, arrive } = await begin()
    const { front } = scene.idp
    const { token } = front.requests
    front.tamper('token', forgery)
    await expectRefusal(scene, callback, 'sso_error', arrive)
    expect(front.requests.token).toBe(token + 1)
  })

  test('signed with a key of a kind that is not accepted, even if it is published and promised', async () => {
    const { callback, arrive } = await begin()
    const jwk = { ...ecKey.publicKey.export({ format: 'jwk' }), kid: 'ed', alg: 'EdDSA', use: 'sig' }
    scene.idp.front.tamper(
      'jwks',
      saying(({ keys }) => ({ keys: [...(keys as object[]), jwk] })),
    )
    scene.idp.front.tamper(
      'token',
      withIdToken(async (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'EdDSA', kid: 'ed' })
          .sign(await importJWK({ ...ecKey.privateKey.export({ format: 'jwk' }), alg: 'EdDSA' })),
      ),
    )
    await expectRefusal(scene, callback, 'sso_error', arrive)
  })

  test('if it is missing', async () => {
    const { callback, arrive } = await begin()
    scene.idp.front.tamper(
      'token',
      withIdToken(() => null),
    )
    await expectRefusal(scene, callback, 'sso_no_id_token', arrive)
  })
})

describe('userinfo is refused', () => {
  const answers: [string, SsoErrorCode, ReturnType<typeof saying>][] = [
    ['of another person', 'sso_subject_mismatch', saying({ sub: 'bob', email: 'bob@corp.test' })],
    ['of nobody', 'sso_subject_mismatch', saying({ sub: undefined })],
    ['as a failure', 'sso_error', failing(500, 'server_error')],
    ['as a refusal', 'sso_error', failing(401, 'invalid_token')],
  ]
  test.each(answers)('%s', async (_name, code, answer) => {
    const { callback, arrive } = await begin()
    scene.idp.front.tamper('userinfo', answer)
    await expectRefusal(scene, callback, code, arrive)
  })
})

describe('an ID token is accepted', () => {
  const genuine: Record<string, ReturnType<typeof withIdToken>> = {
    'for this client in a list of one': claiming({ aud: ['homeport'] }),
    'for several clients, issued to this one': claiming({ aud: ['another-client', 'homeport'], azp: 'homeport' }),
    'that has just run out, by clocks that differ': claiming(() => ({ exp: now() - 30 })),
    'of a moment ahead, by clocks that differ': claiming(() => ({ iat: now() + 30 })),
    'without the name of its key, while there is only one': withIdToken((claims) =>
      signed(claims, scene.idp.key, null),
    ),
  }
  test.each(Object.entries(genuine))('%s', async (_name, token) => {
    const { arrive } = await begin()
    scene.idp.front.tamper('token', token)
    expect((await arrive()).path).toMatch(/^\/#ssoCode=/)
  })
})

describe('keys', () => {
  /** A scene whose appliance has not fetched any keys yet; its clocks are moved by hand. */
  const sceneWithClock = async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const own = await ssoScene()
    const signIn = async () => {
      const browser = own.browser()
      return (await browser.visit(await browser.callbackFrom(`${own.loginUrl}?login_hint=alice@corp.test`))).path
    }
    const later = (seconds: number) => {
      vi.setSystemTime(Date.now() + seconds * 1000)
      own.app.clock.advance(seconds * 1000)
    }
    return { ...own, signIn, later }
  }

  test('an unknown key is looked up once a minute, and then a rotated one works', async () => {
    await using own = await sceneWithClock()
    const { front } = own.idp
    expect(await own.signIn()).toMatch(/^\/#ssoCode=/)
    expect(front.requests.jwks).toBe(1)
    own.idp.rotateKeys()
    own.later(30)
    for (let attempt = 0; attempt < 3; attempt++) expect(await own.signIn()).toBe('/login?error=sso_error')
    expect(front.requests.jwks).toBe(1)
    own.later(31)
    expect(await own.signIn()).toMatch(/^\/#ssoCode=/)
    expect(front.requests.jwks).toBe(2)
    // The set is fresh: a token with the removed key does not cause another request.
    front.tamper(
      'token',
      withIdToken((claims) => signed(claims, signingKey('first'))),
    )
    expect(await own.signIn()).toBe('/login?error=sso_error')
    expect(front.requests.jwks).toBe(2)
  })

  test('a key rotation during a sign-in does not stop it', async () => {
    await using own = await sceneWithClock()
    expect(await own.signIn()).toMatch(/^\/#ssoCode=/)
    const browser = own.browser()
    const callback = await browser.callbackFrom(`${own.loginUrl}?login_hint=alice@corp.test`)
    own.later(61)
    own.idp.rotateKeys()
    expect((await browser.visit(callback)).path).toMatch(/^\/#ssoCode=/)
  })

  test('of several matching keys none is guessed, and one for another use is not taken', async () => {
    const stranger = signingKey('stranger')
    const published = (key: typeof stranger, change: object) => ({
      ...key.publicKey.export({ format: 'jwk' }),
      ...change,
    })
    const sets: Record<string, object[]> = {
      several: [published(scene.idp.key, { use: 'sig' }), published(stranger, { kid: 'stranger', use: 'sig' })],
      'for encryption': [published(scene.idp.key, { use: 'enc' })],
      'for another algorithm': [published(scene.idp.key, { alg: 'RS512' })],
    }
    for (const keys of Object.values(sets)) {
      await using own = await ssoScene()
      own.idp.front.tamper('jwks', saying({ keys }))
      own.idp.front.tamper(
        'token',
        withIdToken((claims) => signed(claims, scene.idp.key, null)),
      )
      const browser = own.browser()
      const callback = await browser.callbackFrom(`${own.loginUrl}?login_hint=alice@corp.test`)
      await expectRefusal(own, callback, 'sso_error', () => browser.visit(callback))
    }
  })
})

test('an ID token with the address needs no userinfo, and the secret is sent as the provider requires', async () => {
  const wanted = { token_endpoint_auth_methods_supported: ['client_secret_basic'], userinfo_endpoint: undefined }
  const { clientId, clientSecret } = scene.idp.basic
  await using own = await ssoScene({
    idp: { emailInIdToken: true },
    provider: { clientId, clientSecret },
    prepare: ({ front }) => front.tamper('discovery', saying(wanted)),
  })
  const browser = own.browser()
  const callback = await browser.callbackFrom(`${own.loginUrl}?login_hint=alice@corp.test`)
  expect((await browser.visit(callback)).path).toMatch(/^\/#ssoCode=/)
  expect(own.idp.front.requests).toMatchObject({ token: 1, userinfo: 0 })
  expect(own.idp.front.schemes).toEqual(['Basic'])
  // In the body if the provider allows both.
  expect(new Set(scene.idp.front.schemes)).toEqual(new Set([null]))
})

test('a provider that offers only unacceptable algorithms answers 400', async () => {
  await using own = await ssoScene({
    prepare: ({ front }) =>
      front.tamper('discovery', saying({ id_token_signing_alg_values_supported: ['none', 'HS256'] })),
  })
  const answer = await own.browser().inject({ method: 'GET', url: own.loginUrl })
  expect(answer.statusCode).toBe(400)
  expect(answer.json()).toMatchObject({ error: 'SSO provider configuration is invalid' })
  expect(own.app.db.first(q.selectFrom('sso_sessions').selectAll())).toBeUndefined()
})

test.each([
  ['empty', '', 'sso_subject_mismatch'],
  ['longer than any provider makes it', 's'.repeat(256), 'sso_no_subject'],
] as const)('a subject that is %s is refused', async (_name, sub, code) => {
  const { callback, arrive } = await begin()
  scene.idp.front.tamper('token', claiming({ sub }))
  scene.idp.front.tamper('userinfo', saying({ sub }))
  await expectRefusal(scene, callback, code, arrive)
})
