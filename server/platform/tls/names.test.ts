import { networkInterfaces } from 'node:os'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAuthority, createServerCertificate } from './issue.ts'
import { certifiable, machineNames } from './names.ts'

test('the machine is known by its LAN addresses and the loopback names, not by link-local ones', () => {
  const names = machineNames()
  expect(names.dns).toContain('localhost')
  expect(names.ip).toEqual(expect.arrayContaining(['127.0.0.1', '::1']))
  const lan = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  for (const { address } of lan.filter(({ internal, family }) => !internal && family === 'IPv4')) {
    expect(names.ip).toContain(address)
  }
  expect(names.ip.filter((ip) => ip.startsWith('fe80'))).toEqual([])
})

test('names no certificate can carry are left out, the others stay', () => {
  const bad = [
    '',
    'my_box',
    '-box',
    'box-',
    'a'.repeat(64),
    'box..lan',
    'a b',
    '12345',
    '*.lan',
    'box.',
    `${'a.'.repeat(127)}a`,
  ]
  expect(certifiable({ dns: [...bad, 'BOX', 'box', 'büro'], ip: [] }).dns).toEqual(['box', 'localhost', 'xn--bro-hoa'])
})

test('addresses are brought to one form; zones, link-local and malformed ones are left out', () => {
  const ip = ['FD00:0:0::7', 'fd00::7', '::ffff:192.0.2.1', 'fe80::1', 'fe80::1%eth0', 'fd00::8%eth0', '1.2.3', '']
  expect(certifiable({ dns: [], ip }).ip).toEqual(['127.0.0.1', '::1', '::ffff:c000:201', 'fd00::7'])
})

test('whatever a machine is called, its certificate covers every certifiable name', async () => {
  const authority = await createAuthority(Date.now())
  const name = fc.oneof(fc.domain(), fc.string({ unit: 'grapheme' }), fc.string())
  const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())
  await fc.assert(
    fc.asyncProperty(fc.array(name), fc.array(address), async (dns, ip) => {
      const names = certifiable({ dns, ip })
      const { certificate } = await createServerCertificate(authority, names, Date.now())
      for (const name of names.dns) expect(certificate.checkHost(name)).toBeTruthy()
      for (const ip of names.ip) expect(certificate.checkIP(ip)).toBeTruthy()
    }),
    { numRuns: 60 },
  )
})
