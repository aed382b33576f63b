import { expect, test } from 'vitest'
import { AddressList, normalizeAddress, parseNetwork } from './address-list.ts'

test.each([
  ['10.1.2.3', '10.1.2.3'],
  [' 10.1.2.3 ', '10.1.2.3'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['::FFFF:10.1.2.3', '10.1.2.3'],
  ['::ffff:a01:203', '10.1.2.3'],
  ['0:0:0:0:0:ffff:10.1.2.3', '10.1.2.3'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['010.1.2.3', null],
  ['10.1.2', null],
  ['0x7f.0.0.1', null],
  ['host.example', null],
  ['', null],
])('%j is normalized to %j', (text, address) => {
  expect(normalizeAddress(text)).toBe(address)
})

test.each([
  '1.2.3.4/',
  '1.2.3.4/33',
  '1.2.3.4/-1',
  '1.2.3.4/ 8',
  '1.2.3.4/8/8',
  '::/129',
  'a-b',
  '10.0.0.*',
  ' ',
  '/8',
])('%j is refused as a network', (entry) => {
  expect(parseNetwork(entry)).toBe(null)
  expect(() => new AddressList([entry])).toThrow('neither')
})

test.each([
  ['10.0.0.0/8', '10.255.0.1', true],
  ['10.1.2.3/8', '10.200.0.1', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['10.0.0.0/8', '::ffff:10.1.2.3', true],
  ['::ffff:10.0.0.0/104', '10.9.9.9', true],
  ['::ffff:10.0.0.0/104', '11.0.0.1', false],
  ['0.0.0.0/0', '203.0.113.9', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['::/0', '10.0.0.1', false],
  ['2001:db8::/32', '2001:db8:1::1', true],
  ['2001:db8::/32', '2001:db9::1', false],
  ['192.0.2.7', '192.0.2.7', true],
  ['192.0.2.7', '192.0.2.8', false],
  ['192.0.2.0/24', 'nonsense', false],
])('the network %s contains %s: %s', (entry, address, isInside) => {
  expect(new AddressList([entry]).includes(address)).toBe(isInside)
})
