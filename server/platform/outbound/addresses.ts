import ipaddr from 'ipaddr.js'

const assigned = ipaddr.parseCIDR('2000::/3')
/** Beside loopback and link-local: where clouds tell a machine its own credentials (AWS, Google, Alibaba, Azure). */
const metadata = ['fd00:ec2::/32', 'fd20:ce::254/128', '100.100.100.200/32', '168.63.129.16/32'].map((range) =>
  ipaddr.parseCIDR(range),
)
const localNetworks = new Set<string>(['private', 'carrierGradeNat', 'uniqueLocal'])

/** Globally routable unicast, and nothing else. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  // The library counts as unicast what nobody has been given yet, IPv4 hidden in `::/96` among it.
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(assigned))
}

/** Public, or of the local network: not this machine itself, nothing link-local, no metadata of a cloud. */
export function isServerAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  const isMetadata = metadata.some((range) => range[0].kind() === address.kind() && address.match(range))
  return !isMetadata && (localNetworks.has(address.range()) || isPublicAddress(text))
}
