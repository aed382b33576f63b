import * as client from 'openid-client'
import { Agent, fetch } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { signed, signedWithPublicKey, signingKey, unsigned } from './openid-keys.ts'
import { applianceOrigin, callbackPath, openIdProvider } from './openid-provider.ts'
import { asHtml, bombing, hanging, oversized, redirecting, saying, withIdToken } from './openid-tampering.ts'
import { SsoBrowser } from './sso-browser.ts'
import { testApp } from './test-app.ts'

const redirectUri = applianceOrigin + callbackPath

/** A client of the library alone, and a browser that can go to the provider. */
async function relyingParty(wanted: Parameters<typeof openIdProvider>[0] = {}, auth: 'post' | 'basic' = 'post') {
  const idp = await openIdProvider(wanted)
  const app = await testApp()
  const browser = new SsoBrowser(app, idp)
  const agent = new Agent({ connect: { ca: idp.caPem } })
  onTestFinished(async () => {
    await agent.destroy()
    await browser[Symbol.asyncDispose]()
    await app[Symbol.asyncDispose]()
    await idp[Symbol.asyncDispose]()
  })
  const trusted: client.CustomFetch = async (url, init) => {
    const answer = await fetch(url, { ...(init as object), dispatcher: agent })
    return new Response(await answer.arrayBuffer(), { status: answer.status, headers: [...answer.headers] })
  }
  const { clientId, clientSecret } = auth === 'post' ? idp : idp.basic
  const credentials = auth === 'post' ? client.ClientSecretPost : client.ClientSecretBasic
  const connected = async () =>
    client.discovery(new URL(idp.issuer), clientId, clientSecret, credentials(clientSecret), {
      [client.customFetch]: trusted,
      execute: [client.enableNonRepudiationChecks],
      timeout: 1,
    })
  const signIn = async (hint: string, config?: client.Configuration) => {
    const known = config ?? (await connected())
    const checks = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    }
    const start = client.buildAuthorizationUrl(known, {
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
      login_hint: hint,
    })
    const callback = await browser.callbackFrom(start.href)
    const tokens = await client.authorizationCodeGrant(known, callback, {
      expectedState: checks.state,
      expectedNonce: checks.nonce,
      pkceCodeVerifier: checks.verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims() as client.IDToken
    return { claims, userinfo: await client.fetchUserInfo(known, tokens.access_token, claims.sub), callback }
  }
  return { idp, browser, connected, signIn, trusted }
}

test('a client library signs users in one after the other, by their login hints', async () => {
  const { idp, signIn } = await relyingParty()
  const alice = await signIn('alice+mfa@corp.test')
  expect(alice.claims).toMatchObject({ iss: idp.issuer, aud: 'homeport', sub: 'alice', amr: ['pwd', 'otp', 'mfa'] })
  expect(alice.claims.email).toBeUndefined()
  expect(alice.userinfo).toMatchObject({ sub: 'alice', email: 'alice@corp.test', email_verified: true })
  expect(alice.callback.searchParams.get('iss')).toBe(idp.issuer)
  const bob = await signIn('bob')
  expect(bob.claims.sub).toBe('bob')
  expect(bob.claims.amr).toBeUndefined()
  expect((await signIn('unverified-text')).userinfo.email_verified).toBe('false')
  expect((await signIn('unsaid')).userinfo).not.toHaveProperty('email_verified')
  expect(idp.front.requests).toMatchObject({ token: 4, userinfo: 4 })
})

test('the email address is in the ID token where that is configured, also for a client with Basic', async () => {
  const { signIn } = await relyingParty({ emailInIdToken: true }, 'basic')
  expect((await signIn('mixed')).claims.email).toBe('Mixed.Case@Corp.TEST')
})

test('a person chooses an account on the page of the provider', async () => {
  const { idp, browser, connected } = await relyingParty({ asks: true })
  const start = client.buildAuthorizationUrl(await connected(), {
    redirect_uri: redirectUri,
    scope: 'openid email',
    state: 'state',
    code_challenge: await client.calculatePKCECodeChallenge('verifier'),
    code_challenge_method: 'S256',
  })
  const { url, body } = await browser.visit(start)
  expect(url.origin).toBe(idp.issuer)
  expect(body).toContain('Who are you?')
  expect(await browser.submit(url, { name: 'bob' })).toMatchObject({ url: { pathname: callbackPath } })
})

test('an unknown login hint ends the sign-in with an error', async () => {
  const { signIn } = await relyingParty()
  await expect(signIn('nobody')).rejects.toThrow(client.AuthorizationResponseError)
})

test('after a key rotation a client with the old keys fails, and a new one signs in', async () => {
  const { idp, connected, signIn } = await relyingParty()
  const config = await connected()
  await signIn('alice', config)
  idp.rotateKeys()
  await expect(signIn('alice', config)).rejects.toThrow()
  expect((await signIn('alice')).claims.sub).toBe('alice')
})

test('a client refuses forged ID tokens, and accepts changed claims that are signed with the key', async () => {
  const { idp, signIn } = await relyingParty()
  const forgeries = [
    withIdToken((claims) => signed(claims, signingKey(idp.key.kid))),
    withIdToken((claims) => unsigned(claims)),
    withIdToken((claims) => signedWithPublicKey(claims, idp.key)),
    withIdToken((claims) => signed({ ...claims, nonce: 'other' }, idp.key)),
    withIdToken(() => null),
  ]
  for (const forgery of forgeries) {
    idp.front.tamper('token', forgery)
    await expect(signIn('alice')).rejects.toThrow()
  }
  idp.front.tamper(
    'token',
    withIdToken((claims) => signed({ ...claims, amr: ['mfa'] }, idp.key)),
  )
  expect((await signIn('alice')).claims.amr).toEqual(['mfa'])
  idp.front.beHonest()
  idp.front.tamper('userinfo', saying({ sub: 'mallory' }))
  await expect(signIn('alice')).rejects.toThrow()
})

test('documents can be too long, compressed, never ending, redirected or of another type', async () => {
  const { idp, connected, trusted } = await relyingParty()
  const jwks = async () => {
    const answer = await trusted(`${idp.issuer}/jwks`, { method: 'GET', redirect: 'manual' } as never)
    return { status: answer.status, length: (await answer.text()).length }
  }
  for (const long of [oversized, bombing]) {
    idp.front.tamper('jwks', long)
    expect((await jwks()).length).toBeGreaterThan(2 * 1024 * 1024)
  }
  idp.front.tamper('jwks', redirecting(`${idp.issuer}/elsewhere`))
  expect((await jwks()).status).toBe(302)
  expect(idp.front.strays).toEqual([])
  for (const bad of [asHtml, hanging, saying({ issuer: 'https://elsewhere.test' })]) {
    idp.front.tamper('discovery', bad)
    await expect(connected()).rejects.toThrow()
  }
})
