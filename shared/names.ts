/** A name as people compare it: whatever its case and the white space in and around it. */
export const nameKey = (name: string): string =>
  name
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toLowerCase()

/** Of those who share a `nameKey` the ones that are written just so, where there are any. */
export function bestNamed<Named extends { name: string }>(alike: readonly Named[], name: string): readonly Named[] {
  const same = alike.filter((one) => one.name.trim() === name.trim())
  return same.length > 0 ? same : alike
}
