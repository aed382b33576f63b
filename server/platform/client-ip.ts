import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

/** The TCP peer; an IPv4 address that arrives mapped into IPv6 is told as IPv4. */
export function clientIp(request: IncomingMessage): string {
  const address = request.socket.remoteAddress ?? ''
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address.replace(/%.*$/, '')
}

/** What a rate limit counts by: one IPv6 customer owns a whole /64. */
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

export const isLoopback = (ip: string): boolean => ip === '::1' || ip.startsWith('127.')
