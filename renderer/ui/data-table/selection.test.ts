import { expect, test } from 'vitest'
import { selectionAfterClick } from './selection.ts'

const keys = ['a', 'b', 'c', 'd', 'e']
const click = (selected: string[], clicked: string, rangeFrom?: string) => [
  ...selectionAfterClick(keys, new Set(selected), clicked, rangeFrom),
]

test('a click selects a row or takes it out again', () => {
  expect(click([], 'b')).toEqual(['b'])
  expect(click(['a'], 'b')).toEqual(['a', 'b'])
  expect(click(['a', 'b'], 'a')).toEqual(['b'])
})

test('a click with Shift selects or clears all rows from the one before, in either direction', () => {
  expect(click(['b'], 'd', 'b')).toEqual(['b', 'c', 'd'])
  expect(click(['d'], 'b', 'd')).toEqual(['d', 'b', 'c'])
  expect(click(['a', 'b', 'c', 'd'], 'b', 'd')).toEqual(['a'])
})

test('a click with Shift starts no range from a row that is not shown any more', () => {
  expect(click(['a'], 'c', 'gone')).toEqual(['a', 'c'])
})
