import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a text stands anywhere in a column, whatever the case. LIKE would compare letter by letter at each place, so
 * that a long text takes hundreds of times as long where it nearly fits.
 */
export function contains(column: RawBuilder<unknown>, text: string): RawBuilder<boolean> {
  if (isPlain(text)) return sql<boolean>`instr(lower(${column}), ${text.toLowerCase()}) > 0`
  return sql<boolean>`(${hasOtherLetters(column)} and instr(folded(${column}), ${folded(text)}) > 0)`
}

/** The same as SQL, for one parameter: what is to be bound to it. `isLowerCase`: the column holds small ASCII letters only. */
export const containsIn = (
  column: string,
  text: string,
  { isLowerCase = false } = {},
): { sql: string; parameter: string } =>
  isPlain(text)
    ? { sql: `instr(${isLowerCase ? column : `lower(${column})`}, +?) > 0`, parameter: text.toLowerCase() }
    : {
        sql: `(octet_length(${column}) > length(${column}) AND instr(folded(${column}), +?) > 0)`,
        parameter: folded(text),
      }

/** Letters beyond ASCII, which take more than a byte: `folded` is not asked about names that have none. */
const hasOtherLetters = (column: RawBuilder<unknown>) => sql<boolean>`octet_length(${column}) > length(${column})`

/** SQLite itself knows the case of ASCII letters only; other letters here have none. */
export const isPlain = (text: string): boolean =>
  /^\p{ASCII}*$/u.test(text) || text.toLowerCase() === text.toUpperCase()

/** In small letters; a sigma is the same at the end of a word. */
export const folded = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/** Each trigram costs a lookup in the index, and one that is common takes longest. The end of a name tells most. */
const trigramsOfStart = 2
const trigramsOfEnd = 6

/**
 * For a MATCH on an index of trigrams: finds all names that contain the text, and others that have the same trigrams
 * elsewhere. To ask for the trigrams in their order takes as long as a name and the text are long multiplied.
 */
export function trigramsOf(text: string): string {
  const letters = [...text]
  const all = [...new Set(letters.slice(2).map((_, at) => letters.slice(at, at + 3).join('')))]
  const some = new Set([...all.slice(0, trigramsOfStart), ...all.slice(-trigramsOfEnd)])
  return [...some].map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
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
