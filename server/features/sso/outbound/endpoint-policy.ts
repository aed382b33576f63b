import { isIP } from 'node:net'
import { bareHost, isLocalName, isPublicAddress, isWithin, type Names } from '../../../platform/outbound/index.ts'
import type { ProviderOwner } from '../owner.ts'
import { OutboundError } from './outbound-error.ts'
import type { Trust, TrustedHost } from './trust.ts'

/** Where the endpoints of identity providers may lie. */
export class EndpointPolicy {
  readonly #trust: Trust
  readonly #names: Names

  constructor(trust: Trust, names: Names) {
    this.#trust = trust
    this.#names = names
  }

  /**
   * Throws an `OutboundError` where an endpoint may not lie. A name without addresses is no violation: there is nothing
   * to reach, and a machine without a network can be set up.
   */
  async assertAllowed(text: string, owner: ProviderOwner): Promise<void> {
    const { url, trusted } = this.admit(text, owner)
    const host = bareHost(url.hostname)
    if (!isIP(host)) this.#judge(host, await this.#names.addresses(host), trusted)
  }

  /** What can be told without asking for a name: `addressesFor` has to judge where it leads. */
  admit(text: string, owner: ProviderOwner): { url: URL; trusted: TrustedHost | null } {
    const url = parseEndpoint(text)
    const trusted = this.#trust.find(url, owner)
    const host = bareHost(url.hostname)
    if (isIP(host)) this.#judge(host, [host], trusted)
    else if (!trusted?.ranges.length && isLocalName(host)) throw blocked(host)
    return { url, trusted }
  }

  /** The addresses a connection to this host may use, resolved at this moment. */
  async addressesFor(host: string, trusted: TrustedHost | null): Promise<string[]> {
    const addresses = await this.#names.addressesNow(host)
    if (addresses.length === 0) throw new OutboundError('SSO_DNS', `the name ${host} could not be resolved`)
    this.#judge(host, addresses, trusted)
    return addresses
  }

  isPrivate(text: string, owner: ProviderOwner): boolean {
    return URL.canParse(text) && (this.#trust.find(new URL(text), owner)?.ranges.length ?? 0) > 0
  }

  /** One address out of bounds is enough: which one is used, is not ours to say. */
  #judge(host: string, addresses: string[], trusted: TrustedHost | null): void {
    const isAllowed = trusted?.ranges.length ? (address: string) => isWithin(address, trusted.ranges) : isPublicAddress
    if (!addresses.every(isAllowed)) throw blocked(host)
  }
}

/** An https address and nothing beside it; throws an `OutboundError`. */
export function parseEndpoint(text: string): URL {
  if (!URL.canParse(text)) throw new OutboundError('SSO_URL', `"${text.slice(0, 100)}" is not an address`)
  const url = new URL(text)
  if (url.protocol !== 'https:')
    throw new OutboundError('SSO_URL', `the address at ${url.host} must begin with https://`)
  if (url.username || url.password)
    throw new OutboundError('SSO_URL', `the address at ${url.host} must not hold a user name or password`)
  if (url.href.includes('#')) throw new OutboundError('SSO_URL', `the address at ${url.host} must not hold "#"`)
  return url
}

const blocked = (host: string) =>
  new OutboundError(
    'SSO_ADDRESS_BLOCKED',
    isIP(host)
      ? `${host} is an address that is not allowed; ask the appliance operator to list it`
      : `${host} resolves to an address that is not allowed; ask the appliance operator to list it`,
  )
