import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ProxyRules } from '../config/config.ts'
import { normalizeAddress } from '../lib/address-list.ts'
import { ClientAddresses, isOwnMachine, limitKey } from './client-address.ts'

interface Peer {
  remoteAddress?: string | undefined
  encrypted?: boolean
}
const of = (rules: Partial<ProxyRules>, peer: Peer, headers = {}) =>
  new ClientAddresses({
    isTrusting: false,
    cidrs: ['127.0.0.0/8', '::1', '10.0.0.0/24'],
    trustsCloudflare: false,
    ...rules,
  }).of({ socket: peer, headers } as unknown as IncomingMessage)
const proxied = (headers: object, remoteAddress = '10.0.0.1') => of({ isTrusting: true }, { remoteAddress }, headers)

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['2001:db8::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::1', '::1'],
  [undefined, ''],
])('a peer at %s has the client address %s', (remoteAddress, ip) => {
  expect(of({}, { remoteAddress })).toEqual({ ip, isVouchedFor: false, isSecure: false })
})

const forged = {
  'x-forwarded-for': '1.1.1.1',
  forwarded: 'for=1.1.1.1',
  'x-real-ip': '1.1.1.1',
  'cf-connecting-ip': '1.1.1.1',
  'x-forwarded-proto': 'https',
}

test('forwarding headers are ignored while no proxy is trusted', () => {
  expect(of({}, { remoteAddress: '10.0.0.1' }, forged)).toEqual({
    ip: '10.0.0.1',
    isVouchedFor: false,
    isSecure: false,
  })
})

test('forwarding headers are ignored when their sender is not a trusted proxy', () => {
  expect(proxied(forged, '10.0.1.1')).toEqual({ ip: '10.0.1.1', isVouchedFor: false, isSecure: false })
})

test('a trusted proxy determines the client address and whether the connection is encrypted', () => {
  const headers = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }
  expect(proxied(headers)).toEqual({ ip: '203.0.113.9', isVouchedFor: true, isSecure: true })
  expect(proxied({ ...headers, 'x-forwarded-proto': 'http' }).isSecure).toBe(false)
})

test.each([
  [{ 'x-forwarded-for': '6.6.6.6, 203.0.113.9' }, '203.0.113.9'],
  [{ 'x-forwarded-for': '6.6.6.6, 203.0.113.9, 10.0.0.7' }, '203.0.113.9'],
  [{ 'x-forwarded-for': ['6.6.6.6', '203.0.113.9'] }, '203.0.113.9'],
  [{ 'x-forwarded-for': '203.0.113.9:4711' }, '203.0.113.9'],
  [{ 'x-forwarded-for': '[2001:db8::1]:443' }, '2001:db8::1'],
  [{ 'x-forwarded-for': '::ffff:203.0.113.9' }, '203.0.113.9'],
  [{ 'x-real-ip': '203.0.113.9' }, '203.0.113.9'],
  [{ 'x-forwarded-for': '203.0.113.9', 'x-real-ip': '6.6.6.6' }, '203.0.113.9'],
  [{ 'x-forwarded-for': '203.0.113.9', 'cf-connecting-ip': '6.6.6.6' }, '203.0.113.9'],
])('behind a trusted proxy, the headers %j give the client address %s', (headers, ip) => {
  expect(proxied(headers)).toMatchObject({ ip, isVouchedFor: true })
})

test.each([
  {},
  { 'x-forwarded-for': 'unknown' },
  { 'x-forwarded-for': '1.1.1.1, garbage' },
  { 'x-forwarded-for': '10.0.0.9' },
])('when a trusted proxy names no client with %j, its own address is used', (headers) => {
  expect(proxied(headers)).toMatchObject({ ip: '10.0.0.1', isVouchedFor: false })
})

test('cf-connecting-ip is used where Cloudflare is trusted', () => {
  const headers = { 'cf-connecting-ip': '203.0.113.9', 'x-forwarded-for': '6.6.6.6' }
  expect(of({ isTrusting: true, trustsCloudflare: true }, { remoteAddress: '10.0.0.1' }, headers).ip).toBe(
    '203.0.113.9',
  )
})

test('without a proxy, the connection itself decides whether it is encrypted', () => {
  expect(of({}, { remoteAddress: '10.9.9.9', encrypted: true }).isSecure).toBe(true)
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
])('a rate limit counts the address %s under the key %s', (ip, key) => {
  expect(limitKey(ip)).toBe(key)
})

test('every spelling of an address has the same rate-limit key', () => {
  const group = fc.integer({ min: 0, max: 0xffff })
  const groups = fc.array(fc.oneof(fc.constant(0), group), { minLength: 8, maxLength: 8 })
  fc.assert(
    fc.property(groups, fc.boolean(), fc.boolean(), fc.nat(7), fc.nat(7), (values, isUpper, isPadded, a, b) => {
      const written = values.map((value) => value.toString(16).padStart(isPadded ? 4 : 1, '0'))
      const [from, to] = a < b ? [a, b] : [b, a]
      // Any run of zeros may be left out, not only the longest.
      const isRun = values.slice(from, to).every((value) => value === 0) && to - from > 1
      const text = isRun ? `${written.slice(0, from).join(':')}::${written.slice(to).join(':')}` : written.join(':')
      const ip = normalizeAddress(isUpper ? text.toUpperCase() : text) ?? ''
      const isMapped = values.slice(0, 5).every((value) => value === 0) && values[5] === 0xffff
      const prefix = values.slice(0, 4).map((value) => value.toString(16))
      expect(limitKey(ip)).toBe(isMapped ? ip : `${prefix.join(':')}::/64`)
    }),
  )
})

test('two addresses of one /64 share a limit, two networks do not', () => {
  expect(limitKey('2001:db8:1:2::1')).toBe(limitKey('2001:db8:1:2:ffff:ffff:ffff:ffff'))
  expect(limitKey('2001:db8:1:2::1')).not.toBe(limitKey('2001:db8:1:3::1'))
})

test.each<[remoteAddress: string | undefined, headers: Record<string, string>, isOwn: boolean]>([
  ['127.0.0.1', { host: 'localhost:8443' }, true],
  ['127.9.9.9', { host: '127.0.0.1' }, true],
  ['::ffff:127.0.0.1', { host: 'LOCALHOST' }, true],
  ['::1', { host: '[::1]:8443' }, true],
  ['10.0.0.1', { host: 'localhost' }, false],
  ['::ffff:10.0.0.1', { host: 'localhost' }, false],
  ['1127.0.0.1', { host: 'localhost' }, false],
  [undefined, { host: 'localhost' }, false],
  ['127.0.0.1', { host: 'box.acme.test' }, false],
  ['127.0.0.1', { host: 'localhost.evil.test' }, false],
  ['127.0.0.1', {}, false],
  ['127.0.0.1', { host: 'localhost', 'x-forwarded-for': '10.0.0.1' }, false],
  ['127.0.0.1', { host: 'localhost', 'x-forwarded-proto': 'https' }, false],
  ['127.0.0.1', { host: 'localhost', forwarded: 'for=10.0.0.1' }, false],
  ['127.0.0.1', { host: 'localhost', via: '1.1 proxy' }, false],
])('a request from %s with the headers %j counts as from this machine: %s', (remoteAddress, headers, isOwn) => {
  expect(isOwnMachine({ socket: { remoteAddress }, headers } as unknown as IncomingMessage)).toBe(isOwn)
})
