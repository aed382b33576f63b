import { expect, test } from 'vitest'
import { organizationsWithSharedSiteNames, siteOptions } from './site-names.ts'

const site = (id: string, name: string, deviceCount = 0) => ({
  id,
  name,
  deviceCount,
  createdAt: `2026-11-21T10:0${id}:00.000Z`,
})

test('sites of the same name are distinguished by device count and age', () => {
  const labels = siteOptions([site('1', 'Berlin', 3), site('2', 'berlin'), site('3', 'Hamburg')]).map(
    ({ label }) => label,
  )
  expect(labels[0]).toMatch(/^Berlin \(3 devices, since .+\)$/)
  expect(labels[1]).toMatch(/^berlin \(0 devices, since .+\)$/)
  expect(labels[2]).toBe('Hamburg')
})

test('equal site names are looked for within one organization, and one site alone is not ambiguous', () => {
  const at = (orgId: string, siteId: string, siteName: string) => ({ orgId, siteId, siteName })
  expect(
    organizationsWithSharedSiteNames([at('a', '1', 'Berlin'), at('a', '1', 'Berlin'), at('b', '2', 'Berlin')]),
  ).toEqual([])
  expect(
    organizationsWithSharedSiteNames([at('a', '1', 'Berlin'), at('a', '2', 'Berlin'), at('b', '3', 'Berlin')]),
  ).toEqual(['a'])
})
