import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../../../../shared/host-names.ts'
import type { Config } from '../../../config/config.ts'
import { isOwnMachine } from '../../../platform/client-address.ts'
import { AppError } from '../../../platform/errors.ts'

/** The relying party of a WebAuthn ceremony, and the origin it takes place at. */
export interface Party {
  id: string
  name: string
  origin: string
}

/**
 * A passkey belongs to the host name it was registered at, and an appliance can have several names. A ceremony uses the
 * name of the present request if it is one of this appliance. IP addresses do not work, and WebAuthn requires a secure
 * context.
 */
export class RelyingParty {
  readonly #config: Pick<Config, 'webAuthn'>
  readonly #publicOrigin: () => string | undefined
  readonly #addresses: () => string[]

  /** @param addresses the origins at which the appliance can be reached */
  constructor(config: Pick<Config, 'webAuthn'>, publicOrigin: () => string | undefined, addresses: () => string[]) {
    this.#config = config
    this.#publicOrigin = publicOrigin
    this.#addresses = addresses
  }

  /** The relying party for a request; null where passkeys do not work. */
  at(request: FastifyRequest): Party | null {
    const own = URL.parse(`${request.origin.isSecure ? 'https' : 'http'}://${request.headers.host}`)
    const url = request.headers.origin ? URL.parse(request.headers.origin) : own
    if (!own || !url || !this.#isOurs(url, own) || !isSecureContext(url)) return null
    const id = this.#idFor(url)
    return id === null ? null : { id, name: this.#config.webAuthn.rpName, origin: url.origin }
  }

  /**
   * As `at`.
   * @throws AppError `passkey_origin`, with the addresses where passkeys work
   */
  demandedAt(request: FastifyRequest): Party {
    const party = this.at(request)
    if (!party) throw new AppError('passkey_origin', { addresses: this.addressesFor(request) })
    return party
  }

  /** The origins of this appliance where passkeys of the browser that asks work, best first. */
  addressesFor({ raw }: Pick<FastifyRequest, 'raw'>): string[] {
    const isHere = isOwnMachine(raw)
    const supportsPasskeys = (address: string) => {
      const url = new URL(address)
      // To another machine, `localhost` is that machine.
      if (!isHere && isLoopback(url.hostname)) return false
      return isSecureContext(url) && this.#idFor(url) !== null
    }
    return [...new Set([...this.#configured(), ...this.#addresses()])].filter(supportsPasskeys)
  }

  /** A configured relying party id covers that name and its subdomains; without one each name is its own id. */
  #idFor({ hostname }: URL): string | null {
    const id = this.#config.webAuthn.rpId?.toLowerCase() ?? hostname
    return hostname === id || hostname.endsWith(`.${id}`) ? id : null
  }

  #isOurs(url: URL, own: URL): boolean {
    if (this.#configured().includes(url.origin)) return true
    if (url.host !== own.host) return false
    return [...this.#configured(), ...this.#addresses()].some((address) => new URL(address).hostname === url.hostname)
  }

  #configured(): string[] {
    const publicOrigin = this.#publicOrigin()
    return [...this.#config.webAuthn.origins, ...(publicOrigin ? [publicOrigin] : [])]
  }
}

const isSecureContext = ({ protocol, hostname }: URL): boolean =>
  isIP(hostname.replace(/^\[|\]$/g, '')) === 0 &&
  (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost'))
