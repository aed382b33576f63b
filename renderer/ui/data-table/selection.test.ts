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

test('a click with Shift does the same to all rows from the one before, in either direction', () => {
  expect(click(['b'], 'd', 'b')).toEqual(['b', 'c', 'd'])
  expect(click(['d'], 'b', 'd')).toEqual(['d', 'b', 'c'])
  expect(click(['a', 'b', 'c', 'd'], 'b', 'd')).toEqual(['a'])
})

test('a row clicked before that is not shown any more begins no range', () => {
  expect(click(['a'], 'c', 'gone')).toEqual(['a', 'c'])
})
