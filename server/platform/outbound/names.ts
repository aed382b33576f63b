import { lookup } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { type Clock, second } from '../clock.ts'

/** Every address of a name, of both families; rejects when it has none. */
export type Resolve = (host: string) => Promise<string[]>

/** As every other program of this machine resolves it, its hosts file included. */
export const systemResolve: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

const patience = 3 * second
const lifetime = 60 * second
const maxNames = 500
/** A look-up holds one of the four pool threads, which also hash passwords, for as long as the name server likes. */
const maxLookUps = 2

/** Names and their addresses. */
export class Names {
  readonly #resolve: Resolve
  readonly #clock: Clock
  readonly #known = new LRUCache<string, { addresses: string[]; until: number }>({ max: maxNames })
  readonly #asked = new Map<string, Promise<string[]>>()
  readonly #inTurn = pLimit(maxLookUps)

  constructor(resolve: Resolve, clock: Clock) {
    this.#resolve = resolve
    this.#clock = clock
  }

  /** Asks anew; empty when the name has no address, or no answer came within three seconds. */
  async addressesNow(host: string): Promise<string[]> {
    const timer = new AbortController()
    const late = sleep(patience, [], { signal: timer.signal, ref: false }).catch(() => [])
    const addresses = await Promise.race([this.#ask(host), late])
    timer.abort()
    if (addresses.length > 0) this.#known.set(host, { addresses, until: this.#clock.monotonic() + lifetime })
    return addresses
  }

  /** As `addressesNow`, up to a minute old. */
  async addresses(host: string): Promise<string[]> {
    const known = this.#known.get(host)
    return known && known.until > this.#clock.monotonic() ? known.addresses : this.addressesNow(host)
  }

  /** Concurrent look-ups of a name share one answer. */
  #ask(host: string): Promise<string[]> {
    const asking =
      this.#asked.get(host) ??
      this.#inTurn(() => this.#resolve(host))
        .catch(() => [])
        .finally(() => this.#asked.delete(host))
    this.#asked.set(host, asking)
    return asking
  }
}
