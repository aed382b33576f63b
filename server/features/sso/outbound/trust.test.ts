import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createAuthority, type TestAuthority } from '../../../../agent/testing/certificates.ts'
import { fetchBy, listing, outboundWith, partner, refusalOf, trustOf } from '../../../../test/helpers/outbound-kit.ts'
import { privateHost } from '../../../../test/helpers/private-host.ts'
import { times } from '../../../../test/helpers/thorough.ts'
import { day } from '../../../platform/clock.ts'
import { loadTrust } from './trust.ts'

let authority: TestAuthority
let dir: string
let pemFile: string

beforeAll(async () => {
  authority = await createAuthority('Corp root')
  dir = mkdtempSync(join(tmpdir(), 'homeport-trust-'))
  pemFile = join(dir, 'root.pem')
})
afterAll(() => rmSync(dir, { recursive: true }))
beforeEach(() => {
  writeFileSync(pemFile, authority.pem)
  chmodSync(pemFile, 0o600)
})

const host = { host: 'idp.corp.lan', addresses: ['10.20.0.15/32'] }
const withHost = (more: object) => () => trustOf({ hosts: [{ ...host, ...more }] })
const withRange = (...addresses: string[]) => withHost({ addresses })
const at = (address: string) => new URL(address)

/** The trust loaded from the file at `path`, now or at another time. */
const fromFile = (path: string, isNamed = true, now = Date.now()) =>
  loadTrust(
    { port: 8443, dataDir: dir, sso: { trustFile: path, isTrustFileNamed: isNamed, trustJson: undefined } },
    now,
  )

function written(document: unknown, mode = 0o600): string {
  const file = join(dir, 'sso-trust.json')
  writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document))
  chmodSync(file, mode)
  onTestFinished(() => rmSync(file, { force: true }))
  return file
}

test('without a trust document no host is trusted', () => {
  const trust = fromFile(join(dir, 'none.json'), false)
  expect(trust.view).toMatchObject({ source: 'none', error: null, hosts: [], certificateAuthorities: [] })
  expect(trust.find(at('https://idp.corp.lan/'), partner)).toBeNull()
})

test('a trust file together with SSO_TRUST_JSON is refused', () => {
  const sso = { trustFile: written({ version: 1 }), isTrustFileNamed: true, trustJson: '{"version":1}' }
  expect(() => loadTrust({ port: 8443, dataDir: dir, sso }, 0)).toThrow('both set')
})

test('host and port are matched exactly', () => {
  const trust = trustOf({
    hosts: [host, { host: 'fd12:3456:789a::5', port: 9443, addresses: ['fd12:3456:789a::/64'] }],
  })
  for (const url of ['https://idp.corp.lan', 'https://IDP.corp.lan:443/a?b', 'https://[fd12:3456:789A:0::5]:9443/'])
    expect(trust.find(at(url), partner), url).not.toBeNull()
  for (const url of [
    'https://idp.corp.lan:8443/',
    'https://x.idp.corp.lan/',
    'https://corp.lan/',
    'https://idp.corp.lan./',
    'https://idp.corp.lan.example/',
    'https://[fd12:3456:789a::5]/',
    'https://[fd12:3456:789a::6]:9443/',
  ])
    expect(trust.find(at(url), partner), url).toBeNull()
})

test('private network ranges and the loopback addresses can be listed', () => {
  for (const range of [
    '10.20.0.0/16',
    '10.20.0.15/32',
    '172.31.255.0/24',
    '192.168.0.0/16',
    '100.127.0.0/16',
    'fd12:3456:789a::/48',
    'fc00::/128',
    '127.0.0.1/32',
    '::1/128',
  ])
    expect(withRange(range), range).not.toThrow()
})

test.each([
  '0.0.0.0/16',
  '8.8.8.8/32',
  '11.0.0.0/16',
  '172.32.0.0/16',
  '192.169.0.0/16',
  '100.128.0.0/16',
  '100.63.0.0/16',
  '10.0.0.0/15',
  '10.0.0.0/8',
  '0.0.0.0/0',
  '::/0',
  'fd00::/47',
  'fc00::/7',
  'fd00:ec2::254/128',
  'fd00:ec2::/48',
  'fe80::1/128',
  'ff02::1/128',
  '2001:db8::/48',
  '224.0.0.1/32',
  '255.255.255.255/32',
  '127.0.0.0/16',
  '127.0.0.2/32',
  '127.0.0.1/31',
  '::1/127',
  '::ffff:10.0.0.1/128',
  '::ffff:127.0.0.1/128',
  '64:ff9b::a00:1/128',
  '10.0.0.1',
  'fd12::1',
  'idp.corp.lan',
  '10.0.0.1/33',
  '10.0.0.1/-1',
  '',
])('the range "%s" cannot be listed', (range) => {
  expect(withRange('10.20.0.15/32', range)).toThrow('SSO_TRUST_JSON: hosts.0.addresses.1')
})

test('cloud metadata addresses cannot be listed', () => {
  for (const bits of [16, 24, 31, 32]) expect(withRange(`169.254.169.254/${bits}`)).toThrow('not of a private network')
  for (const bits of [48, 64, 127, 128]) expect(withRange(`fd00:ec2::254/${bits}`)).toThrow('cloud')
})

test('of IPv4, only private ranges of /16 or narrower and 127.0.0.1/32 can be listed', () => {
  const octet = fc.nat(255)
  const range = fc.tuple(fc.constantFrom(10, 100, 127, 169, 172, 192, 203), octet, octet, octet, fc.nat(32))
  fc.assert(
    fc.property(range, ([a, b, c, d, bits]) => {
      const text = `${a}.${b}.${c}.${d}/${bits}`
      const isPrivate =
        a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168) || (a === 100 && b >= 64 && b < 128)
      const isThisMachine = text === '127.0.0.1/32'
      const isListed = (isPrivate && bits >= 16) || isThisMachine
      if (isListed) expect(withRange(text), text).not.toThrow()
      else expect(withRange(text), text).toThrow()
    }),
    { numRuns: times(500, 100) },
  )
})

test('a loopback address cannot be listed on the port of the appliance', () => {
  for (const range of ['127.0.0.1/32', '::1/128']) {
    expect(withHost({ port: 8443, addresses: [range] })).toThrow('the appliance itself')
    expect(withHost({ port: 8444, addresses: [range] })).not.toThrow()
  }
})

test.each([
  ['*.corp.lan'],
  ['.corp.lan'],
  ['IDP.corp.lan'],
  ['idp.corp.lan:8443'],
  ['https://idp.corp.lan'],
  ['idp.corp.lan/'],
  ['user@idp.corp.lan'],
  ['idp corp'],
  ['bücher.lan'],
  ['0x7f.1'],
  ['[fd12::1]'],
  [''],
])('"%s" is refused as a host', (name) => {
  expect(withHost({ host: name })).toThrow('hosts.0.host')
})

test.each([
  ['a misspelt key', { hosts: [{ ...host, adresses: [] }] }, 'adresses'],
  ['an empty list of ranges', { hosts: [{ ...host, addresses: [] }] }, 'hosts.0.addresses'],
  ['an empty list of owners', { hosts: [{ ...host, owners: [] }] }, 'hosts.0.owners'],
  ['an owner that is none', { hosts: [{ ...host, owners: ['organization:1'] }] }, 'hosts.0.owners.0'],
  ['a port that is none', { hosts: [{ ...host, port: 0 }] }, 'hosts.0.port'],
  ['a host twice', { hosts: [host, { ...host, port: 443 }] }, 'twice'],
  ['an unknown authority', { hosts: [{ ...host, ca: ['nobody'] }] }, 'no authority "nobody"'],
  ['another version', { version: 2 }, 'version'],
])('a trust document with %s is refused', (_name, document, message) => {
  expect(() => trustOf(document)).toThrow(message)
})

test('a duplicate authority, invalid JSON and a document that is a list are refused', () => {
  const twice = { id: 'a', pemFile }
  expect(() => trustOf({ certificateAuthorities: [twice, twice] })).toThrow('"a" is listed twice')
  expect(() => fromFile(written('{\n"version": 1,\n}'))).toThrow(/this is not JSON: .*line 3/)
  expect(() => fromFile(written('[]'))).toThrow('sso-trust.json')
})

const documentWith = (certificateAuthority: object) => ({
  version: 1,
  certificateAuthorities: [{ id: 'root', pemFile: 'root.pem', ...certificateAuthority }],
  hosts: [
    { ...host, ca: ['root'] },
    { host: 'other.lan', addresses: ['10.1.0.0/16'] },
  ],
})

test('an authority file is found next to the trust document, with or without a fingerprint', () => {
  const colons = authority.fingerprint.toUpperCase().replace(/..(?!$)/g, '$&:')
  for (const sha256 of [undefined, authority.fingerprint, colons]) {
    const trust = fromFile(written(documentWith({ sha256 })))
    expect(trust.view).toMatchObject({ source: 'file', error: null, hosts: [{ error: null }, { error: null }] })
    expect(trust.view.certificateAuthorities).toMatchObject([{ subject: 'CN=Corp root', sha256: colons, error: null }])
    expect(JSON.stringify(trust.view)).not.toContain('BEGIN CERTIFICATE')
    expect(trust.find(at('https://idp.corp.lan/'), partner)?.ca).toHaveLength(1)
  }
})

test.each([
  ['is not there', { pemFile: 'nowhere.pem' }, 'does not exist'],
  ['is no certificate', { pemFile: 'sso-trust.json' }, 'holds no certificate'],
  ['has another fingerprint', { sha256: 'ab'.repeat(32) }, 'fingerprint'],
])('a host whose authority %s is not trusted, the others are', (_name, change, message) => {
  const trust = fromFile(written(documentWith(change)))
  expect(trust.view.certificateAuthorities[0]?.error).toContain(message)
  expect(trust.view.hosts).toMatchObject([{ error: expect.stringContaining(message) }, { error: null }])
  expect(trust.find(at('https://idp.corp.lan/'), partner)).toBeNull()
  expect(trust.find(at('https://other.lan/'), partner)).not.toBeNull()
})

test('an expired authority is not trusted', () => {
  const file = written(documentWith({}))
  expect(fromFile(file).find(at('https://idp.corp.lan/'), partner)).not.toBeNull()
  const later = fromFile(file, true, Date.now() + day)
  expect(later.view.hosts[0]?.error).toContain('expired')
  expect(later.find(at('https://idp.corp.lan/'), partner)).toBeNull()
})

test('a broken certificate is not trusted', () => {
  writeFileSync(pemFile, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
  const trust = fromFile(written(documentWith({})))
  expect(trust.view.hosts[0]?.error).not.toBeNull()
  expect(trust.find(at('https://idp.corp.lan/'), partner)).toBeNull()
})

test.skipIf(process.platform === 'win32')('a trust or authority file that others may write is not trusted', () => {
  for (const mode of [0o620, 0o602, 0o666]) {
    const trust = fromFile(written(documentWith({}), mode), false)
    expect(trust.view).toMatchObject({ source: 'file', error: expect.stringContaining('written by others'), hosts: [] })
    expect(trust.find(at('https://other.lan/'), partner)).toBeNull()
  }
  chmodSync(pemFile, 0o666)
  const trust = fromFile(written(documentWith({})))
  expect(trust.view.hosts).toMatchObject([{ error: expect.stringContaining('written by others') }, { error: null }])
})

test.skipIf(process.getuid?.() !== 0)('a trust document owned by another user is not trusted', () => {
  const file = written({ version: 1, hosts: [host] })
  chownSync(file, 12_345, 12_345)
  expect(fromFile(file).view).toMatchObject({ error: expect.stringContaining('written by others'), hosts: [] })
})

test('with a fingerprint, only the matching certificate of a PEM file is trusted', async () => {
  const idp = await privateHost(['idp.corp.lan'], (_request, response) => response.end('{}'))
  onTestFinished(() => idp[Symbol.asyncDispose]())
  writeFileSync(pemFile, authority.pem + readFileSync(idp.pemFile, 'utf8'))
  const { document, answers } = listing(idp, 'idp.corp.lan')
  const url = `https://idp.corp.lan:${idp.port}/`
  const withFingerprint = (sha256?: string) => {
    const certificateAuthorities = [{ id: 'root', pemFile, sha256 }]
    return fetchBy(outboundWith({ document: { ...document, certificateAuthorities }, answers }).outbound, url)
  }
  expect((await withFingerprint()).status).toBe(200)
  expect((await withFingerprint(idp.fingerprint)).status).toBe(200)
  expect(await refusalOf(withFingerprint(authority.fingerprint))).toMatchObject({ code: 'SSO_TLS' })
})

test('the version changes with the document and with the certificates', async () => {
  const file = written(documentWith({}))
  const { version } = fromFile(file)
  expect(fromFile(file).version).toBe(version)
  writeFileSync(pemFile, (await createAuthority('Next root')).pem)
  const next = fromFile(file).version
  expect(next).not.toBe(version)
  expect(fromFile(written({ version: 1 })).version).not.toBe(next)
})
