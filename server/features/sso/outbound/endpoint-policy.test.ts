import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fetchBy, outboundWith, partner, refusalOf } from '../../../../test/helpers/outbound-kit.ts'
import { times } from '../../../../test/helpers/thorough.ts'
import { second } from '../../../platform/clock.ts'

type Bytes = [number, number, number, number]

const byte = fc.nat(255)
/** An address in one of the private or reserved IPv4 networks. */
const privateAddress: fc.Arbitrary<Bytes> = fc.oneof(
  fc.tuple(fc.constantFrom(10, 127, 0), byte, byte, byte),
  fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
  fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
)

const numberOf = ([a, b, c, d]: Bytes) => a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d
const groupsOf = ([a, b, c, d]: Bytes) => `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
const spellings: ((address: Bytes) => string)[] = [
  (address) => address.join('.'),
  (address) => `${address.join('.')}.`,
  (address) => String(numberOf(address)),
  (address) => `0x${numberOf(address).toString(16)}`,
  (address) => `0${numberOf(address).toString(8)}`,
  (address) => address.map((part) => `0x${part.toString(16)}`).join('.'),
  (address) => address.map((part) => `0${part.toString(8)}`).join('.'),
  ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  (address) => address.join('%2e'),
  (address) => address.join('。'),
  (address) => `[::ffff:${address.join('.')}]`,
  (address) => `[::ffff:${groupsOf(address)}]`,
  (address) => `[0:0:0:0:0:ffff:${groupsOf(address)}]`,
  (address) => `[::${address.join('.')}]`,
  (address) => `[::ffff:0:${groupsOf(address)}]`,
  (address) => `[64:ff9b::${groupsOf(address)}]`,
  (address) => `[64:ff9b:1::${groupsOf(address)}]`,
  (address) => `[2002:${groupsOf(address)}::1]`,
]

test('every spelling of a private address is refused, in the check and in the connection', async () => {
  const { outbound } = outboundWith({})
  await fc.assert(
    fc.asyncProperty(privateAddress, fc.constantFrom(...spellings), async (address, spell) => {
      const url = `https://${spell(address)}/token`
      expect(await refusalOf(outbound.assertAllowed(url, partner)), url).toMatchObject({ code: 'SSO_ADDRESS_BLOCKED' })
      expect(await refusalOf(fetchBy(outbound, url)), url).toMatchObject({ code: 'SSO_ADDRESS_BLOCKED' })
    }),
    { numRuns: times(300, 60) },
  )
})

test('a name with a public and a private address is refused, and the message names neither address', async () => {
  await fc.assert(
    fc.asyncProperty(privateAddress, fc.boolean(), async (address, isFirst) => {
      const addresses = isFirst ? [address.join('.'), '1.1.1.1'] : ['1.1.1.1', address.join('.')]
      const { outbound } = outboundWith({ answers: { 'idp.example': [addresses] } })
      for (const attempt of [
        outbound.assertAllowed('https://idp.example/', partner),
        outbound.discover('https://idp.example', partner),
        fetchBy(outbound, 'https://idp.example/jwks'),
      ])
        expect(await refusalOf(attempt)).toEqual({
          code: 'SSO_ADDRESS_BLOCKED',
          message: 'idp.example resolves to an address that is not allowed; ask the appliance operator to list it',
        })
    }),
    { numRuns: 50 },
  )
})

test.each([
  'fd12:3456::1',
  'fe80::1%eth0',
  'fec0::1',
  '::1',
  '::',
  'ff02::1',
  '100::1',
  '2001:db8::1',
  '2001::1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::7f00:1',
  '::7f00:1',
  '4000::1',
  'no address',
])('a name that resolves to %s is refused', async (address) => {
  const { outbound } = outboundWith({ answers: { 'idp.example': [[address]] } })
  expect(await refusalOf(outbound.assertAllowed('https://idp.example/', partner))).toMatchObject({
    code: 'SSO_ADDRESS_BLOCKED',
  })
})

test.each(['1.1.1.1', '2606:4700:4700::1111'])('the public address %s and its name are allowed', async (address) => {
  const { outbound } = outboundWith({ answers: { 'idp.example': [[address]] } })
  await outbound.assertAllowed('https://idp.example/authorize?tenant=a', partner)
  await outbound.assertAllowed(address.includes(':') ? `https://[${address}]/` : `https://${address}/`, partner)
})

test.each([
  ['http://idp.example/', 'SSO_URL'],
  ['ftp://idp.example/', 'SSO_URL'],
  ['idp.example', 'SSO_URL'],
  ['https://idp.example/#', 'SSO_URL'],
  ['https://idp.example/#part', 'SSO_URL'],
  ['https://user@idp.example/', 'SSO_URL'],
  ['https://user:secret@idp.example/', 'SSO_URL'],
  ['https://localhost/', 'SSO_ADDRESS_BLOCKED'],
  ['https://LOCALHOST./', 'SSO_ADDRESS_BLOCKED'],
  ['https://idp.localhost/', 'SSO_ADDRESS_BLOCKED'],
])('%s is refused without a DNS lookup', async (url, code) => {
  const { outbound, asked } = outboundWith({ answers: { localhost: [['1.1.1.1']], 'idp.localhost': [['1.1.1.1']] } })
  expect(await refusalOf(outbound.assertAllowed(url, partner))).toMatchObject({ code })
  expect(asked).toEqual([])
})

test('a name that does not resolve passes the check, but its discovery fails with SSO_DNS', async () => {
  const { outbound } = outboundWith({})
  await outbound.assertAllowed('https://idp.example/', partner)
  expect(await refusalOf(outbound.discover('https://idp.example', partner))).toEqual({
    code: 'SSO_DNS',
    message: 'the name idp.example could not be resolved',
  })
})

test('resolved addresses are cached for a minute, failed lookups are not cached', async () => {
  const answers: Record<string, string[][]> = { 'idp.example': [['1.1.1.1'], ['10.0.0.1']] }
  const { outbound, clock, asked } = outboundWith({ answers })
  await outbound.assertAllowed('https://idp.example/', partner)
  clock.advance(59 * second)
  await outbound.assertAllowed('https://idp.example/token', partner)
  clock.advance(second)
  expect(await refusalOf(outbound.assertAllowed('https://idp.example/', partner))).not.toBeNull()
  await outbound.assertAllowed('https://later.example/', partner)
  answers['later.example'] = [['10.0.0.1']]
  expect(await refusalOf(outbound.assertAllowed('https://later.example/', partner))).not.toBeNull()
  expect(asked).toEqual(['idp.example', 'idp.example', 'later.example', 'later.example'])
})
