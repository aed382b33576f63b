import type { UserActor } from '../../../platform/actor.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { type Discovered, type Outbound, OutboundError } from '../outbound/index.ts'
import type { ProviderOwner } from '../owner.ts'
import type { Provider } from '../store.ts'

/** What became of asking an issuer; `asked` as it was asked for, the one found may differ by a slash. */
export type Answer = { asked: string; found: Discovered } | { asked: string; error: string }

/** Asking issuers in the name of people: each time the appliance reaches out to where they say. */
export class Discoveries {
  readonly #outbound: Outbound
  readonly #limits: RateLimits

  constructor(outbound: Outbound, limits: RateLimits) {
    this.#outbound = outbound
    this.#limits = limits
  }

  /** What comes of it tells something about the network of the appliance: not to be had at any rate. */
  count({ userId }: UserActor): void {
    this.#limits.consume('sso_probe', userId)
  }

  /** Outside of any transaction: it takes seconds. */
  async ask(actor: UserActor, issuer: string, owner: ProviderOwner): Promise<Answer> {
    this.count(actor)
    try {
      return { asked: issuer, found: await this.#outbound.discover(issuer, owner) }
    } catch (error) {
      if (error instanceof OutboundError) return { asked: issuer, error: error.message }
      throw error
    }
  }
}

/** What is kept of a discovery. */
export const discoveredColumns = (found: Discovered) => ({
  issuer: found.issuer,
  authorization_url: found.authorizationUrl,
  token_url: found.tokenUrl,
  userinfo_url: found.userInfoUrl,
  jwks_url: found.jwksUrl,
  discovery_metadata: JSON.stringify(found.metadata),
  discovery_error: null,
})

/** The same, beside what somebody entered while the issuer could not be asked: that stays. */
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
