import { toJson } from '../../../lib/json.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { type Discovered, type Outbound, OutboundError } from '../outbound/index.ts'
import type { ProviderOwner } from '../provider/owner.ts'
import type { Provider } from '../provider/store.ts'

/** Result of a discovery. `asked` is the issuer as requested; the one found may differ by a trailing slash. */
export type DiscoveryAnswer = { asked: string; found: Discovered } | { asked: string; error: string }

/** OpenID Connect discovery on behalf of users, who choose the address that the appliance connects to. */
export class IssuerDiscovery {
  readonly #outbound: Outbound
  readonly #limits: RateLimits

  constructor(outbound: Outbound, limits: RateLimits) {
    this.#outbound = outbound
    this.#limits = limits
  }

  /**
   * Limited, because the outcome reveals something about the network of the appliance.
   * @throws AppError `rate_limited`
   */
  count({ userId }: UserActor): void {
    this.#limits.consume('sso_probe', userId)
  }

  /** Takes seconds, so it must not run inside a transaction. */
  async ask(actor: UserActor, issuer: string, owner: ProviderOwner): Promise<DiscoveryAnswer> {
    this.count(actor)
    try {
      return { asked: issuer, found: await this.#outbound.discover(issuer, owner) }
    } catch (error) {
      if (error instanceof OutboundError) return { asked: issuer, error: error.message }
      throw error
    }
  }
}

/** The columns that are stored of a discovery. */
export const discoveredColumns = (found: Discovered) => ({
  issuer: found.issuer,
  authorization_url: found.authorizationUrl,
  token_url: found.tokenUrl,
  userinfo_url: found.userInfoUrl,
  jwks_url: found.jwksUrl,
  discovery_metadata: toJson(found.metadata),
  discovery_error: null,
})

/** The columns to store, except for endpoints an administrator entered while the issuer could not be reached. */
export function columnsBeside(before: Provider, found: Discovered): ReturnType<typeof discoveredColumns> {
  const columns = discoveredColumns(found)
  return {
    ...columns,
    authorization_url: before.authorization_url ?? columns.authorization_url,
    token_url: before.token_url ?? columns.token_url,
    userinfo_url: before.userinfo_url ?? columns.userinfo_url,
    jwks_url: before.jwks_url ?? columns.jwks_url,
  }
}
