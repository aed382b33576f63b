import { expect, test } from 'vitest'
import { nearestName, searchForLike } from './near-names.ts'

const nearest = (name: string, ...all: string[]) =>
  nearestName(
    name,
    all.map((one) => ({ name: one })),
  )?.name

test.each([
  ['Nordwind', 'Nordwind GmbH'],
  ['Nordwind GmbH & Co. KG', 'NORDWIND'],
  ['Harbour Law, Inc.', 'Harbour Law LLC'],
  ['Café Müller e.V.', 'Cafe Muller'],
  ['Straße 7', 'Strasse 7 AG'],
  ['Nordwind', 'Nordwind Logistik'],
  ['Nordwind Logistik AG', 'Nordwind'],
])('“%s” is like “%s”', (one, other) => {
  expect(nearest(one, other)).toBe(other)
})

test.each([
  ['Nordwind', 'Nordwindpark'],
  ['Nordwind', 'Südwind'],
  ['AB', 'AB Volvo'],
  ['Law Harbour', 'Harbour Law'],
  ['A B', 'A B Consulting'],
])('“%s” is not like “%s”', (one, other) => {
  expect(nearest(one, other)).toBe(undefined)
})

test('a name that differs by its legal form is nearer than one with more words', () => {
  expect(nearest('Nordwind', 'Nordwind Logistik', 'Nordwind GmbH')).toBe('Nordwind GmbH')
})

test('of two equally near names none is guessed', () => {
  expect(nearest('Nordwind', 'Nordwind GmbH', 'Nordwind AG')).toBe(undefined)
  expect(nearest('Nordwind', 'Nordwind Logistik', 'Nordwind Energie')).toBe(undefined)
})

test('the longest word that tells a name from others is searched for', () => {
  expect(searchForLike('The Nordwind Gesellschaft mbH')).toBe('nordwind')
  expect(searchForLike('GmbH')).toBe('gmbh')
  expect(searchForLike(' ')).toBe('')
})
