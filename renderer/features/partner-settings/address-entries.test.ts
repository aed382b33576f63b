import { expect, test } from 'vitest'
import { parseAddressEntries, refusedEntries } from './address-entries.ts'

test('a list is one entry per line, however it was pasted', () => {
  expect(parseAddressEntries(' 10.0.0.0/8 \n\n192.168.1.5, 2001:db8::/32;')).toEqual([
    '10.0.0.0/8',
    '192.168.1.5',
    '2001:db8::/32',
  ])
})

test('an error names the entries it is about', () => {
  const errors = { 'settings.security.ipAllowlist.1': ['Each IP allowlist entry must be …'] }
  expect(refusedEntries(errors, ['10.0.0.0/8', 'home'])).toEqual(['home'])
  expect(refusedEntries({ name: ['Required'] }, ['home'])).toBe(null)
})
