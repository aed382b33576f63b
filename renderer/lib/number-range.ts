import { count } from './format.ts'

export interface NumberRange {
  min: number
  max: number
  /** Whether the field may be empty, for example for no limit. */
  isOptional?: true
  /** Whether fractions are allowed. */
  isFraction?: true
}

/** A limit; empty for none. */
export const limitRange: NumberRange = { min: 0, max: 2_147_483_647, isOptional: true }
/** How many devices one key may enroll. */
export const keyUsageRange: NumberRange = { min: 1, max: 100_000 }

/** Error in a number as entered. Values are never corrected silently, because -3 may be a typing error for anything. */
export function rangeError(entered: number | string, { min, max, isOptional, isFraction }: NumberRange) {
  if (entered === '') return isOptional ? null : `Enter a number from ${count(min)} to ${count(max)}`
  const number = Number(entered)
  if (Number.isNaN(number)) return 'Enter a number'
  if (number < min) return `Enter at least ${count(min)}`
  if (number > max) return `Enter at most ${count(max)}`
  return isFraction || Number.isInteger(number) ? null : 'Enter a whole number'
}

/** As a validation rule of a form. */
export const inRange = (range: NumberRange) => (entered: number | string) => rangeError(entered, range)
