import { expect, test } from 'vitest'
import { pageOf } from './page-of.ts'

const list = ['a', 'b', 'c', 'd', 'e']

test.each([
  [1, ['a', 'b'], 1],
  [3, ['e'], 3],
  [9, ['e'], 3],
])('page %i', (page, rows, shown) => {
  expect(pageOf(list, page, 2)).toEqual({ rows, pagination: { page: shown, limit: 2, total: 5 } })
})

test('an empty list has one page', () => {
  expect(pageOf([], 4, 2)).toEqual({ rows: [], pagination: { page: 1, limit: 2, total: 0 } })
})
