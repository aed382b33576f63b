import {
  authorizationCodeGrant,
  ClientError,
  type Configuration,
  fetchUserInfo,
  type IDToken,
  ResponseBodyError,
  type UserInfoResponse,
} from 'openid-client'
import type { AttributeMapping } from '../../../../shared/api/sso-providers.ts'
import { type Clock, iso } from '../../../platform/clock.ts'
import { OutboundError } from '../outbound/index.ts'
import type { Journey, Provider } from '../store.ts'
import type { Assertion } from './assertion.ts'
import { personIn } from './claims.ts'
import { type Clients, toleranceSeconds } from './clients.ts'
import type { Readiness } from './readiness.ts'
import { Refusal } from './refusal.ts'

const longestToken = 16 * 1024

interface Parts {
  clock: Clock
  clients: Clients
  readiness: Readiness
  callbackUrl: () => string
}

/** Asks the identity provider who it was that came back, and believes nothing that is not signed. */
export class Verification {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** `query` is what stood behind the question mark of the callback. Throws a `Refusal`. */
  async of(provider: Provider, journey: Journey, query: string): Promise<Assertion> {
    const { clock, callbackUrl } = this.#parts
    const client = await this.#clientOf(provider)
    // Never from the address of the request: from this the library makes the one that the provider compares.
    const cameTo = new URL(`${callbackUrl()}?${query}`)
    const tokens = await authorizationCodeGrant(client, cameTo, {
      expectedState: journey.state,
      expectedNonce: journey.nonce,
      pkceCodeVerifier: journey.code_verifier,
      idTokenExpected: true,
    }).catch((error: unknown) => {
      throw refusedBy(error)
    })
    const idToken = tokens.claims() as IDToken
    this.#assertMeant(provider, idToken)
    const userInfo = provider.userinfo_url === null ? null : await userInfoOf(client, tokens.access_token, idToken.sub)
    const seconds = tokens.expiresIn()
    return {
      ...personIn({ idToken, userInfo }, JSON.parse(provider.attribute_mapping) as AttributeMapping),
      accessToken: storable(tokens.access_token),
      refreshToken: storable(tokens.refresh_token),
      tokenExpiresAt: seconds === undefined ? null : expiryOf(clock, seconds),
    }
  }

  async #clientOf(provider: Provider): Promise<Configuration> {
    const { clients, readiness } = this.#parts
    try {
      const client = clients.of(provider)
      await readiness.assertSafe(provider)
      if (provider.jwks_url !== null) return client
    } catch (error) {
      throw new Refusal('sso_error', error instanceof OutboundError ? error.code : 'configuration', { cause: error })
    }
    throw new Refusal('sso_provider_unverified', 'no_key_set')
  }

  /** What the library leaves to us. */
  #assertMeant(provider: Provider, { iat, azp }: IDToken): void {
    if (iat > this.#parts.clock.now() / 1000 + toleranceSeconds) throw new Refusal('sso_error', 'issued_in_future')
    if (azp !== undefined && azp !== provider.client_id) throw new Refusal('sso_error', 'issued_for_another')
  }
}

async function userInfoOf(client: Configuration, accessToken: string, subject: string): Promise<UserInfoResponse> {
  try {
    return await fetchUserInfo(client, accessToken, subject)
  } catch (error) {
    throw isOfAnother(error) ? new Refusal('sso_subject_mismatch', undefined, { cause: error }) : refusedBy(error)
  }
}

/** The subject of userinfo is not that of the ID token, or there is none. */
function isOfAnother(error: unknown): boolean {
  if (!(error instanceof ClientError)) return false
  const body = bodyBehind(error)
  if (Array.isArray(body)) return false
  return error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED' || (body !== null && !body.sub)
}

function refusedBy(error: unknown): Refusal {
  if (error instanceof ClientError && error.code === 'OAUTH_INVALID_RESPONSE') {
    const body = bodyBehind(error)
    if (body?.access_token && body.id_token === undefined)
      return new Refusal('sso_no_id_token', undefined, { cause: error })
  }
  return new Refusal('sso_error', reasonOf(error), { cause: error })
}

/** The answer that was no good, where the library read one. */
function bodyBehind({ cause }: ClientError): Record<string, unknown> | null {
  const inner = cause instanceof Error ? cause.cause : undefined
  return (inner as { body?: Record<string, unknown> } | undefined)?.body ?? null
}

/** A word for administrators: by whom or by what rule it was refused; never what was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof ClientError)
    return error.cause instanceof OutboundError ? error.cause.code : (error.code ?? 'invalid_response')
  return error instanceof ResponseBodyError && /^[a-z_]{1,50}$/.test(error.error) ? error.error : 'refused'
}

/** One in disguise would fill the disk: each person takes up two. */
const storable = (token: string | undefined): string | null =>
  token !== undefined && token.length <= longestToken ? token : null

/** Providers have been seen that count in centuries. */
const expiryOf = (clock: Clock, seconds: number): string =>
  iso(clock.now() + Math.min(Math.max(seconds, 0), 366 * 24 * 3600) * 1000)
