/** The text for a LIKE with `ESCAPE '\'`, where `%` and `_` in it mean themselves. */
export const literally = (text: string): string => text.replace(/[\\%_]/g, (sign) => `\\${sign}`)

/** The text for a MATCH on an index of trigrams, which finds it anywhere in a name, whatever its case. */
export const phrase = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** Fewer characters make no trigram. */
export const isIndexed = (text: string): boolean => [...text].length >= 3
