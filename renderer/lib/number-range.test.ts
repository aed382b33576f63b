import { expect, test } from 'vitest'
import { cap } from '../../shared/fields.ts'
import { limitRange, rangeError } from './number-range.ts'

const days = { min: 1, max: 3650 }

test.each([
  [1, null],
  [3650, null],
  ['30', null],
  ['', 'Enter a number from 1 to 3,650'],
  ['-', 'Enter a number'],
  [-3, 'Enter at least 1'],
  ['99999999999999999999', 'Enter at most 3,650'],
  [1.5, 'Enter a whole number'],
])('%j in the range 1 to 3,650: %s', (entered, complaint) => {
  expect(rangeError(entered, days)).toBe(complaint)
})

test('an empty limit is accepted, and so is a fraction where the range allows it', () => {
  expect(rangeError('', limitRange)).toBeNull()
  expect(rangeError(0.5, { min: 0, max: 10, isFraction: true })).toBeNull()
})

test('the range of a limit accepts the same values as the service', () => {
  for (const entered of [-1, 0, 0.5, limitRange.max, limitRange.max + 1])
    expect(rangeError(entered, limitRange) === null).toBe(cap.safeParse(entered).success)
})
