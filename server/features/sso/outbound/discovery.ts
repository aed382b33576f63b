import { ClientError, type CustomFetch, customFetch, discovery, None } from 'openid-client'
import { z } from 'zod'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import type { DiscoveryMetadata } from '../tables.ts'
import { parseEndpoint } from './endpoint-policy.ts'
import { OutboundError } from './outbound-error.ts'

export interface Discovered {
  /** As the document spells it; the `iss` of ID tokens is compared with it. */
  issuer: string
  authorizationUrl: string
  tokenUrl: string
  userInfoUrl: string | null
  jwksUrl: string
  metadata: DiscoveryMetadata
}

interface Dependencies {
  clock: Clock
  fetch: CustomFetch
  assertAllowed(url: string): Promise<void>
}

const endpointUrl = z.string().min(1).max(500)
const names = z.array(z.string().max(100)).max(100).optional().catch(undefined)
const document = z.object({
  issuer: endpointUrl,
  authorization_endpoint: endpointUrl,
  token_endpoint: endpointUrl,
  userinfo_endpoint: z.string().max(500).nullish(),
  jwks_uri: endpointUrl,
  token_endpoint_auth_methods_supported: names,
  id_token_signing_alg_values_supported: names,
  authorization_response_iss_parameter_supported: z.boolean().optional().catch(undefined),
})

/** A trailing slash makes no difference between issuers. */
export const withoutSlash = (issuer: string) => issuer.replace(/\/$/, '')

/**
 * Fetches and checks the discovery document of an issuer.
 * @throws OutboundError
 */
export async function discover(issuer: string, { clock, fetch, assertAllowed }: Dependencies): Promise<Discovered> {
  const address = wellKnownAddress(issuer)
  const parsed = document.safeParse(await read(address, fetch))
  if (!parsed.success) {
    const field = String(parsed.error.issues[0]?.path[0])
    throw new OutboundError('SSO_DOCUMENT', `the discovery document of ${address.host} has no usable "${field}"`)
  }
  const { data } = parsed
  assertSameIssuer(issuer, data.issuer)
  assertAuthorizationEndpoint(data.authorization_endpoint)
  const userInfoUrl = data.userinfo_endpoint || null
  const endpoints = [data.authorization_endpoint, data.token_endpoint, data.jwks_uri, userInfoUrl]
  await Promise.all(endpoints.filter((url) => url !== null).map(assertAllowed))
  return {
    issuer: data.issuer,
    authorizationUrl: data.authorization_endpoint,
    tokenUrl: data.token_endpoint,
    userInfoUrl,
    jwksUrl: data.jwks_uri,
    metadata: {
      issuer: data.issuer,
      token_endpoint_auth_methods_supported: data.token_endpoint_auth_methods_supported,
      id_token_signing_alg_values_supported: data.id_token_signing_alg_values_supported,
      authorization_response_iss_parameter_supported: data.authorization_response_iss_parameter_supported,
      fetchedAt: isoNow(clock),
    },
  }
}

function wellKnownAddress(issuer: string): URL {
  if (issuer.includes('{'))
    throw new OutboundError(
      'SSO_URL',
      'the issuer still holds a placeholder in braces; put your own value in its place',
    )
  if (/[?#]/.test(issuer)) throw new OutboundError('SSO_URL', 'the issuer must not hold "?" or "#"')
  return parseEndpoint(`${withoutSlash(issuer)}/.well-known/openid-configuration`)
}

/** For a full address the library does not compare the issuer, which `assertSameIssuer` does. */
async function read(address: URL, fetch: CustomFetch): Promise<unknown> {
  try {
    const client = await discovery(address, 'discovery', undefined, None(), { [customFetch]: fetch, timeout: 10 })
    return client.serverMetadata()
  } catch (error) {
    throw explain(error, address)
  }
}

function explain(error: unknown, { host, pathname }: URL): unknown {
  if (!(error instanceof ClientError)) return error
  if (error.cause instanceof OutboundError) return error.cause
  if (error.cause instanceof Response && error.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM')
    return new OutboundError('SSO_HTTP', `${host} answered ${error.cause.status} at ${pathname}`)
  return new OutboundError('SSO_DOCUMENT', `what ${host} answers at ${pathname} is no discovery document`)
}

function assertSameIssuer(requested: string, found: string): void {
  if (found.includes('{'))
    throw new OutboundError(
      'SSO_DOCUMENT',
      'this issuer speaks for many tenants, any of which could claim any address; give the issuer of your own tenant',
    )
  if (withoutSlash(found) !== withoutSlash(requested))
    throw new OutboundError(
      'SSO_DOCUMENT',
      `the discovery document names another issuer, "${found.slice(0, 200)}"; both must be the same`,
    )
}

const reserved = new Set([
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
])

/** @throws OutboundError for an address that contains a parameter which a sign-in has to set */
export function assertAuthorizationEndpoint(url: string): void {
  const query = URL.canParse(url) ? [...new URL(url).searchParams.keys()] : []
  const found = query.find((name) => reserved.has(name))
  if (found)
    throw new OutboundError('SSO_URL', `the authorization endpoint already holds "${found}", which sign-in has to set`)
}
