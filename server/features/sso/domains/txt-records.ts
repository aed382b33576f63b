import { Resolver } from 'node:dns/promises'
import { second } from '../../../platform/clock.ts'

const patience = 5 * second

/** Looks up TXT records; `servers` are asked instead of the system's where there are any. */
export class TxtRecords {
  readonly #servers: readonly string[]

  /** Throws an error for a server that is no address. */
  constructor(servers: readonly string[]) {
    this.#servers = servers
    this.#resolver()
  }

  /** Each record in one piece; none when nobody answers within five seconds: that is no proof of anything. */
  async at(name: string): Promise<string[]> {
    const resolver = this.#resolver()
    const timer = setTimeout(() => resolver.cancel(), patience)
    try {
      return (await resolver.resolveTxt(name)).map((chunks) => chunks.join('').trim())
    } catch {
      return []
    } finally {
      clearTimeout(timer)
    }
  }

  /** One for each look-up: to cancel one is to cancel all of a resolver. */
  #resolver(): Resolver {
    const resolver = new Resolver({ timeout: patience, tries: 1 })
    try {
      if (this.#servers.length > 0) resolver.setServers(this.#servers)
    } catch (error) {
      throw new Error(`SSO_DNS_RESOLVERS must list addresses: ${(error as Error).message}`)
    }
    return resolver
  }
}
