import { expect, test } from 'vitest'
import { returnPath } from './return-path.ts'

test.each([
  ['/devices', '/devices'],
  [' /devices?tab=a&b=%2F#part ', '/devices?tab=a&b=%2F'],
  ['/sites/../devices', '/devices'],
  ['/häuser', '/h%C3%A4user'],
  ['/?next=//evil.example', '/?next=//evil.example'],
  ['/apiary', '/apiary'],
])('%j leads to %j', (wanted, path) => {
  expect(returnPath(wanted)).toBe(path)
  expect(returnPath(path)).toBe(path)
})

test.each([
  '/.//evil.example',
  '/x/..//evil.example',
  '/%2e//evil.example',
  '/%2E%2e//evil.example',
  '//evil.example',
  '/\\evil.example',
  'https://evil.example',
  '/\t/evil.example',
  '/a\u0085b',
  'devices',
  '',
  '/api/v1/users/me',
  '/API/v1/users/me',
  '/x/../api',
  '/%61pi/v1/sso/login/x',
  '/x/%2e%2e/a%50I/v1',
  `/${'x'.repeat(500)}`,
  ['/devices', '/sites'],
  undefined,
])('%j leads to the start page', (wanted) => {
  expect(returnPath(wanted)).toBe('/')
})
