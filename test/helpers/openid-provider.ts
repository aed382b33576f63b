import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Provider, { type Adapter, type AdapterPayload, type Configuration } from 'oidc-provider'
import { createAuthority } from '../../agent/testing/certificates.ts'
import { privateJwk, type SigningKey, signingKey } from './openid-keys.ts'
import { type OpenIdPerson, openIdPeople, signInBy } from './openid-people.ts'
import { Tamperer } from './openid-tampering.ts'

/** The origin the appliance of a flow test is configured with: no request goes there. */
export const applianceOrigin = 'https://homeport.test'
export const callbackPath = '/api/v1/sso/callback'

interface Wanted {
  /** Origins of the appliance to which the provider may send people back. */
  appliances?: string[]
  /** Beside those of openid-people.ts, or instead of one of them. */
  people?: Record<string, OpenIdPerson>
  /** The email address in the ID token too; otherwise only userinfo has it. */
  emailInIdToken?: boolean
  /** Shows a page to choose a person, for a person in a browser; otherwise `signsIn` or the login hint decides. */
  asks?: boolean
}

/** A real OpenID provider at `https://localhost:<port>`, its certificate from an untrusted authority. */
export async function openIdProvider(wanted: Wanted = {}) {
  const authority = await createAuthority('Identity provider test CA')
  const front = new Tamperer()
  const people = { ...openIdPeople, ...wanted.people }
  const server = createServer(await authority.issue(['localhost', '127.0.0.1'])).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const issuer = `https://localhost:${port}`
  const redirectUris = (wanted.appliances ?? [applianceOrigin]).map((origin) => origin + callbackPath)
  const adapter = memoryAdapter()
  const dir = mkdtempSync(join(tmpdir(), 'homeport-idp-'))
  const pemFile = join(dir, 'root.pem')
  writeFileSync(pemFile, authority.pem, { mode: 0o600 })

  const idp = {
    issuer,
    ...clients.post,
    /** The same provider for a client that authenticates with HTTP Basic. */
    basic: clients.basic,
    caPem: authority.pem,
    front,
    people,
    /** The person at the browser, whatever the login hint says; an unknown name cancels. */
    signsIn: null as string | null,
    key: signingKey('first'),
    /** The document with which the operator of an appliance trusts this provider. */
    trust: trustOf(port, pemFile),
    /** The environment of an appliance that trusts this provider. */
    env: { SSO_TRUST_JSON: JSON.stringify(trustOf(port, pemFile)), PUBLIC_URL: applianceOrigin },
    /** Signs with another key from now on; codes and access tokens stay good. */
    rotateKeys(kid = 'second') {
      idp.key = signingKey(kid)
      handle = providerOf(idp.key)
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      rmSync(dir, { recursive: true, force: true })
    },
  }

  const providerOf = (key: SigningKey) => {
    const provider = new Provider(issuer, {
      ...configuration(people),
      adapter,
      clients: Object.values(clients).map(({ clientId, clientSecret, method }) => ({
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: redirectUris,
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: method,
      })),
      conformIdTokenClaims: !wanted.emailInIdToken,
      jwks: { keys: [privateJwk(key)] },
    } as Configuration)
    const callback = provider.callback()
    return (request: IncomingMessage, response: ServerResponse) =>
      request.url?.startsWith('/interaction/')
        ? interact(provider, people, request, response, wanted.asks ? null : (hint) => idp.signsIn ?? hint)
        : callback(request, response)
  }
  let handle = providerOf(idp.key)
  server.on(
    'request',
    front.inFrontOf((request, response) => handle(request, response)),
  )
  return idp
}

export type OpenIdProvider = Awaited<ReturnType<typeof openIdProvider>>

const clients = {
  post: { clientId: 'homeport', clientSecret: 'post-secret-1b2c3d4e5f60718293a4', method: 'client_secret_post' },
  basic: { clientId: 'homeport-basic', clientSecret: 'basic-secret-9a8b7c6d5e4f302010', method: 'client_secret_basic' },
} as const

const trustOf = (port: number, pemFile: string) => ({
  version: 1,
  certificateAuthorities: [{ id: 'test-root', pemFile }],
  hosts: [{ host: 'localhost', port, addresses: ['127.0.0.1/32', '::1/128'], ca: ['test-root'] }],
})

const configuration = (people: Record<string, OpenIdPerson>): Configuration => ({
  pkce: { required: () => true },
  claims: {
    openid: ['sub', 'amr', 'acr', 'auth_time'],
    email: ['email', 'email_verified'],
    profile: ['name', 'given_name', 'family_name', 'preferred_username'],
  },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  // The session cookie never comes back: everyone who is sent here has to sign in.
  cookies: { keys: ['any'], long: { path: '/never' } },
  ttl: { AccessToken: 3600, AuthorizationCode: 600, Grant: 3600, IdToken: 3600, Interaction: 3600, Session: 3600 },
  findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: people[id]?.sub ?? id, ...people[id] }) }),
  loadExistingGrant: async ({ oidc }) => {
    const accountId = oidc.session?.accountId
    const clientId = oidc.client?.clientId
    if (!accountId || !clientId) return undefined
    const grant = new oidc.provider.Grant({ accountId, clientId })
    grant.addOIDCScope('openid profile email groups')
    grant.addOIDCClaims(['amr', 'acr', 'auth_time'])
    await grant.save()
    return grant
  },
  clientBasedCORS: () => false,
})

/** Signs in the person that `chosenBy` picks by the login hint; without it a page asks. */
async function interact(
  provider: Provider,
  people: Record<string, OpenIdPerson>,
  request: IncomingMessage,
  response: ServerResponse,
  chosenBy: ((hint: string) => string) | null,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response)
  const hint = String(params.login_hint ?? '')
  if (!chosenBy && request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(signInPage)
    return
  }
  const answer = chosenBy ? chosenBy(hint) : (new URLSearchParams(await text(request)).get('name') ?? '')
  const { who, amr } = signInBy(answer)
  await provider.interactionFinished(
    request,
    response,
    people[who]
      ? { login: { accountId: who, ...(amr && { amr }) } }
      : { error: 'access_denied', error_description: '<b>The person went away</b>' },
    { mergeWithLastSubmission: false },
  )
}

const signInPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Test identity provider</title>
<form method="post"><label>Who are you? <input name="name" autofocus></label><button>Continue</button></form></html>`

/** Outlives a Provider, so that its successor with other keys knows what was issued. */
function memoryAdapter(): (model: string) => Adapter {
  const rows = new Map<string, AdapterPayload>()
  return (model) => ({
    upsert: async (id, payload) => void rows.set(`${model} ${id}`, payload),
    find: async (id) => rows.get(`${model} ${id}`),
    findByUid: async (uid) => [...rows.values()].find((row) => row.kind === model && row.uid === uid),
    findByUserCode: async () => undefined,
    consume: async (id) => void Object.assign(rows.get(`${model} ${id}`) ?? {}, { consumed: Date.now() / 1000 }),
    destroy: async (id) => void rows.delete(`${model} ${id}`),
    revokeByGrantId: async (grantId) => {
      for (const [key, row] of rows) if (row.grantId === grantId) rows.delete(key)
    },
  })
}
