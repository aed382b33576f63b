import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a text stands anywhere in a column, whatever the case. LIKE would compare letter by letter at each place, so
 * that a long text takes hundreds of times as long where it nearly fits.
 */
export const contains = (column: RawBuilder<unknown>, text: string): RawBuilder<boolean> =>
  isPlain(text)
    ? sql<boolean>`instr(lower(${column}), lower(${text})) > 0`
    : sql<boolean>`instr(folded(${column}), ${folded(text)}) > 0`

/** The same as SQL, for one parameter: what is to be bound to it. `isLowerCase`: the column holds small ASCII letters only. */
export const containsIn = (
  column: string,
  text: string,
  { isLowerCase = false } = {},
): { sql: string; parameter: string } =>
  isPlain(text)
    ? { sql: `instr(${isLowerCase ? column : `lower(${column})`}, +?) > 0`, parameter: text.toLowerCase() }
    : { sql: `instr(folded(${column}), +?) > 0`, parameter: folded(text) }

/** SQLite itself knows the case of ASCII letters only. */
export const isPlain = (text: string): boolean => /^\p{ASCII}*$/u.test(text)

/** In small letters; a sigma is the same at the end of a word. */
export const folded = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/** Each trigram costs a lookup in the index. */
const maxTrigrams = 16

/**
 * For a MATCH on an index of trigrams: finds all names that contain the text, and others that have the same trigrams
 * elsewhere. To ask for the trigrams in their order takes as long as a name and the text are long multiplied.
 */
export function trigramsOf(text: string): string {
  const letters = [...text]
  const all = [...new Set(letters.slice(2).map((_, at) => letters.slice(at, at + 3).join('')))]
  const step = Math.max(1, all.length / maxTrigrams)
  const some = Array.from({ length: Math.min(all.length, maxTrigrams) }, (_, n) => all[Math.floor(n * step)] ?? '')
  return some.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
}

/** Up to this many characters a phrase search of the index is fast. */
const longestPhrase = 12

/** The same for those that have the first letters in their order; exact where the text is no longer than that. */
export function phraseOf(text: string): { match: string; isExact: boolean } {
  const letters = [...text]
  const first = `"${letters.slice(0, longestPhrase).join('').replaceAll('"', '""')}"`
  const isExact = letters.length <= longestPhrase
  return { match: isExact ? first : `${first} AND ${trigramsOf(text)}`, isExact }
}

/** Fewer characters make no trigram. */
export const isIndexed = (text: string): boolean => [...text].length >= 3
