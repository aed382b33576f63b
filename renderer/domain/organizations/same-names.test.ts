import { expect, test } from 'vitest'
import { distinctName, distinguishingText, idsWithSharedName, pairNames } from './same-names.ts'

test('organizations of one name are namesakes, however it is written', () => {
  const names = ['Contoso', 'Fabrikam', 'contoso ', 'Litware']
  const all = names.map((name, index) => ({ id: String(index), name }))
  expect([...idsWithSharedName(all)]).toEqual(['0', '2'])
})

test('the short name tells them apart, and the devices where they are counted', () => {
  expect(distinguishingText({ slug: 'contoso-2' })).toBe('contoso-2')
  expect(distinguishingText({ slug: 'contoso-2', deviceCount: 1 })).toBe('contoso-2, 1 device')
  const contoso = { id: '1', name: 'Contoso', slug: 'contoso-2' }
  expect(distinctName(new Set(['1']))(contoso)).toBe('Contoso (contoso-2)')
  expect(distinctName(new Set())(contoso)).toBe('Contoso')
})

test('two of one name are told apart by their short names', () => {
  const [one, other] = [
    { name: 'Bäckerei Schmidt', slug: 'schmidt' },
    { name: 'bäckerei schmidt', slug: 'schmidt-2' },
  ]
  expect(pairNames(one, other)).toEqual(['Bäckerei Schmidt (schmidt)', 'bäckerei schmidt (schmidt-2)'])
  expect(pairNames({ ...one, slug: null }, other)).toEqual(['Bäckerei Schmidt', 'bäckerei schmidt (schmidt-2)'])
  expect(pairNames(one, { name: 'Schmidt', slug: 'schmidt-3' })).toEqual(['Bäckerei Schmidt', 'Schmidt'])
})
