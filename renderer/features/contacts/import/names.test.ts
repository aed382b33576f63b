import { expect, test } from 'vitest'
import { isMostlyLastNameFirst, nameIn, namesWithComma } from './names.ts'
import { sheetFrom } from './sheet.ts'

const halves = { targets: ['lastName', 'firstName'] as const, isLastNameFirst: false }

test('first and last name are joined, in whichever order the columns are', () => {
  const columns = { ...halves, targets: [...halves.targets] }
  expect(nameIn([' Doe', 'Kim '], columns)).toBe('Kim Doe')
  expect(nameIn(['Doe', ''], columns)).toBe('Doe')
  expect(nameIn([' ', ''], columns)).toBe(undefined)
})

test.each([
  ['Doe, Kim', 'Kim Doe'],
  ['van der Berg,Anna Maria', 'Anna Maria van der Berg'],
  ['Kim Doe', 'Kim Doe'],
  ['Doe, Kim, Dr.', 'Doe, Kim, Dr.'],
  ['Doe,', 'Doe,'],
])('“%s” with the last name first becomes “%s”', (cell, name) => {
  expect(nameIn([cell], { targets: ['name'], isLastNameFirst: true })).toBe(name)
  expect(nameIn([cell], { targets: ['name'], isLastNameFirst: false })).toBe(cell)
})

test('a list is taken for one with last names first if most of its names are', () => {
  const of = (...names: string[]) => sheetFrom(['Name;Phone', ...names.map((name) => `${name};1`)].join('\n'), 'a.csv')
  expect(isMostlyLastNameFirst(of('Doe, Kim', 'King, Ada', 'Support'), ['name', 'phone'])).toBe(true)
  expect(isMostlyLastNameFirst(of('Kim Doe', 'Lantern, Inc.'), ['name', 'phone'])).toBe(false)
  expect(isMostlyLastNameFirst(of('Doe, Kim'), [null, 'phone'])).toBe(false)
  expect(namesWithComma(of('Doe, Kim', 'Support'), ['name', 'phone'])).toEqual(['Doe, Kim'])
})
