/** People write phone numbers with spaces, dashes and brackets; the contracts take none. */
export const plainPhoneNumber = (number: string): string => number.replace(/[\s()./-]/g, '')
