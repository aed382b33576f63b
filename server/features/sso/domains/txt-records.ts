import { Resolver } from 'node:dns/promises'
import { toError } from '../../../../shared/thrown.ts'
import { second } from '../../../platform/clock.ts'

const timeoutMs = 5 * second

/** Looks up TXT records, at `servers` or, where that is empty, at the DNS servers of the system. */
export class TxtRecords {
  readonly #servers: readonly string[]

  /** @throws Error for a server that is no IP address */
  constructor(servers: readonly string[]) {
    this.#servers = servers
    this.#resolver()
  }

  /** The records at a name, the chunks of each joined; none where the look-up fails or takes more than five seconds. */
  async at(name: string): Promise<string[]> {
    const resolver = this.#resolver()
    const timer = setTimeout(() => resolver.cancel(), timeoutMs)
    try {
      return (await resolver.resolveTxt(name)).map((chunks) => chunks.join('').trim())
    } catch {
      return []
    } finally {
      clearTimeout(timer)
    }
  }

  /** One for each look-up, because canceling affects all look-ups of a resolver. */
  #resolver(): Resolver {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
    try {
      if (this.#servers.length > 0) resolver.setServers(this.#servers)
    } catch (error) {
      throw new Error(`SSO_DNS_RESOLVERS must list addresses: ${toError(error).message}`)
    }
    return resolver
  }
}
