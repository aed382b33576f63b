import { expect, test } from 'vitest'
import { entriesOf, listIncludes, refusedEntries } from './address-entries.ts'

test('a list is one entry per line, however it was pasted', () => {
  expect(entriesOf(' 10.0.0.0/8 \n\n192.168.1.5, 2001:db8::/32;')).toEqual([
    '10.0.0.0/8',
    '192.168.1.5',
    '2001:db8::/32',
  ])
})

test.each([
  [['10.0.0.0/8'], '10.1.2.3', true],
  [['10.1.2.3/8'], '10.200.0.1', true],
  [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
  [['10.0.0.0/8'], '192.168.1.5', false],
  [['192.168.1.5'], '192.168.1.5', true],
  [['2001:db8::/32'], '2001:db8::1', true],
  [['::/0'], '10.1.2.3', false],
  [['home'], '10.1.2.3', null],
])('%j and %s: %s', (entries, address, expected) => {
  expect(listIncludes(entries, address)).toBe(expected)
})

test('a refusal names the entries it is about', () => {
  const errors = { 'settings.security.ipAllowlist.1': ['Each IP allowlist entry must be …'] }
  expect(refusedEntries(errors, ['10.0.0.0/8', 'home'])).toEqual(['home'])
  expect(refusedEntries({ name: ['Required'] }, ['home'])).toBe(null)
})
