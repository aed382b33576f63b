import { LRUCache } from 'lru-cache'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, isoNow, minute } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Log } from '../../../platform/log.ts'
import { assertAuthorizationEndpoint, type Discovered, type Outbound, OutboundError } from '../outbound/index.ts'
import { findProvider, ownerOf, type Provider } from '../provider/store.ts'
import { columnsBeside } from '../providers/issuer-discovery.ts'
import type { Clients } from './clients.ts'

const retryAfterMs = minute
const maxFailures = 500

interface Dependencies {
  db: Database
  clock: Clock
  log: Log
  outbound: Outbound
  clients: Clients
}

/** Prepares a provider for an authorization request: complete, with safe endpoints. */
export class ProviderPreparation {
  readonly #dependencies: Dependencies
  /** When the discovery failed, by id and version of the provider; monotonic ms. */
  readonly #failedAt = new LRUCache<string, number>({ max: maxFailures })
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * @returns the provider with its endpoints, found by discovery where they are still missing
   * @throws AppError `sso_provider_incomplete`, `sso_discovery_failed`, `sso_provider_invalid`
   */
  async prepare(stored: Provider): Promise<Provider> {
    if (!stored.client_id || !stored.client_secret || !stored.issuer) throw new AppError('sso_provider_incomplete')
    const provider = isDiscovered(stored) ? stored : await this.#discovered(stored, stored.issuer)
    if (!provider.authorization_url || !provider.token_url) throw new AppError('sso_discovery_failed')
    try {
      await this.assertSafe(provider)
      this.#dependencies.clients.of(provider)
    } catch (error) {
      throw new AppError('sso_provider_invalid', {}, { cause: error })
    }
    return provider
  }

  /**
   * Checks that the appliance may connect to every endpoint.
   * @throws OutboundError
   */
  async assertSafe(provider: Provider): Promise<void> {
    const { authorization_url, token_url, userinfo_url, jwks_url } = provider
    if (authorization_url !== null) assertAuthorizationEndpoint(authorization_url)
    const urls = [authorization_url, token_url, userinfo_url, jwks_url].filter((url) => url !== null)
    await Promise.all(urls.map((url) => this.#dependencies.outbound.assertAllowed(url, ownerOf(provider))))
  }

  /** Retries a discovery that failed when the provider was set up: one at a time, and at most once a minute. */
  async #discovered(provider: Provider, issuer: string): Promise<Provider> {
    const { db, clock } = this.#dependencies
    const key = `${provider.id} ${provider.config_version}`
    const failedAt = this.#failedAt.get(key)
    if (failedAt !== undefined && clock.monotonic() - failedAt < retryAfterMs) return provider
    const discovery =
      this.#underWay.get(key) ?? this.#discover(provider, issuer, key).finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, discovery)
    await discovery
    return findProvider(db, provider.id) ?? provider
  }

  async #discover(provider: Provider, issuer: string, key: string): Promise<void> {
    const { clock, log, outbound } = this.#dependencies
    try {
      this.#save(provider, await outbound.discover(issuer, ownerOf(provider)))
      this.#failedAt.delete(key)
      log.info({ providerId: provider.id }, 'the endpoints of an identity provider were found late')
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      this.#failedAt.set(key, clock.monotonic())
      log.warn(
        { providerId: provider.id, reason: error.message },
        'the endpoints of an identity provider were not found',
      )
    }
  }

  /** Keeps endpoints that were entered by hand, and saves nothing where the provider was changed meanwhile. */
  #save(provider: Provider, found: Discovered): void {
    const { db, clock } = this.#dependencies
    db.run(
      q
        .updateTable('sso_providers')
        .set({
          ...columnsBeside(provider, found),
          config_version: provider.config_version + 1,
          updated_at: isoNow(clock),
        })
        .where('id', '=', provider.id)
        .where('config_version', '=', provider.config_version),
    )
  }
}

const isDiscovered = ({ authorization_url, token_url, jwks_url }: Provider): boolean =>
  authorization_url !== null && token_url !== null && jwks_url !== null
