import { expect, test } from 'vitest'
import { webAddressFrom } from './web-address.ts'

test.each([
  ['example.com', 'https://example.com'],
  [' www.example.com/about?a=b ', 'https://www.example.com/about?a=b'],
  ['example.com:8443', 'https://example.com:8443'],
  ['http://example.com', 'http://example.com'],
  ['https://example.com', 'https://example.com'],
  ['', ''],
  ['nothing', 'nothing'],
  ['ada@example.com', 'ada@example.com'],
  ['two words.com', 'two words.com'],
])('%j becomes %j', (typed, address) => {
  expect(webAddressFrom(typed)).toBe(address)
})
