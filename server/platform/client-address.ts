import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { ProxyRules } from '../config/config.ts'
import { AddressList, normalizeAddress } from '../lib/address-list.ts'

export interface ClientAddress {
  /** The client as far as it is known: through a trusted proxy, else the TCP peer. */
  ip: string
  /** A trusted proxy vouches for `ip`; an allowlist goes by nothing less. */
  isVouchedFor: boolean
  /** The client's own connection is encrypted. */
  isSecure: boolean
}

/** Determines where a request comes from. Forwarding headers count only from a trusted proxy. */
export class ClientAddresses {
  readonly #rules: ProxyRules
  readonly #proxies: AddressList

  constructor(rules: ProxyRules) {
    this.#rules = rules
    this.#proxies = new AddressList(rules.cidrs)
  }

  of({ socket, headers }: IncomingMessage): ClientAddress {
    const peer = normalizeAddress(socket.remoteAddress ?? '') ?? ''
    const isEncrypted = 'encrypted' in socket && socket.encrypted === true
    if (!this.#rules.isTrusting || !this.#proxies.includes(peer))
      return { ip: peer, isVouchedFor: false, isSecure: isEncrypted }
    const ip = this.#forwarded(headers)
    const proto = last(headers['x-forwarded-proto'])?.toLowerCase()
    return { ip: ip ?? peer, isVouchedFor: ip !== null, isSecure: proto ? proto === 'https' : isEncrypted }
  }

  #forwarded(headers: IncomingHttpHeaders): string | null {
    const cloudflare = this.#rules.trustsCloudflare ? last(headers['cf-connecting-ip']) : undefined
    if (cloudflare) return withoutPort(cloudflare)
    const chain = listOf(headers['x-forwarded-for'])
    if (chain.length === 0) return withoutPort(last(headers['x-real-ip']) ?? '')
    // Proxies append: from the right, the first address that is none of ours is the client. What stands left of it
    // the client may have made up.
    const hops = chain.map(withoutPort).reverse()
    return hops.find((hop) => hop === null || !this.#proxies.includes(hop)) ?? null
  }
}

const listOf = (header: string | string[] | undefined): string[] =>
  [header ?? []]
    .flat()
    .flatMap((line) => line.split(','))
    .map((part) => part.trim())
    .filter(Boolean)
const last = (header: string | string[] | undefined): string | undefined => listOf(header).at(-1)

/** `203.0.113.9:4711` and `[2001:db8::1]:443` are ways proxies write an address. */
function withoutPort(text: string): string | null {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1]
  const [, host] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text) ?? []
  return normalizeAddress(bracketed ?? host ?? text)
}

/**
 * What a rate limit counts by: one IPv6 customer owns a whole /64. Expands `::` itself, because every request passes here
 * and ipaddr.js takes 17 times as long.
 */
export function limitKey(ip: string): string {
  if (!isIPv6(ip)) return ip
  const [head = '', tail = ''] = ip.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const groups = ip.includes('::')
    ? [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
    : left
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

const isLoopback = (ip: string): boolean => ipaddr.isValid(ip) && ipaddr.parse(ip).range() === 'loopback'

const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']
const ownName = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/**
 * Whether a program on this machine calls for itself: from a loopback address, under a loopback name (a foreign name
 * would be DNS rebinding) and without forwarding headers (those come from a proxy).
 */
export function isOwnMachine({ socket, headers }: IncomingMessage): boolean {
  const peer = normalizeAddress(socket.remoteAddress ?? '') ?? ''
  return isLoopback(peer) && ownName.test(headers.host ?? '') && !forwarding.some((name) => name in headers)
}
