import ipaddr from 'ipaddr.js'

/** The entries of a list that is written one per line. */
export const entriesOf = (text: string): string[] =>
  text
    .split(/[\n,;]/)
    .map((entry) => entry.trim())
    .filter(Boolean)

/**
 * Whether a list lets an address in, as far as the browser can tell; null where an entry is none the server would take.
 * Only for warning people: the server judges by itself.
 */
export function listIncludes(entries: readonly string[], address: string): boolean | null {
  try {
    const own = ipaddr.process(address)
    const networks = entries.map((entry) => (entry.includes('/') ? ipaddr.parseCIDR(entry) : whole(entry)))
    return networks.some(([base, bits]) => base.kind() === own.kind() && own.match(base, bits))
  } catch {
    return null
  }
}

function whole(entry: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const base = ipaddr.process(entry)
  return [base, base.kind() === 'ipv4' ? 32 : 128]
}

/** The entries the server refused, by the place it names; null when it named none. */
export function refusedEntries(fieldErrors: Record<string, string[]>, entries: readonly string[]): string[] | null {
  const refused = Object.keys(fieldErrors).flatMap((field) => {
    const [, place] = /\.ipAllowlist\.(\d+)$/.exec(field) ?? []
    return place === undefined ? [] : (entries[Number(place)] ?? [])
  })
  return refused.length > 0 ? refused : null
}
