/** The text for a LIKE with `ESCAPE '\'`, where `%` and `_` in it mean themselves. */
export const literally = (text: string): string => text.replace(/[\\%_]/g, (sign) => `\\${sign}`)
