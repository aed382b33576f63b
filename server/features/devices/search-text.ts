import { isIndexed, isPlain, trigramsOf } from '../../db/like.ts'
import type { Condition } from './condition.ts'

/** A text as it is looked for: as it stands, and a part of a MAC address as its digits, which is how they are indexed. */
export function spellingsOf(text: string): string[] {
  const digits = digitsOfMacAddress(text)
  return digits === undefined ? [text] : [text, digits]
}

/**
 * Finds the ids of texts that may contain the text, by their trigrams: with less than three characters, trigrams that begin
 * with it. Null for a few letters whose case the index may know otherwise.
 */
export function candidatesOf(text: string): Condition | null {
  if (isIndexed(text))
    return { sql: 'SELECT rowid AS id FROM device_search WHERE device_search MATCH ?', parameters: [matchOf(text)] }
  const lower = text.toLowerCase()
  if (!isPlain(text) && lower !== text.toUpperCase()) return null
  return {
    sql: 'SELECT doc AS id FROM device_search_terms WHERE term >= ? AND term < ?',
    parameters: [lower, `${lower}\u{10ffff}`],
  }
}

const matchOf = (text: string): string =>
  spellingsOf(text)
    .map((spelling) => `(${trigramsOf(spelling)})`)
    .join(' OR ')

/** Parts of a MAC address. What has colons is hardly anything else; with hyphens or dots it may be a name or a number. */
const notations = [
  /^[0-9a-f]{1,2}:[0-9a-f]{2}(:[0-9a-f]{2}){0,4}(:[0-9a-f]?)?$/,
  /^[0-9a-f]{1,2}(-[0-9a-f]{2}){2,5}(-[0-9a-f]?)?$/,
  /^[0-9a-f]{4}\.[0-9a-f]{4}(\.[0-9a-f]{0,4})?$|^[0-9a-f]{4}\.[0-9a-f]{2,4}$|^[0-9a-f]{2,4}\.[0-9a-f]{4}$/,
  /^[0-9a-f]{2}(\.[0-9a-f]{2}){5}$/,
]

/** Undefined for what is no part of a MAC address, or has nothing between its digits. */
export function digitsOfMacAddress(text: string): string | undefined {
  const lower = text.toLowerCase()
  return notations.some((notation) => notation.test(lower)) ? lower.replace(/[^0-9a-f]/g, '') : undefined
}
