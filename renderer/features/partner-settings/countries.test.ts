import { expect, test } from 'vitest'
import { countries } from './countries.ts'

test('countries have one name each, and old codes are gone', () => {
  const all = countries()
  expect(all).toContainEqual({ value: 'DE', label: 'Germany' })
  expect(all).toContainEqual({ value: 'CI', label: 'Côte d’Ivoire' })
  expect(all.filter(({ label }) => label === 'Germany')).toHaveLength(1)
  expect(new Set(all.map(({ label }) => label)).size).toBe(all.length)
  expect(all.length).toBeGreaterThan(240)
  expect(all.some(({ value }) => value === 'DD' || value === 'ZZ')).toBe(false)
})
