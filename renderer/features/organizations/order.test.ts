import { expect, test } from 'vitest'
import { currentOrder, orderAfterMove } from './order.ts'

const made = (id: string, day: number) => ({ id, createdAt: `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z` })

test('organizations that were never put in order come last, the oldest first', () => {
  expect(currentOrder(['c', 'a'], [made('a', 1), made('b', 9), made('c', 3), made('d', 4)])).toEqual([
    'c',
    'a',
    'd',
    'b',
  ])
})

test('ids that are saved but not shown stay in the order', () => {
  expect(currentOrder(['archived', 'a'], [made('a', 1)])).toEqual(['archived', 'a'])
})

const shown = new Set(['a', 'b', 'c', 'd'])

test.each([
  ['d', 1, 'd a b c'],
  ['d', 3, 'a b d c'],
  ['a', 2, 'b a c d'],
  ['a', 4, 'b c d a'],
  ['a', 99, 'b c d a'],
  ['b', 2, 'a b c d'],
])('moving %s to position %i makes %s', (id, position, expected) => {
  expect(orderAfterMove(['a', 'b', 'c', 'd'], shown, id, position).join(' ')).toBe(expected)
})

test('an archived organization keeps its neighbour and takes no position', () => {
  expect(orderAfterMove(['a', 'x', 'b', 'c', 'd'], shown, 'd', 2)).toEqual(['a', 'x', 'd', 'b', 'c'])
  expect(orderAfterMove(['a', 'b', 'c', 'd', 'x'], shown, 'a', 4)).toEqual(['b', 'c', 'd', 'a', 'x'])
})
