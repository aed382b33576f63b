import type { RequestListener } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { listing, outboundWith, partner, refusalOf } from '../../../../test/helpers/outbound-kit.ts'
import { privateHost } from '../../../../test/helpers/private-host.ts'

type Document = Record<string, unknown>

/** An identity provider that serves a valid discovery document, modified by `change`. */
async function provider(change: (honest: Document, at: string) => Document = (honest) => honest, path = '') {
  const asked: (string | undefined)[] = []
  const answer: RequestListener = ({ url }, response) => {
    asked.push(url)
    const body = JSON.stringify(change(honestDocument(at, path), at))
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(body)
  }
  const { at, outbound } = await providerAnswering(answer)
  return { at, issuer: at + path, asked, discover: (issuer: string) => outbound.discover(issuer, partner) }
}

async function providerAnswering(answer: RequestListener) {
  const host = await privateHost(['idp.corp.lan'], answer)
  onTestFinished(() => host[Symbol.asyncDispose]())
  const { document, answers } = listing(host, 'idp.corp.lan')
  const { outbound } = outboundWith({ document, answers: { ...answers, 'inside.lan': [['10.0.0.1']] } })
  return { at: `https://idp.corp.lan:${host.port}`, outbound }
}

const honestDocument = (at: string, path: string): Document => ({
  issuer: at + path,
  authorization_endpoint: `${at}/authorize`,
  token_endpoint: `${at}/token`,
  userinfo_endpoint: `${at}/me`,
  jwks_uri: `${at}/jwks`,
  token_endpoint_auth_methods_supported: ['client_secret_basic'],
  id_token_signing_alg_values_supported: ['RS256', 'none'],
  authorization_response_iss_parameter_supported: true,
  scopes_supported: ['openid'],
})

test('discovery returns the endpoints of the document and keeps only the metadata that sign-in needs', async () => {
  const { at, issuer, asked, discover } = await provider(undefined, '/realms/corp')
  expect(await discover(issuer)).toEqual({
    issuer,
    authorizationUrl: `${at}/authorize`,
    tokenUrl: `${at}/token`,
    userInfoUrl: `${at}/me`,
    jwksUrl: `${at}/jwks`,
    metadata: {
      issuer,
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      id_token_signing_alg_values_supported: ['RS256', 'none'],
      authorization_response_iss_parameter_supported: true,
      fetchedAt: '2026-03-01T09:00:00.000Z',
    },
  })
  expect(asked).toEqual(['/realms/corp/.well-known/openid-configuration'])
})

test('an issuer that differs only by a trailing slash is accepted as the document spells it', async () => {
  for (const [written, given] of [
    ['/realms/corp/', '/realms/corp'],
    ['/realms/corp', '/realms/corp/'],
    ['/', ''],
    ['', '/'],
  ] as const) {
    const { at, discover, asked } = await provider((honest, at) => ({ ...honest, issuer: at + written }))
    const found = await discover(at + given)
    expect([found.issuer, found.metadata.issuer]).toEqual([at + written, at + written])
    expect(asked).toEqual([`${given.replace(/\/$/, '')}/.well-known/openid-configuration`])
  }
})

test.each([
  ['of another host', () => 'https://elsewhere.example'],
  ['with another path', (at: string) => `${at}/realms/other`],
  ['with two slashes more', (at: string) => `${at}//`],
  ['in capitals', (at: string) => at.toUpperCase()],
  ['with the port left out', () => 'https://idp.corp.lan'],
])('a document with an issuer %s is refused', async (_name, issuer) => {
  const { at, discover } = await provider((honest, at) => ({ ...honest, issuer: issuer(at) }))
  expect(await refusalOf(discover(at))).toMatchObject({
    code: 'SSO_DOCUMENT',
    message: expect.stringContaining('another issuer'),
  })
})

test('a multi-tenant issuer is refused', async () => {
  const { at, discover } = await provider((honest, at) => ({ ...honest, issuer: `${at}/{tenantid}/v2.0` }))
  for (const tenant of ['common', 'organizations'])
    expect(await refusalOf(discover(`${at}/${tenant}/v2.0`))).toMatchObject({
      code: 'SSO_DOCUMENT',
      message: expect.stringContaining('many tenants'),
    })
  expect(await refusalOf(discover(`${at}/{tenantid}/v2.0`))).toMatchObject({ code: 'SSO_URL' })
})

test.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'issuer'])(
  'a document with a missing or invalid %s is refused',
  async (field) => {
    for (const value of [undefined, null, '', 7, `https://idp.corp.lan/${'x'.repeat(500)}`]) {
      const { at, discover } = await provider((honest) => ({ ...honest, [field]: value }))
      const refusal = await refusalOf(discover(at))
      expect(refusal, String(value)).toMatchObject({ code: 'SSO_DOCUMENT' })
    }
  },
)

test('a document without userinfo_endpoint is accepted, and userInfoUrl is null', async () => {
  for (const value of [undefined, null, '']) {
    const { at, discover } = await provider((honest) => ({ ...honest, userinfo_endpoint: value }))
    expect((await discover(at)).userInfoUrl).toBeNull()
  }
})

test('malformed optional metadata is ignored', async () => {
  const { at, discover } = await provider((honest) => ({
    ...honest,
    token_endpoint_auth_methods_supported: 'client_secret_basic',
    id_token_signing_alg_values_supported: [1],
    authorization_response_iss_parameter_supported: 'yes',
  }))
  const { metadata } = await discover(at)
  expect(JSON.parse(JSON.stringify(metadata))).toEqual({ issuer: at, fetchedAt: metadata.fetchedAt })
})

test.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'])(
  'a %s with a blocked address or an invalid URL is refused',
  async (field) => {
    for (const [url, code] of [
      ['https://inside.lan/admin', 'SSO_ADDRESS_BLOCKED'],
      ['https://169.254.169.254/latest', 'SSO_ADDRESS_BLOCKED'],
      ['http://idp.example/', 'SSO_URL'],
      ['nowhere', 'SSO_URL'],
    ]) {
      const { at, discover } = await provider((honest) => ({ ...honest, [field]: url }))
      expect(await refusalOf(discover(at)), url).toMatchObject({ code })
    }
  },
)

test.each(['client_id', 'state', 'nonce', 'redirect_uri', 'request_uri', 'response_mode', 'code_challenge'])(
  'an authorization endpoint with the query parameter %s is refused',
  async (name) => {
    const { at, discover } = await provider((honest, at) => ({
      ...honest,
      authorization_endpoint: `${at}/authorize?tenant=a&${name}=x`,
    }))
    expect(await refusalOf(discover(at))).toMatchObject({ message: expect.stringContaining(`"${name}"`) })
  },
)

test('other query parameters of the authorization endpoint are kept', async () => {
  const { at, discover } = await provider((honest, at) => ({
    ...honest,
    authorization_endpoint: `${at}/authorize?p=B2C_1_sign_in`,
  }))
  expect((await discover(at)).authorizationUrl).toBe(`${at}/authorize?p=B2C_1_sign_in`)
})

const wellKnown = '/.well-known/openid-configuration'
const html = { 'content-type': 'text/html' }
const json = { 'content-type': 'application/json' }

test.each([
  ['a page', 200, html, '<!doctype html>', 'SSO_DOCUMENT', `at ${wellKnown} is no discovery document`],
  ['a page said to be JSON', 200, json, '<!doctype html>', 'SSO_DOCUMENT', `at ${wellKnown} is no discovery document`],
  ['a list', 200, json, '[]', 'SSO_DOCUMENT', 'is no discovery document'],
  ['nothing', 200, json, '', 'SSO_DOCUMENT', 'is no discovery document'],
  ['not found', 404, html, 'no', 'SSO_HTTP', `answered 404 at ${wellKnown}`],
  ['a failure', 503, json, '{}', 'SSO_HTTP', `answered 503 at ${wellKnown}`],
  ['a redirect', 302, { location: '/elsewhere' }, '', 'SSO_HTTP', 'redirect'],
])('the error for %s instead of a document gives the reason', async (_name, status, headers, body, code, text) => {
  const { at, outbound } = await providerAnswering((_request, response) =>
    response.writeHead(status, headers as Record<string, string>).end(body),
  )
  expect(await refusalOf(outbound.discover(at, partner))).toEqual({ code, message: expect.stringContaining(text) })
})

test.each(['no address', 'https://idp.example/?tenant=a', 'https://idp.example/#a', 'http://idp.example', ''])(
  'the issuer "%s" is refused',
  async (issuer) => {
    const { outbound, asked } = outboundWith({})
    expect(await refusalOf(outbound.discover(issuer, partner))).toMatchObject({ code: 'SSO_URL' })
    expect(asked).toEqual([])
  },
)
