/** A name as people compare it: whatever its case and the white space in and around it. */
export const nameKey = (name: string): string =>
  name
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toLowerCase()

/** Letters that are not another one with a mark on it. */
const alone: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }

/** Without the marks, as somebody writes who has only the letters from a to z. */
const unmarked = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => alone[letter] ?? letter)

/**
 * What lists sort a name by, letter for letter: `Änne` stands where people look for it, after `Anne` and before `Anton`.
 * Equal for those names, and only those, whose `nameKey` is equal.
 */
export function nameOrder(name: string): string {
  const key = nameKey(name)
  if (/^[ -~]*$/.test(key)) return key
  const plain = unmarked(key)
  return plain === key ? key : `${plain}\u0001${key}`
}

/** A short name made from a name: words from a to z and 0 to 9, joined by hyphens. Empty if there are none. */
export const slugFrom = (name: string, maxLength: number): string =>
  unmarked(name)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, maxLength)
    .replace(/-$/, '')

/** Of those who share a `nameKey` the ones that are written just so, where there are any. */
export function bestNamed<Named extends { name: string }>(alike: readonly Named[], name: string): readonly Named[] {
  const same = alike.filter((one) => one.name.trim() === name.trim())
  return same.length > 0 ? same : alike
}
