import { expect, test } from 'vitest'
import { firstRows, rowsInTurn } from './rows-in-turn.ts'

interface Row {
  id: number
  version: number
}

const rowsFrom = (from: number, version = 1): Row[] =>
  Array.from({ length: firstRows + 10 }, (_, at) => ({ id: from + at, version }))
const page = rowsFrom(0)
const inTurn = (rows: Row[], old: Row[]) => rowsInTurn(rows, old, ({ id }) => id)

test('of another page only the top, without any row of the page before', () => {
  expect(inTurn(rowsFrom(100), page)).toEqual(rowsFrom(100).slice(0, firstRows))
  expect(inTurn(page, [])).toEqual(page.slice(0, firstRows))
})

test('of the same rows the top as it is now, and the others as they were', () => {
  const changed = rowsFrom(0, 2)
  expect(inTurn(changed, page)).toEqual([...changed.slice(0, firstRows), ...page.slice(firstRows)])
})

test('in another order no row is there twice', () => {
  const ids = inTurn(page.toReversed(), page).map(({ id }) => id)
  expect(ids.slice(0, firstRows)).toEqual(
    page
      .toReversed()
      .map(({ id }) => id)
      .slice(0, firstRows),
  )
  expect(new Set(ids).size).toBe(page.length)
})

test('a short list and settled rows are whole', () => {
  expect(inTurn(page.slice(0, firstRows), [])).toEqual(page.slice(0, firstRows))
  expect(inTurn(page, page)).toBe(page)
})
