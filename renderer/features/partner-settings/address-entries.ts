/** The entries of a list with one per line. */
export const parseAddressEntries = (text: string): string[] =>
  text
    .split(/[\n,;]/)
    .map((entry) => entry.trim())
    .filter(Boolean)

/** The refused entries with their index; null if the server named none. */
export function refusedEntries(fieldErrors: Record<string, string[]>, entries: readonly string[]): string[] | null {
  const refused = Object.keys(fieldErrors).flatMap((field) => {
    const [, index] = /(?:^|\.)ipAllowlist\.(\d+)$/.exec(field) ?? []
    return index === undefined ? [] : (entries[Number(index)] ?? [])
  })
  return refused.length > 0 ? refused : null
}
