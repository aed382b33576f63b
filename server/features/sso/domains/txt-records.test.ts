import { expect, test } from 'vitest'
import { dnsServer } from '../../../../test/helpers/dns-server.ts'
import { TxtRecords } from './txt-records.ts'

const name = '_svc-verify.corp.test'

test('trap 48: a record that is sent in chunks is one', async () => {
  await using server = await dnsServer()
  const records = new TxtRecords([server.address])
  server.set(name, 'v=spf1 -all', [' svc-domain', '-verify=', 'x'.repeat(200), 'y'.repeat(200), ' '])
  expect(await records.at(name)).toEqual(['v=spf1 -all', `svc-domain-verify=${'x'.repeat(200)}${'y'.repeat(200)}`])
})

test('a name that does not exist has no records, and neither has one that nobody can be asked about', async () => {
  await using server = await dnsServer()
  expect(await new TxtRecords([server.address]).at(name)).toEqual([])
  expect(await new TxtRecords(['127.0.0.1:1']).at(name)).toEqual([])
  expect(await new TxtRecords([server.address]).at('x'.repeat(300))).toEqual([])
})

test('who does not answer is waited for five seconds and no longer, however many there are', async () => {
  await using first = await dnsServer()
  await using second = await dnsServer()
  first.isSilent = true
  second.isSilent = true
  const since = performance.now()
  expect(await new TxtRecords([first.address, second.address]).at(name)).toEqual([])
  expect(Math.round((performance.now() - since) / 1000)).toBe(5)
  expect(first.asked).toEqual([name])
})

test('what is no address of a server is told when the appliance starts', () => {
  expect(() => new TxtRecords(['dns.corp.test'])).toThrow('SSO_DNS_RESOLVERS must list addresses')
})
