import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nameKey, nameOrder, slugFrom } from './names.ts'

const inOrder = (names: readonly string[]) =>
  names.toSorted((one, other) => (nameOrder(one) < nameOrder(other) ? -1 : nameOrder(one) > nameOrder(other) ? 1 : 0))

test('names with accents and in other scripts are sorted where people look for them', () => {
  const names = [
    ...['anne', 'Änne', 'Anne Bo', 'Anton', 'Ärzte Nord', 'Asen', 'Łódź AG', 'Lotte', 'Öhm', 'Øystein', 'Özlem'],
    ...['Straße', 'Strasser', 'Tim Yıldız', 'Zoë', 'Zoey', 'Ωμέγα', 'Яков', '東京'],
  ]
  expect(inOrder(names.toReversed())).toEqual(names)
})

const word = fc.string({
  unit: fc.constantFrom('a', 'A', 'Ä', 'a\u0308', 'ß', 's', 'ı', 'İ', ' ', '\t', 'z', '東', '1', '½'),
})

test('two names have the same place in the order only if they are the same name', () => {
  let same = 0
  fc.assert(
    fc.property(word, word, (one, other) => {
      const isSame = nameKey(one) === nameKey(other)
      if (isSame) same++
      expect(nameOrder(one) === nameOrder(other)).toBe(isSame)
    }),
    {
      numRuns: 3000,
      examples: [
        ['Änne', 'änne'],
        ['Anne', 'Änne'],
      ],
    },
  )
  expect(same).toBeGreaterThan(5)
})

test.each([
  ['Müller & Töchter', 'muller-tochter'],
  ['MÜLLER', 'muller'],
  ['Mu\u0308ller', 'muller'],
  ['Straßenbau Äpfel', 'strassenbau-apfel'],
  ['GROẞ', 'gross'],
  ['Café Łódź, Århus', 'cafe-lodz-arhus'],
  ['Søren Døtre ApS', 'soren-dotre-aps'],
  ['Œuvre & Þór', 'oeuvre-thor'],
  ['  ACME   Inc. ', 'acme-inc'],
  ['ＡＣＭＥ ①', 'acme-1'],
  ['Acme 北京', 'acme'],
  ['北京', ''],
  ['!!!', ''],
])('the short name of %j is %j', (name, slug) => {
  expect(slugFrom(name, 50)).toBe(slug)
})

test('a short name that is cut neither begins nor ends with a hyphen', () => {
  expect(slugFrom(' -abcd efgh', 5)).toBe('abcd')
  expect(slugFrom('abcdefgh', 5)).toBe('abcde')
})
