import {
  authorizationCodeGrant,
  ClientError,
  type Configuration,
  fetchUserInfo,
  type IDToken,
  ResponseBodyError,
  type UserInfoResponse,
} from 'openid-client'
import { isRecord } from '../../../../shared/objects.ts'
import { fromJson } from '../../../lib/json.ts'
import { type Clock, iso } from '../../../platform/clock.ts'
import { OutboundError } from '../outbound/index.ts'
import type { AuthorizationRequest, Provider } from '../provider/store.ts'
import type { Assertion } from './assertion.ts'
import { personIn } from './claims.ts'
import { type Clients, toleranceSeconds } from './clients.ts'
import type { ProviderPreparation } from './provider-preparation.ts'
import { Refusal } from './refusal.ts'

const maxTokenLength = 16 * 1024

interface Dependencies {
  clock: Clock
  clients: Clients
  preparation: ProviderPreparation
  callbackUrl: () => string
}

/** Redeems the authorization code and verifies the signed ID token. */
export class Verification {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * @param query of the callback, without the question mark
   * @throws Refusal
   */
  async verify(provider: Provider, request: AuthorizationRequest, query: string): Promise<Assertion> {
    const { clock, callbackUrl } = this.#dependencies
    const client = await this.#clientOf(provider)
    // Not from the address of the request: the library derives from it the redirect URI that the provider compares.
    const callback = new URL(`${callbackUrl()}?${query}`)
    const tokens = await authorizationCodeGrant(client, callback, {
      expectedState: request.state,
      expectedNonce: request.nonce,
      pkceCodeVerifier: request.code_verifier,
      idTokenExpected: true,
    }).catch((error: unknown) => {
      throw refusedBy(error)
    })
    const idToken = tokens.claims()
    if (!idToken) throw new Refusal('sso_no_id_token')
    this.#assertIssuedForUs(provider, idToken)
    const userInfo = provider.userinfo_url === null ? null : await userInfoOf(client, tokens.access_token, idToken.sub)
    const seconds = tokens.expiresIn()
    return {
      ...personIn({ idToken, userInfo }, fromJson(provider.attribute_mapping)),
      accessToken: storable(tokens.access_token),
      refreshToken: storable(tokens.refresh_token),
      tokenExpiresAt: seconds === undefined ? null : expiryOf(clock, seconds),
    }
  }

  async #clientOf(provider: Provider): Promise<Configuration> {
    const { clients, preparation } = this.#dependencies
    try {
      const client = clients.of(provider)
      await preparation.assertSafe(provider)
      if (provider.jwks_url !== null) return client
    } catch (error) {
      throw new Refusal('sso_error', error instanceof OutboundError ? error.code : 'configuration', { cause: error })
    }
    throw new Refusal('sso_provider_unverified', 'no_key_set')
  }

  /** Checks of OpenID Connect Core 3.1.3.7 that openid-client leaves to the caller. */
  #assertIssuedForUs(provider: Provider, { iat, azp }: IDToken): void {
    if (iat > this.#dependencies.clock.now() / 1000 + toleranceSeconds)
      throw new Refusal('sso_error', 'issued_in_future')
    if (azp !== undefined && azp !== provider.client_id) throw new Refusal('sso_error', 'issued_for_another')
  }
}

async function userInfoOf(client: Configuration, accessToken: string, subject: string): Promise<UserInfoResponse> {
  try {
    return await fetchUserInfo(client, accessToken, subject)
  } catch (error) {
    throw isSubjectMismatch(error) ? new Refusal('sso_subject_mismatch', undefined, { cause: error }) : refusedBy(error)
  }
}

/** The subject of the userinfo response differs from that of the ID token, or is missing. */
function isSubjectMismatch(error: unknown): boolean {
  if (!(error instanceof ClientError)) return false
  const body = bodyBehind(error)
  if (Array.isArray(body)) return false
  const hasNoSubject = body !== null && !(isRecord(body) && body.sub)
  return error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED' || hasNoSubject
}

function refusedBy(error: unknown): Refusal {
  if (error instanceof ClientError && error.code === 'OAUTH_INVALID_RESPONSE') {
    const body = bodyBehind(error)
    if (isRecord(body) && body.access_token && body.id_token === undefined)
      return new Refusal('sso_no_id_token', undefined, { cause: error })
  }
  return new Refusal('sso_error', reasonOf(error), { cause: error })
}

/** The body of the response an error is about, where the library has parsed one; else null. */
function bodyBehind({ cause }: ClientError): unknown {
  const inner = cause instanceof Error ? cause.cause : undefined
  return isRecord(inner) ? (inner.body ?? null) : null
}

/** A code for administrators that names who or what refused it, never what was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof ClientError)
    return error.cause instanceof OutboundError ? error.cause.code : (error.code ?? 'invalid_response')
  return error instanceof ResponseBodyError && /^[a-z_]{1,50}$/.test(error.error) ? error.error : 'refused'
}

/** Two tokens are stored for each identity. Null for one so long that many of them would fill the disk. */
const storable = (token: string | undefined): string | null =>
  token !== undefined && token.length <= maxTokenLength ? token : null

/** Limited to a year: `expires_in` comes from the provider, and may be more than a date can hold. */
const expiryOf = (clock: Clock, seconds: number): string =>
  iso(clock.now() + Math.min(Math.max(seconds, 0), 366 * 24 * 3600) * 1000)
