import { once } from 'node:events'
import { isIP, type Socket, connect as tcpConnect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Agent, fetch, type RequestInit, type Response } from 'undici'
import type { AddressList } from '../../lib/address-list.ts'
import { second } from '../clock.ts'
import { isServerAddress } from './addresses.ts'
import { bareHost, isLocalName } from './hosts.ts'
import type { Names } from './names.ts'
import { pinnedAgent, pinnedLookup } from './pinned-agent.ts'

/** From the question for the name to the end of the TLS handshake. */
const connectMs = 4 * second
/** After so long every attempt to connect has ended; some timers are late by half a second. */
const settle: Settle = () => sleep(connectMs + second, undefined, { ref: false })

/** Resolves when a failure may be reported. */
export type Settle = () => Promise<void>

/**
 * A server did not answer, or may not be asked. The message and the time are the same whatever the reason: otherwise a
 * user who may enter an address could find out which ports of the network are open.
 */
export class Unreachable extends Error {
  constructor(cause?: unknown) {
    super('The server cannot be reached. Check its address, its port and its certificate.', { cause })
    this.name = 'Unreachable'
  }
}

/** The refusal of a host that `isBarred`. */
export const barredHost = 'must not be an address of the appliance itself, a link-local one or that of cloud metadata'

/** Servers whose address a person entered. They may lie in the local network, but not on the appliance itself. */
export class Destinations {
  readonly #names: Names
  readonly #alsoAllowed: AddressList
  readonly #settle: Settle
  readonly #agent = pinnedAgent((host) => this.#addressesFor(host), { timeout: connectMs })

  /** `alsoAllowed`: what the administrator of the machine permits beside that. */
  constructor(names: Names, alsoAllowed: AddressList, wait: Settle = settle) {
    this.#names = names
    this.#alsoAllowed = alsoAllowed
    this.#settle = wait
  }

  /** Whether the spelling of the host alone shows that it must never be asked. */
  isBarred(host: string): boolean {
    const bare = bareHost(host)
    if (isIP(bare)) return !this.#mayBe(bare)
    return isLocalName(bare) && !['127.0.0.1', '::1'].some((address) => this.#alsoAllowed.includes(address))
  }

  /** Follows no redirect. Rejects with `Unreachable` until the server has answered. */
  fetch(url: string, init: RequestInit): Promise<Response> {
    return this.#fetchBy(this.#agent, url, init)
  }

  /** The same from servers that this authority vouches for, PEM, and no other. */
  fetchTrusting(authority: string): { fetch: Destinations['fetch']; close: () => Promise<void> } {
    const agent = pinnedAgent((host) => this.#addressesFor(host), { timeout: connectMs, ca: [authority] })
    return { fetch: (url, init) => this.#fetchBy(agent, url, init), close: () => agent.destroy() }
  }

  /** For a program that connects by itself; rejects with `Unreachable`. */
  async addressesOf(host: string): Promise<string[]> {
    const settled = this.#settle()
    try {
      return await this.#addressesFor(host)
    } catch (error) {
      await settled
      throw error
    }
  }

  async #fetchBy(dispatcher: Agent, url: string, init: RequestInit): Promise<Response> {
    const settled = this.#settle()
    try {
      if (this.isBarred(new URL(url).hostname)) throw new Unreachable()
      return await fetch(url, { ...init, redirect: 'manual', dispatcher })
    } catch (error) {
      await settled
      throw error instanceof Unreachable ? error : new Unreachable(error)
    }
  }

  /** A connection without any data sent yet; rejects with `Unreachable`. */
  async connect(host: string, port: number): Promise<Socket> {
    const settled = this.#settle()
    let socket: Socket | undefined
    try {
      const addresses = await this.#addressesFor(host)
      socket = tcpConnect({
        host: bareHost(host),
        port,
        lookup: pinnedLookup(async () => addresses),
        autoSelectFamily: true,
      })
      await once(socket, 'connect', { signal: AbortSignal.timeout(connectMs) })
      return socket
    } catch (error) {
      socket?.destroy()
      await settled
      throw error instanceof Unreachable ? error : new Unreachable(error)
    }
  }

  /** Resolves when a failure to connect that begins now may be told. */
  settle(): Promise<void> {
    return this.#settle()
  }

  /** Cuts every connection; nothing can be fetched afterwards. */
  close(): Promise<void> {
    return this.#agent.destroy()
  }

  /** One forbidden address is enough to refuse, as we cannot choose which one is used. */
  async #addressesFor(host: string): Promise<string[]> {
    if (this.isBarred(host)) throw new Unreachable()
    const bare = bareHost(host)
    const addresses = isIP(bare) ? [bare] : await this.#names.addressesNow(bare)
    if (addresses.length === 0 || !addresses.every((address) => this.#mayBe(address))) throw new Unreachable()
    return addresses
  }

  #mayBe(address: string): boolean {
    return isServerAddress(address) || this.#alsoAllowed.includes(address)
  }
}
