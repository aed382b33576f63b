/** Contracts take no spaces, dashes or parentheses. */
export const normalizePhoneNumber = (number: string): string => number.replace(/[\s()./-]/g, '')
