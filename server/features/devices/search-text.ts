import { containsIn, folded, isIndexed, isPlain, trigramsOf } from '../../db/like.ts'
import type { Condition } from './condition.ts'

/** A text as it is looked for: as it stands, and a part of a MAC address as its digits, which is how they are indexed. */
export function spellingsOf(text: string): string[] {
  const digits = digitsOfMacAddress(text)
  return digits === undefined ? [text] : [text, digits]
}

/** Texts, as `texts`, with one of the spellings in their lines. */
export function linesHave(spellings: readonly string[]): Condition {
  const each = spellings.map((spelling) => containsIn('texts.lines', spelling, { isLowerCase: true }))
  return {
    sql: `(${each.map(({ sql }) => sql).join(' OR ')})`,
    parameters: each.map(({ parameter }) => parameter),
  }
}

/**
 * Devices with a value that contains one of the spellings, by looking at each of them. Not `EXISTS`: SQLite would make a
 * join of it, and then chooses badly among the tables.
 */
export function contains(spellings: readonly string[]): Condition {
  const { sql, parameters } = linesHave(spellings)
  return {
    sql: `(SELECT 1 FROM device_search_texts AS texts
      WHERE texts.id BETWEEN devices.seq * 4 AND devices.seq * 4 + 3 AND ${sql} LIMIT 1) = 1`,
    parameters,
  }
}

/**
 * Finds the ids of texts that may contain one of the spellings, by their trigrams: of less than three characters, trigrams
 * that begin with it. Null for a few letters whose case the index may know otherwise.
 */
export function candidatesOf(spellings: readonly string[]): Condition | null {
  const [text = ''] = spellings
  if (isIndexed(text)) {
    const match = spellings.map((spelling) => `(${trigramsOf(spelling)})`).join(' OR ')
    return { sql: 'SELECT rowid AS id FROM device_search WHERE device_search MATCH ?', parameters: [match] }
  }
  if (!isPlain(text) && !hasSameCase.test(text)) return null
  const first = folded(text)
  return {
    sql: 'SELECT doc AS id FROM device_search_terms WHERE term >= ? AND term < ?',
    parameters: [first, `${first}\u{10ffff}`],
  }
}

/** Latin, Greek and Cyrillic letters that the index puts into the same small letters as we do. */
const hasSameCase = /^[\p{ASCII}\u00c0-\u012f\u0131-\u017e\u0386-\u03ce\u0400-\u0527]*$/u

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
