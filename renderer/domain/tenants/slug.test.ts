import { expect, test } from 'vitest'
import { freeSlug, namingRules, slugOf, withSlug } from './slug.ts'

test('a short name is made of at most 100 characters of a name', () => {
  expect(slugOf('a'.repeat(120))).toBe('a'.repeat(100))
})

const complaints = (values: { name: string; slug: string }, stored?: { name: string; slug: string }) => {
  const { name, slug } = namingRules(stored)
  return [name(values.name), slug('', values)]
}

test('the short name follows from the name until one is entered', () => {
  expect(withSlug({ name: 'Müller', slug: ' ' })).toEqual({ name: 'Müller', slug: 'muller' })
  expect(withSlug({ name: 'Müller', slug: 'm-1' })).toEqual({ name: 'Müller', slug: 'm-1' })
  expect(complaints({ name: 'Müller', slug: '' })).toEqual([null, null])
})

test.each([
  ['Big Corp', 'Use only a to z, 0 to 9 and hyphens, for example big-corp'],
  ['müller', 'Use only a to z, 0 to 9 and hyphens, for example muller'],
  ['-x', 'Use only a to z, 0 to 9 and hyphens, for example x'],
  ['???', 'Use only a to z, 0 to 9 and hyphens'],
  ['big-corp-2', null],
])('the short name %j: %s', (slug, complaint) => {
  expect(complaints({ name: 'A', slug })).toEqual([null, complaint])
})

test('a name of only punctuation is refused at the name, and one without a short name at the short name', () => {
  expect(complaints({ name: '!!!', slug: 'x' })).toEqual(['Enter a name with at least one letter or digit', null])
  expect(complaints({ name: '北京', slug: '' })).toEqual([
    null,
    'Enter a short name; none can be derived from this name',
  ])
})

test('stored values that break the rules may stay', () => {
  const stored = { name: '!!!', slug: 'Big Corp' }
  expect(complaints(stored, stored)).toEqual([null, null])
})

test('a short name that is taken gets the next number', () => {
  expect(freeSlug('schmidt', ['Schmidt', 'schmidt-3'])).toBe('schmidt-2')
  expect(freeSlug('schmidt', ['schmidt', 'schmidt-2'])).toBe('schmidt-3')
  expect(freeSlug('other', ['schmidt'])).toBe('other')
  expect(freeSlug('', [''])).toBe('')
  expect(freeSlug('x'.repeat(100), ['x'.repeat(100)])).toBe(`${'x'.repeat(98)}-2`)
  expect(withSlug({ name: 'Schmidt', slug: '' }, ['schmidt']).slug).toBe('schmidt-2')
})
