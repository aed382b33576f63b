import { stringify } from 'csv-stringify/sync'

/**
 * Where a spreadsheet would start a formula: at the beginning of a cell, also after invisible characters; and after a
 * semicolon or a line break, which end a cell in many locales.
 */
const formula = /^(?=[\t\r\n]|[\s\p{C}]*[=+\-@＝＋－＠])|(?<=[;\t\r\n])(?=[=+\-@＝＋－＠])/gu

/** Rows as CSV in which an apostrophe marks texts that a spreadsheet would otherwise run as formulas. */
export const csvOf = (rows: string[][]): string =>
  stringify(rows, { quoted: true, quoted_empty: true, cast: { string: (text) => text.replaceAll(formula, "'") } })
