/** People write phone numbers with spaces, dashes and brackets; the contracts take none. */
export const normalizePhoneNumber = (number: string): string => number.replace(/[\s()./-]/g, '')
