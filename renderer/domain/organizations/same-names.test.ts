import { expect, test } from 'vitest'
import { distinctName, distinguishingText, idsWithSharedName, pairNames } from './same-names.ts'

test('organizations share a name regardless of case and spaces', () => {
  const names = ['Contoso', 'Fabrikam', 'contoso ', 'Litware']
  const all = names.map((name, index) => ({ id: String(index), name }))
  expect([...idsWithSharedName(all)]).toEqual(['0', '2'])
})

test('organizations of the same name are distinguished by short name, and by device count where known', () => {
  expect(distinguishingText({ slug: 'contoso-2' })).toBe('contoso-2')
  expect(distinguishingText({ slug: 'contoso-2', deviceCount: 1 })).toBe('contoso-2, 1 device')
  const contoso = { id: '1', name: 'Contoso', slug: 'contoso-2' }
  expect(distinctName(new Set(['1']))(contoso)).toBe('Contoso (contoso-2)')
  expect(distinctName(new Set())(contoso)).toBe('Contoso')
})

test('two organizations of the same name are labelled with their short names', () => {
  const [one, other] = [
    { name: 'Bäckerei Schmidt', slug: 'schmidt' },
    { name: 'bäckerei schmidt', slug: 'schmidt-2' },
  ]
  expect(pairNames(one, other)).toEqual(['Bäckerei Schmidt (schmidt)', 'bäckerei schmidt (schmidt-2)'])
  expect(pairNames({ ...one, slug: null }, other)).toEqual(['Bäckerei Schmidt', 'bäckerei schmidt (schmidt-2)'])
  expect(pairNames(one, { name: 'Schmidt', slug: 'schmidt-3' })).toEqual(['Bäckerei Schmidt', 'Schmidt'])
})
