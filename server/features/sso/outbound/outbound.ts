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

/** All connections to identity providers. Addresses are checked on save, at sign-in and when connecting. */
export class Outbound {
  readonly #clock: Clock
  readonly #policy: EndpointPolicy
  readonly #connections: Connections

  constructor({ trust, clock, names }: Dependencies) {
    this.#clock = clock
    this.#policy = new EndpointPolicy(trust, names)
    this.#connections = new Connections(this.#policy)
  }

  /**
   * A name that does not resolve is allowed.
   * @throws OutboundError for an endpoint that is not allowed
   */
  assertAllowed(url: string, owner: ProviderOwner): Promise<void> {
    return this.#policy.assertAllowed(url, owner)
  }

  /** The `customFetch` of openid-client, with a timeout of ten seconds, five for `keySetUrl`. */
  fetchFor(owner: ProviderOwner, keySetUrl: string | null = null): CustomFetch {
    return (url, init) => ssoFetch(this.#policy, this.#connections, { url, init, owner, keySetUrl })
  }

  /**
   * Fetches the discovery document of an issuer.
   * @throws OutboundError
   */
  discover(issuer: string, owner: ProviderOwner): Promise<Discovered> {
    return discover(issuer, {
      clock: this.#clock,
      fetch: this.fetchFor(owner),
      assertAllowed: (url) => this.assertAllowed(url, owner),
    })
  }

  /** Whether the operator has listed the host of this address as one of the private network. */
  networkOf(url: string | null, owner: ProviderOwner): 'public' | 'private-allowlisted' {
    return url !== null && this.#policy.isPrivate(url, owner) ? 'private-allowlisted' : 'public'
  }

  /** Closes all connections; nothing can be fetched afterwards. */
  close(): Promise<void> {
    return this.#connections.close()
  }
}
