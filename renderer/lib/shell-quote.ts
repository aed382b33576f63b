/** Quotes one argument of a command line. */
export type Quote = (text: string) => string

const needsNoQuotes = /^[A-Za-z0-9_./:@%+=-]+$/

/** For sh, bash and zsh, which interpret nothing within single quotes. */
export const shellQuote: Quote = (text) => (needsNoQuotes.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** For PowerShell, where typographic single quotes count as quotes; always quoted, since `@` and `%` have a meaning. */
export const powerShellQuote: Quote = (text) => `'${text.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`
