import { expect, test } from 'vitest'
import { allowedDomains } from '../providers/allowed-domains.ts'
import { domainName, domainWithin } from './domain-name.ts'

test.each([
  ['corp.example', 'corp.example'],
  [' Corp.Example. ', 'corp.example'],
  ['https://user.corp.example:8443/path?x=1#y', 'user.corp.example'],
  ['*.corp.example', 'corp.example'],
  ['..corp.example..', 'corp.example'],
  ['corp.example:', 'corp.example'],
  ['müller.example', 'xn--mller-kva.example'],
  ['MÜLLER.example', 'xn--mller-kva.example'],
  ['faß.example', 'xn--fa-hia.example'],
  ['example.рф', 'example.xn--p1ai'],
  ['xn--mller-kva.xn--p1ai', 'xn--mller-kva.xn--p1ai'],
  ['corp。example', 'corp.example'],
])('%j names the domain %s', (written, domain) => {
  expect(domainWithin(written)).toBe(domain)
})

test.each([
  '',
  'example',
  'localhost',
  '10.0.0.1',
  '0x7f.1',
  '[::1]',
  'user@corp.example',
  'corp_x.example',
  '-corp.example',
  'corp-.example',
  'corp..example',
  'corp example.test',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(126)}example`,
  'corp.example, other.example',
  'xn--.example',
  '\u0000.example',
])('%j names no domain', (written) => {
  expect(domainWithin(written)).toBeNull()
})

test('domainName refuses a URL and a wildcard', () => {
  expect(domainName('https://corp.example')).toBeNull()
  expect(domainName('*.corp.example')).toBeNull()
})

test('an allowed-domains list holds the valid domains it names but no subdomains', () => {
  const list = allowedDomains('@Corp.example,other.example.\n müller.example  *.wild.example nonsense')
  expect([...(list ?? [])]).toEqual(['corp.example', 'other.example', 'xn--mller-kva.example'])
  expect(list?.has('sub.corp.example')).toBe(false)
  expect(allowedDomains(null)).toBeNull()
  expect(allowedDomains(' , ')?.size).toBe(0)
})
