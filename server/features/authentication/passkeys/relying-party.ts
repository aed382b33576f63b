import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../../config/config.ts'
import { AppError } from '../../../platform/errors.ts'

/** The name and the origin a passkey ceremony is bound to. */
export interface Party {
  id: string
  name: string
  origin: string
}

/**
 * A passkey belongs to the host name it was made at, and one appliance has several. A ceremony is held at the name in
 * use if it is a name of this appliance; an IP address never is one, and browsers want a secure context.
 */
export class RelyingParty {
  readonly #config: Pick<Config, 'webAuthn' | 'publicUrl'>
  readonly #addresses: () => string[]

  /** `addresses` are the origins at which the appliance is to be found. */
  constructor(config: Pick<Config, 'webAuthn' | 'publicUrl'>, addresses: () => string[]) {
    this.#config = config
    this.#addresses = addresses
  }

  /** Null where passkeys do not work. */
  at(request: FastifyRequest): Party | null {
    const own = URL.parse(`${request.origin.isSecure ? 'https' : 'http'}://${request.headers.host}`)
    const url = request.headers.origin ? URL.parse(request.headers.origin) : own
    if (!own || !url || !this.#isOurs(url, own) || !isSecureContext(url)) return null
    const id = this.#idFor(url)
    return id === null ? null : { id, name: this.#config.webAuthn.rpName, origin: url.origin }
  }

  /** As `at`; where there is none, the refusal tells where there is. */
  demandedAt(request: FastifyRequest): Party {
    const party = this.at(request)
    if (!party) throw new AppError('passkey_origin', { addresses: this.addresses() })
    return party
  }

  /** Where in this appliance passkeys work, best first. */
  addresses(): string[] {
    const works = (address: string) => {
      const url = new URL(address)
      return isSecureContext(url) && this.#idFor(url) !== null
    }
    return [...new Set([...this.#configured(), ...this.#addresses()])].filter(works)
  }

  /** The configured name holds for itself and every name below it; without one, each name stands for itself. */
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
    const { webAuthn, publicUrl } = this.#config
    return [...webAuthn.origins, ...(publicUrl ? [publicUrl] : [])]
  }
}

const isSecureContext = ({ protocol, hostname }: URL): boolean =>
  isIP(hostname.replace(/^\[|\]$/g, '')) === 0 &&
  (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost'))
