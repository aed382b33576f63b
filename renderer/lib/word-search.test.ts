import { expect, test } from 'vitest'
import { wordSearch } from './word-search.ts'

test('every word has to be there, in any order and case', () => {
  const fits = wordSearch(' lovelace  ADA ')
  expect(['Ada Lovelace', 'ada@lovelace.test', 'Ada', ''].map(fits)).toEqual([true, true, false, false])
})

test('without a word every text matches', () => {
  for (const search of [undefined, '', '  ']) expect(wordSearch(search)('anything'), search).toBe(true)
})
