import { isIP } from 'node:net'
import { bareHost, isLocalName, isPublicAddress, isWithin, type Names } from '../../../platform/outbound/index.ts'
import type { ProviderOwner } from '../provider/owner.ts'
import { OutboundError } from './outbound-error.ts'
import type { Trust, TrustedHost } from './trust.ts'

/** Which addresses the endpoints of identity providers may have: public ones, and those the operator has listed. */
export class EndpointPolicy {
  readonly #trust: Trust
  readonly #names: Names

  constructor(trust: Trust, names: Names) {
    this.#trust = trust
    this.#names = names
  }

  /**
   * A name that does not resolve is allowed: nothing can be reached there, and an appliance without a network can be set up.
   * @throws OutboundError for an endpoint that is not allowed
   */
  async assertAllowed(text: string, owner: ProviderOwner): Promise<void> {
    const { url, trusted } = this.admit(text, owner)
    const host = bareHost(url.hostname)
    if (!isIP(host)) this.#assertAddresses(host, await this.#names.addresses(host), trusted)
  }

  /**
   * The checks that need no name resolution; `addressesFor` checks the addresses of the connection.
   * @throws OutboundError
   */
  admit(text: string, owner: ProviderOwner): { url: URL; trusted: TrustedHost | null } {
    const url = parseEndpoint(text)
    const trusted = this.#trust.find(url, owner)
    const host = bareHost(url.hostname)
    if (isIP(host)) this.#assertAddresses(host, [host], trusted)
    else if (!trusted?.ranges.length && isLocalName(host)) throw blocked(host)
    return { url, trusted }
  }

  /**
   * Resolves a host now, for a connection.
   * @throws OutboundError where one of its addresses is not allowed
   */
  async addressesFor(host: string, trusted: TrustedHost | null): Promise<string[]> {
    const addresses = await this.#names.addressesNow(host)
    if (addresses.length === 0) throw new OutboundError('SSO_DNS', `the name ${host} could not be resolved`)
    this.#assertAddresses(host, addresses, trusted)
    return addresses
  }

  isPrivate(text: string, owner: ProviderOwner): boolean {
    return URL.canParse(text) && (this.#trust.find(new URL(text), owner)?.ranges.length ?? 0) > 0
  }

  /** All addresses must be allowed, because it is not known which one a connection uses. */
  #assertAddresses(host: string, addresses: string[], trusted: TrustedHost | null): void {
    const isAllowed = trusted?.ranges.length ? (address: string) => isWithin(address, trusted.ranges) : isPublicAddress
    if (!addresses.every(isAllowed)) throw blocked(host)
  }
}

/**
 * Parses an https address without credentials and fragment.
 * @throws OutboundError
 */
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
