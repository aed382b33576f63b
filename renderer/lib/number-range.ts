import { count } from './format.ts'

export interface NumberRange {
  min: number
  max: number
  /** Whether an empty field means something, such as no limit. */
  isOptional?: true
  /** Whether there is something between 1 and 2. */
  isFraction?: true
}

/** How many of something there may be; an empty field is as many as one likes. */
export const limitRange: NumberRange = { min: 0, max: 2_147_483_647, isOptional: true }
/** How many devices one key may let in. */
export const keyUsageRange: NumberRange = { min: 1, max: 100_000 }

/** What is wrong with a number as its field has it. Nothing is put right in silence: who typed -3 meant something else. */
export function rangeError(entered: number | string, { min, max, isOptional, isFraction }: NumberRange) {
  if (entered === '') return isOptional ? null : `Enter a number from ${count(min)} to ${count(max)}`
  const number = Number(entered)
  if (Number.isNaN(number)) return 'Enter a number'
  if (number < min) return `It has to be at least ${count(min)}`
  if (number > max) return `It can be at most ${count(max)}`
  return isFraction || Number.isInteger(number) ? null : 'Enter a whole number'
}

/** The same as a rule of a form. */
export const inRange = (range: NumberRange) => (entered: number | string) => rangeError(entered, range)
