import { LRUCache } from 'lru-cache'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, isoNow, minute } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Log } from '../../../platform/log.ts'
import { assertAuthorizationEndpoint, type Discovered, type Outbound, OutboundError } from '../outbound/index.ts'
import { columnsBeside } from '../providers/discoveries.ts'
import { findProvider, ownerOf, type Provider } from '../store.ts'
import type { Clients } from './clients.ts'

const restMs = minute
const maxFailures = 500

interface Parts {
  db: Database
  clock: Clock
  log: Log
  outbound: Outbound
  clients: Clients
}

/** Whether a provider can be gone to now. */
export class Readiness {
  readonly #parts: Parts
  /** When asking for endpoints failed, by provider and generation. */
  readonly #failedAt = new LRUCache<string, number>({ max: maxFailures })
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * The provider as it is to be used, its endpoints asked for where they are still missing.
   * @throws AppError `sso_provider_incomplete`, `sso_discovery_failed`, `sso_provider_invalid`
   */
  async ready(wanted: Provider): Promise<Provider> {
    if (!wanted.client_id || !wanted.client_secret || !wanted.issuer) throw new AppError('sso_provider_incomplete')
    const provider = isDiscovered(wanted) ? wanted : await this.#discovered(wanted)
    if (!provider.authorization_url || !provider.token_url) throw new AppError('sso_discovery_failed')
    try {
      await this.assertSafe(provider)
      this.#parts.clients.of(provider)
    } catch (error) {
      throw new AppError('sso_provider_invalid', {}, { cause: error })
    }
    return provider
  }

  /** Judges every stored endpoint; throws an `OutboundError`. */
  async assertSafe(provider: Provider): Promise<void> {
    const { authorization_url, token_url, userinfo_url, jwks_url } = provider
    if (authorization_url !== null) assertAuthorizationEndpoint(authorization_url)
    const urls = [authorization_url, token_url, userinfo_url, jwks_url].filter((url) => url !== null)
    await Promise.all(urls.map((url) => this.#parts.outbound.assertAllowed(url, ownerOf(provider))))
  }

  /** It was out of reach when it was set up: asked again, but by one browser at a time and not more than once a minute. */
  async #discovered(provider: Provider): Promise<Provider> {
    const { db, clock } = this.#parts
    const key = `${provider.id} ${provider.config_version}`
    const failedAt = this.#failedAt.get(key)
    if (failedAt !== undefined && clock.monotonic() - failedAt < restMs) return provider
    const asking = this.#underWay.get(key) ?? this.#discover(provider, key).finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, asking)
    await asking
    return findProvider(db, provider.id) ?? provider
  }

  async #discover(provider: Provider, key: string): Promise<void> {
    const { clock, log, outbound } = this.#parts
    try {
      this.#save(provider, await outbound.discover(provider.issuer as string, ownerOf(provider)))
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

  /** What somebody entered by hand stays; and all of it, where somebody changed the provider meanwhile. */
  #save(provider: Provider, found: Discovered): void {
    const { db, clock } = this.#parts
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
