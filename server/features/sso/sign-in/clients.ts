import { LRUCache } from 'lru-cache'
import {
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  clockTolerance,
  customFetch,
  enableNonRepudiationChecks,
} from 'openid-client'
import { fromJson } from '../../../lib/json.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import type { Outbound } from '../outbound/index.ts'
import { ownerOf, type Provider, secretContext } from '../provider/store.ts'
import type { DiscoveryMetadata } from '../tables.ts'

/** Asymmetric algorithms only: neither HMAC with the client secret nor `none`. */
const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'PS256']
export const toleranceSeconds = 60
const maxCached = 500

/** The openid-client configuration of each provider, which also caches the provider's keys. */
export class Clients {
  readonly #secrets: Pick<Secrets, 'decrypt'>
  readonly #outbound: Outbound
  readonly #cached = new LRUCache<string, { version: number; client: Configuration }>({ max: maxCached })

  constructor(secrets: Pick<Secrets, 'decrypt'>, outbound: Outbound) {
    this.#secrets = secrets
    this.#outbound = outbound
  }

  /** @throws Error for a provider without endpoints, with a secret of another appliance, or without a safe algorithm */
  of(provider: Provider): Configuration {
    const cached = this.#cached.get(provider.id)
    if (cached?.version === provider.config_version) return cached.client
    const client = this.#build(provider)
    this.#cached.set(provider.id, { version: provider.config_version, client })
    return client
  }

  #build(provider: Provider): Configuration {
    const { id, issuer, client_id, client_secret, authorization_url, token_url, userinfo_url, jwks_url } = provider
    if (!issuer || !client_id || !client_secret || !authorization_url || !token_url)
      throw new Error('the provider is not fully configured')
    const known: Partial<DiscoveryMetadata> =
      provider.discovery_metadata === null ? {} : fromJson(provider.discovery_metadata)
    const secret = this.#secrets.decrypt(client_secret, secretContext(id))
    const client = new Configuration(
      {
        issuer,
        authorization_endpoint: authorization_url,
        token_endpoint: token_url,
        ...(userinfo_url !== null && { userinfo_endpoint: userinfo_url }),
        ...(jwks_url !== null && { jwks_uri: jwks_url }),
        id_token_signing_alg_values_supported: safeAlgorithms(known),
        userinfo_signing_alg_values_supported: algorithms,
        authorization_response_iss_parameter_supported: known.authorization_response_iss_parameter_supported === true,
      },
      client_id,
      { client_secret: secret, [clockTolerance]: toleranceSeconds },
      prefersBasic(known) ? ClientSecretBasic(secret) : ClientSecretPost(secret),
    )
    client[customFetch] = this.#outbound.fetchFor(ownerOf(provider), jwks_url)
    client.timeout = 10
    // Without this the library does not check the signature of an ID token that comes from the token endpoint.
    enableNonRepudiationChecks(client)
    return client
  }
}

function safeAlgorithms({ id_token_signing_alg_values_supported: offered }: Partial<DiscoveryMetadata>): string[] {
  const safe = (offered ?? ['RS256']).filter((name) => algorithms.includes(name))
  if (safe.length === 0) throw new Error('the provider signs with no algorithm that could be trusted')
  return safe
}

function prefersBasic({ token_endpoint_auth_methods_supported: methods = [] }: Partial<DiscoveryMetadata>): boolean {
  return methods.includes('client_secret_basic') && !methods.includes('client_secret_post')
}
