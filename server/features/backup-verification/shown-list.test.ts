import { expect, test } from 'vitest'
import { isListOf } from './shown-list.ts'

test.each([
  [10, 0, 10, true],
  [10, 0, 9, false],
  [10, 0, 11, false],
  [10, 2, 8, true],
  [10, 2, 10, true],
  [10, 2, 7, false],
  [0, 0, 0, true],
])('of %i entries, %i of them with unclear names, a list with %i can be the one: %s', (all, unclear, shown, isOne) => {
  expect(isListOf({ files: all, all, unclear }, { files: shown, folders: 0 })).toBe(isOne)
})
