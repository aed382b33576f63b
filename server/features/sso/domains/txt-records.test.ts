import { expect, test } from 'vitest'
import { dnsServer } from '../../../../test/helpers/dns-server.ts'
import { TxtRecords } from './txt-records.ts'

const name = '_svc-verify.corp.test'

test('the chunks of a TXT record are joined into one string', async () => {
  await using server = await dnsServer()
  const records = new TxtRecords([server.address])
  server.set(name, 'v=spf1 -all', [' svc-domain', '-verify=', 'x'.repeat(200), 'y'.repeat(200), ' '])
  expect(await records.at(name)).toEqual(['v=spf1 -all', `svc-domain-verify=${'x'.repeat(200)}${'y'.repeat(200)}`])
})

test('an unknown name, an unreachable server and an invalid name give no records', async () => {
  await using server = await dnsServer()
  expect(await new TxtRecords([server.address]).at(name)).toEqual([])
  expect(await new TxtRecords(['127.0.0.1:1']).at(name)).toEqual([])
  expect(await new TxtRecords([server.address]).at('x'.repeat(300))).toEqual([])
})

test('a lookup at twelve silent DNS servers gives no records without waiting five seconds for each', async () => {
  await using servers = new AsyncDisposableStack()
  const silent = []
  for (let n = 0; n < 12; n++) {
    const server = servers.use(await dnsServer())
    server.isSilent = true
    silent.push(server)
  }
  const since = performance.now()
  expect(await new TxtRecords(silent.map(({ address }) => address)).at(name)).toEqual([])
  const seconds = (performance.now() - since) / 1000
  expect(seconds).toBeGreaterThan(4.9)
  // One after the other they would take a minute.
  expect(seconds).toBeLessThan(50)
  expect(silent[0]?.asked).toEqual([name])
})

test('an SSO_DNS_RESOLVERS entry that is not an IP address is refused when TxtRecords is created', () => {
  expect(() => new TxtRecords(['dns.corp.test'])).toThrow('SSO_DNS_RESOLVERS must list addresses')
})
