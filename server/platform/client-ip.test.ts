import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { clientIp, isLoopback, limitKey } from './client-ip.ts'

const from = (remoteAddress: string | undefined, headers = {}) =>
  clientIp({ socket: { remoteAddress }, headers } as unknown as IncomingMessage)

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['2001:db8::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::1', '::1'],
  [undefined, ''],
])('a peer at %s is %s', (address, ip) => {
  expect(from(address)).toBe(ip)
})

test('what a caller writes into forwarding headers counts for nothing', () => {
  const headers = { 'x-forwarded-for': '1.1.1.1', forwarded: 'for=1.1.1.1', 'x-real-ip': '1.1.1.1' }
  expect(from('10.1.2.3', headers)).toBe('10.1.2.3')
})

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
  ['', ''],
])('limits count %s as %s', (ip, key) => {
  expect(limitKey(ip)).toBe(key)
})

test('two addresses of one /64 share a limit, two networks do not', () => {
  expect(limitKey('2001:db8:1:2::1')).toBe(limitKey('2001:db8:1:2:ffff:ffff:ffff:ffff'))
  expect(limitKey('2001:db8:1:2::1')).not.toBe(limitKey('2001:db8:1:3::1'))
})

test('only the machine itself is loopback', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1'].map(isLoopback)).toEqual([true, true, true])
  expect(['10.0.0.1', '::', '', '1127.0.0.1', '::ffff:10.0.0.1'].map(isLoopback)).toEqual(Array(5).fill(false))
})
