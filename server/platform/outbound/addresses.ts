import ipaddr from 'ipaddr.js'

/** A network, such as `ipaddr.parseCIDR('10.0.0.0/8')` gives it. */
export type Range = ReturnType<typeof ipaddr.parseCIDR>

const assigned = ipaddr.parseCIDR('2000::/3')
/** Beside loopback and link-local: where clouds tell a machine its own credentials (AWS, Google, Alibaba, Azure). */
const metadata = ['fd00:ec2::/32', 'fd20:ce::254/128', '100.100.100.200/32', '168.63.129.16/32'].map((range) =>
  ipaddr.parseCIDR(range),
)
const localNetworks = new Set<string>(['private', 'carrierGradeNat', 'uniqueLocal'])

/** Whether the address lies in one of these networks; IPv4 mapped into IPv6 counts as IPv4. */
export function isWithin(text: string, ranges: readonly Range[]): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return ranges.some((range) => range[0].kind() === address.kind() && address.match(range))
}

/** Globally routable unicast, and nothing else. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  // The library counts as unicast what nobody has been given yet, IPv4 hidden in `::/96` among it.
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(assigned))
}

/** Public, or of the local network: not this machine itself, nothing link-local, no metadata of a cloud. */
export function isServerAddress(text: string): boolean {
  if (!ipaddr.isValid(text) || isWithin(text, metadata)) return false
  return localNetworks.has(ipaddr.process(text).range()) || isPublicAddress(text)
}
