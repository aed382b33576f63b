import { expect, test } from 'vitest'
import { firstRows, rowsInTurn } from './rows-in-turn.ts'

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)
const keyOf = (row: number) => row
const inTurn = (rows: number[], old: number[]) => rowsInTurn(rows, old, keyOf)
const page = numbers(0, firstRows + 10)

test('first the top of the new rows, above those of the old that are below it', () => {
  const next = numbers(100, 100 + page.length)
  expect(inTurn(next, page)).toEqual([...next.slice(0, firstRows), ...page.slice(firstRows)])
})

test('no row is there twice, and there are never more than in the end', () => {
  const upside = page.toReversed()
  const shown = inTurn(upside, page)
  expect(new Set(shown).size).toBe(shown.length)
  expect(shown.slice(0, firstRows)).toEqual(upside.slice(0, firstRows))
  expect(inTurn(page.slice(0, firstRows + 1), numbers(100, 200))).toHaveLength(firstRows + 1)
})

test('without rows before, only the top; a short list and settled rows are whole', () => {
  expect(inTurn(page, [])).toEqual(page.slice(0, firstRows))
  expect(inTurn(page.slice(0, firstRows), [])).toEqual(page.slice(0, firstRows))
  expect(inTurn(page, page)).toBe(page)
})
