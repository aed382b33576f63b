import { isIPv6 } from 'node:net'

/** As an address says it: IPv6 without its brackets, and IPv4 spelled as a number is four numbers. */
export function bareHost(host: string): string {
  const { hostname } = URL.parse(`http://${isIPv6(host) ? `[${host}]` : host}`) ?? { hostname: host }
  return hostname.replace(/^\[|\]$/g, '')
}

/** The name of this machine for itself, wherever it resolves to. */
export const isLocalName = (host: string): boolean => /^(.*\.)?localhost\.?$/i.test(host)
