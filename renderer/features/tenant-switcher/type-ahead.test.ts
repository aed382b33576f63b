import { expect, test } from 'vitest'
import { addLetter, nextMatch } from './type-ahead.ts'

const names = ['Alder', 'Beacon', 'Birch', 'Bistro', '', 'Alpine']

test.each([
  ['b', 0, 1],
  ['b', 1, 2],
  ['bb', 1, 2],
  ['b', 3, 1],
  ['bi', 2, 2],
  ['bis', 2, 3],
  ['AL', 5, 5],
  ['a', 5, 0],
  ['x', 2, -1],
])('typing %s at row %i goes to row %i', (text, current, next) => {
  expect(nextMatch(names, current, text)).toBe(next)
})

test('letters typed without a pause make one word', () => {
  const first = addLetter({ text: '', at: 0 }, 'b', 5000)
  expect(addLetter(first, 'i', 5200).text).toBe('bi')
  expect(addLetter(first, 'i', 6000).text).toBe('i')
})
