import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../config/config.ts'
import { RelyingParty } from './relying-party.ts'

const lan = [
  'https://box:8443',
  'https://box.local:8443',
  'https://192.168.1.5:8443',
  'https://[fd00::5]:8443',
  'https://localhost:8443',
]

function partyAt(url: string | null, env: Record<string, string> = {}, options: Partial<Asked> = {}) {
  return relyingParty(env, options.addresses).at(requestOf(url, options))
}

interface Asked {
  addresses: string[]
  /** The `Host` header, where a proxy changes it. */
  host: string
  isSecure: boolean
}

function relyingParty(env: Record<string, string> = {}, addresses = lan) {
  const config = loadConfig({ HOMEPORT_DATA_DIR: '/tmp/unused', ...env })
  return new RelyingParty(
    config,
    () => config.publicUrl,
    () => addresses,
  )
}

/** What a browser at `url` sends; null for a client that names no origin. */
function requestOf(url: string | null, { host, isSecure }: Partial<Asked> = {}): FastifyRequest {
  const address = url === null ? null : URL.parse(url)
  const headers = { host: host ?? address?.host, ...(url !== null && { origin: address?.origin ?? url }) }
  const raw = { headers, socket: { remoteAddress: '192.168.1.77' } }
  return { headers, raw, origin: { isSecure: isSecure ?? address?.protocol === 'https:' } } as unknown as FastifyRequest
}

const elsewhere = requestOf('https://192.168.1.5:8443')
const onTheMachine = {
  raw: { headers: { host: 'localhost:8443' }, socket: { remoteAddress: '127.0.0.1' } },
} as unknown as FastifyRequest

test.each([
  ['https://box:8443', 'box'],
  ['https://box.local:8443', 'box.local'],
  ['https://localhost:8443', 'localhost'],
])('each host name of the appliance is a relying party of its own: %s', (origin, id) => {
  expect(partyAt(origin)).toEqual({ id, name: 'Homeport', origin })
})

test('a host name of the appliance on another port is accepted with that port in the origin', () => {
  expect(partyAt('https://box.local:9443')?.origin).toBe('https://box.local:9443')
})

test.each([
  'https://192.168.1.5:8443',
  'https://[fd00::5]:8443',
  'https://127.0.0.1:8443',
  'https://2130706433:8443',
  'https://0x7f.1:8443',
])('an IP address is no relying party: %s', (origin) => {
  expect(partyAt(origin, {}, { addresses: [...lan, origin] })).toBeNull()
})

test('over plain HTTP only localhost is a relying party', () => {
  const addresses = ['http://box.local:8443', 'http://localhost:8443']
  expect(partyAt('http://box.local:8443', {}, { addresses })).toBeNull()
  expect(partyAt('http://localhost:8443', {}, { addresses })).toMatchObject({ id: 'localhost' })
})

test.each([
  ['a page elsewhere', 'https://evil.test', 'box.local:8443'],
  ['a page elsewhere under our name as a prefix', 'https://box.local.evil.test', 'box.local:8443'],
  ['a name that was pointed at us', 'https://evil.test:8443', 'evil.test:8443'],
  ['another of our names than the one asked', 'https://box:8443', 'box.local:8443'],
  ['a sandboxed page', 'null', 'box.local:8443'],
  ['rubbish', 'https://', 'box.local:8443'],
])('%s gets no relying party', (_, origin, host) => {
  expect(partyAt(origin, {}, { host, isSecure: true })).toBeNull()
})

test('without an Origin header the relying party is found by the Host header', () => {
  expect(partyAt(null, {}, { host: 'box.local:8443', isSecure: true })).toMatchObject({ id: 'box.local' })
  expect(partyAt(null, {}, { host: 'evil.test', isSecure: true })).toBeNull()
  expect(partyAt(null)).toBeNull()
})

test.each(['DASHBOARD_URL', 'PUBLIC_APP_URL', 'WEBAUTHN_ORIGIN'])(
  'the URL in %s is a relying party, also behind a proxy that changes Host and scheme',
  (name) => {
    const env = { [name]: 'https://rmm.example.test' }
    const behind = { host: '127.0.0.1:8443', isSecure: false }
    expect(partyAt('https://rmm.example.test', env, behind)).toEqual({
      id: 'rmm.example.test',
      name: 'Homeport',
      origin: 'https://rmm.example.test',
    })
    expect(partyAt('https://rmm.example.test:444', env, behind), 'another port').toBeNull()
    expect(partyAt('http://rmm.example.test', env, behind), 'without encryption').toBeNull()
    expect(partyAt('https://box.local:8443', env), 'our other names go on').toMatchObject({ id: 'box.local' })
  },
)

test('WEBAUTHN_ORIGIN may list several origins that share WEBAUTHN_RP_ID and WEBAUTHN_RP_NAME', () => {
  const env = {
    WEBAUTHN_ORIGIN: 'https://a.example.test, https://b.example.test',
    WEBAUTHN_RP_ID: 'Example.test',
    WEBAUTHN_RP_NAME: 'Acme',
  }
  for (const origin of ['https://a.example.test', 'https://b.example.test'])
    expect(partyAt(origin, env)).toEqual({ id: 'example.test', name: 'Acme', origin })
  expect(partyAt('https://c.example.test', env), 'not configured').toBeNull()
  expect(partyAt('https://box.local:8443', env), 'not below the name').toBeNull()
  expect(relyingParty(env).addressesFor(elsewhere)).toEqual(['https://a.example.test', 'https://b.example.test'])
})

test('a host whose name ends in WEBAUTHN_RP_ID without a dot before it is no relying party', () => {
  const env = { WEBAUTHN_ORIGIN: 'https://notexample.test', WEBAUTHN_RP_ID: 'example.test' }
  expect(partyAt('https://notexample.test', env)).toBeNull()
})

test('each address where passkeys work is listed once, configured ones first, without IP addresses', () => {
  const env = { DASHBOARD_URL: 'https://rmm.example.test', WEBAUTHN_ORIGIN: 'https://rmm.example.test' }
  expect(relyingParty(env).addressesFor(elsewhere)).toEqual([
    'https://rmm.example.test',
    'https://box:8443',
    'https://box.local:8443',
  ])
})

test('localhost is listed to a browser on the machine itself only', () => {
  const plain = relyingParty({}, ['http://box.local:8443', 'http://localhost:8443'])
  expect(plain.addressesFor(onTheMachine)).toEqual(['http://localhost:8443'])
  expect(plain.addressesFor(elsewhere)).toEqual([])
  expect(relyingParty().addressesFor(onTheMachine)).toContain('https://localhost:8443')
})

test('demandedAt refuses an IP address with passkey_origin and lists the addresses that work', () => {
  const party = relyingParty()
  expect(party.demandedAt(requestOf('https://box.local:8443')).id).toBe('box.local')
  const refusal = {
    code: 'passkey_origin',
    extra: { addresses: ['https://box:8443', 'https://box.local:8443'] },
  }
  expect(() => party.demandedAt(requestOf('https://192.168.1.5:8443'))).toThrow(expect.objectContaining(refusal))
})
