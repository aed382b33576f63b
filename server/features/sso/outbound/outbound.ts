import type { CustomFetch } from 'openid-client'
import type { Clock } from '../../../platform/clock.ts'
import type { Names } from '../../../platform/outbound/index.ts'
import type { ProviderOwner } from '../provider/owner.ts'
import { Connections } from './connections.ts'
import { type Discovered, discover } from './discovery.ts'
import { EndpointPolicy } from './endpoint-policy.ts'
import { ssoFetch } from './sso-fetch.ts'
import type { Trust } from './trust.ts'

interface Dependencies {
  trust: Trust
  clock: Clock
  names: Names
}

/** The only way from here to identity providers: every address judged, on save, at sign-in and within the connection. */
export class Outbound {
  readonly #clock: Clock
  readonly #policy: EndpointPolicy
  readonly #connections: Connections

  constructor({ trust, clock, names }: Dependencies) {
    this.#clock = clock
    this.#policy = new EndpointPolicy(trust, names)
    this.#connections = new Connections(this.#policy)
  }

  /** Throws an `OutboundError` where a provider's endpoint may not lie. A name without addresses is no violation. */
  assertAllowed(url: string, owner: ProviderOwner): Promise<void> {
    return this.#policy.assertAllowed(url, owner)
  }

  /** openid-client's `customFetch`: ten seconds for an answer, five where `keySetUrl` is asked. */
  fetchFor(owner: ProviderOwner, keySetUrl: string | null = null): CustomFetch {
    return (url, init) => ssoFetch(this.#policy, this.#connections, { url, init, owner, keySetUrl })
  }

  /** Asks the issuer for its endpoints; throws an `OutboundError` that says what is wrong. */
  discover(issuer: string, owner: ProviderOwner): Promise<Discovered> {
    return discover(issuer, {
      clock: this.#clock,
      fetch: this.fetchFor(owner),
      assertAllowed: (url) => this.assertAllowed(url, owner),
    })
  }

  /** Whether the operator listed the host of this address as one of the own network. */
  networkOf(url: string | null, owner: ProviderOwner): 'public' | 'private-allowlisted' {
    return url !== null && this.#policy.isPrivate(url, owner) ? 'private-allowlisted' : 'public'
  }

  /** Cuts every connection; nothing can be fetched afterwards. */
  close(): Promise<void> {
    return this.#connections.close()
  }
}
