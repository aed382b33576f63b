import { expect, test } from 'vitest'
import { pathOf } from './endpoint.ts'

test('path parameters are encoded, so that none can change the shape of the path', () => {
  const endpoint = { path: '/sites/:id/of/:orgId' }
  expect(pathOf(endpoint, { id: 'a/../b?c', orgId: 'ü' })).toBe('/sites/a%2F..%2Fb%3Fc/of/%C3%BC')
  expect(pathOf({ path: '/sites' })).toBe('/sites')
  expect(pathOf({ path: '/x/:toString' })).toBe('/x/')
})
