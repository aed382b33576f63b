import { expect, test } from 'vitest'
import { safeNext } from './safe-next.ts'

test.each(['/devices', '/devices?search=a%26b#x', '/organizations/1'])('%s is followed after a sign-in', (path) => {
  expect(safeNext(path)).toBe(path)
})

test.each([
  undefined,
  '',
  'devices',
  'https://evil.test/',
  '//evil.test/devices',
  '///evil.test',
  'https:evil.test',
  '/\\evil.test',
  '/.//evil.test',
  '/x/../%2e//evil.test',
  '/\t/evil.test',
  'javascript:alert(1)',
  '/login?next=/login',
])('%s is not followed after a sign-in', (path) => {
  expect(safeNext(path)).toBeUndefined()
})
