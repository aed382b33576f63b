import ipaddr from 'ipaddr.js'
import type { Range } from '../../../platform/outbound/index.ts'

const cloudMetadata = ipaddr.parse('fd00:ec2::254')
const fewestBits = { ipv4: 16, ipv6: 48 }

/**
 * Parses a range of private addresses that the operator may list.
 * @throws Error that says why it may not be listed
 */
export function parseListable(text: string): Range {
  if (!ipaddr.isValidCIDR(text)) throw new Error(`"${text}" is not a range like 10.20.0.15/32`)
  const range = ipaddr.parseCIDR(text)
  const [address, bits] = range
  const kind = address.kind()
  switch (address.range()) {
    case 'loopback':
      if (bits !== (kind === 'ipv4' ? 32 : 128) || !['127.0.0.1', '::1'].includes(address.toString()))
        throw new Error(`"${text}": of this machine itself only 127.0.0.1/32 and ::1/128 may be listed`)
      return range
    case 'private':
    case 'carrierGradeNat':
    case 'uniqueLocal':
      if (bits < fewestBits[kind]) throw new Error(`"${text}" is too wide; /${fewestBits[kind]} is the widest`)
      if (kind === 'ipv6' && cloudMetadata.match(range)) throw new Error(`"${text}" holds the metadata of a cloud`)
      return range
    default:
      throw new Error(`"${text}" is not of a private network`)
  }
}

export const isLoopback = ([address]: Range): boolean => address.range() === 'loopback'
