/** Quotes one argument of a command line. */
export type Quote = (text: string) => string

const needsNoQuotes = /^[A-Za-z0-9_./:@%+=-]+$/

/** For sh, bash and zsh: nothing inside single quotes means anything to them. */
export const shellQuote: Quote = (text) => (needsNoQuotes.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** For PowerShell, which also takes the typographic single quotes for quotes; always quoted, `@` and `%` mean things. */
export const powerShellQuote: Quote = (text) => `'${text.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`
