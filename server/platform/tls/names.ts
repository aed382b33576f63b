import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { domainToASCII } from 'node:url'
import ipaddr from 'ipaddr.js'

/** The names and addresses under which clients reach this machine. */
export interface HostNames {
  dns: string[]
  ip: string[]
}

const loopback: HostNames = { dns: ['localhost'], ip: ['127.0.0.1', '::1'] }
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const dnsName = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})*$`)

/** Host name, its `.local` name, every LAN address, and the loopback names. */
export function machineNames(): HostNames {
  const host = hostname()
  const [short] = host.split('.')
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal }) => !internal)
  return certifiable({ dns: [host, `${short}`, `${short}.local`], ip: addresses.map(({ address }) => address) })
}

/**
 * What of `names` a certificate can carry: sorted, unique, in canonical form, always with the loopback names.
 * A name that is no DNS name (an underscore, a label over 63 characters) is left out: it must not cost the others TLS.
 */
export function certifiable(names: HostNames): HostNames {
  return {
    dns: [...new Set([...loopback.dns, ...names.dns.map(canonicalName).filter((name) => name !== null)])].sort(),
    ip: [...new Set([...loopback.ip, ...names.ip.map(canonicalAddress).filter((ip) => ip !== null)])].sort(),
  }
}

function canonicalName(name: string): string | null {
  // Follows the rules of URLs: umlauts become punycode, and "12345" becomes the address browsers take it for.
  const ascii = domainToASCII(name)
  return dnsName.test(ascii) && isIP(ascii) === 0 ? ascii : null
}

function canonicalAddress(address: string): string | null {
  if (isIP(address) === 4) return address
  if (isIP(address) !== 6 || address.includes('%')) return null
  // Valid only together with an interface, so no certificate and no URL can carry them.
  if (ipaddr.parse(address).range() === 'linkLocal') return null
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}
