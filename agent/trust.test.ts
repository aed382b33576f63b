import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { apiUrl, exchange, type Trust } from './http.ts'
import { createAuthority } from './testing/certificates.ts'
import type { FakeServer } from './testing/fake-server.ts'
import { makeFolder, makeServer } from './testing/scene.ts'
import { adoptAuthorities, isPinned, loadTrust } from './trust.ts'

const callWith = (server: FakeServer) => (trust: Trust) =>
  exchange({ url: apiUrl(server.url, '/health'), method: 'GET', trust, timeoutMs: 60_000 })

/** An appliance certified by `now`, and a device that trusts `now` alone. */
async function makePinned() {
  const [now, next] = await Promise.all([createAuthority('CA now'), createAuthority('CA next')])
  const server = await makeServer({ ...(await now.issue(['127.0.0.1'])), caPem: now.pem })
  const stateDir = await makeFolder()
  writeFileSync(join(stateDir, 'ca.pem'), now.pem)
  const trust = loadTrust(stateDir)
  if (!isPinned(trust)) throw new Error('not pinned')
  return { now, next, server, stateDir, trust, call: callWith(server) }
}

test('new authorities that verify the server replace the old ones, here and after a restart', async () => {
  const { now, next, stateDir, trust, call } = await makePinned()
  await adoptAuthorities(trust, `${next.pem}\n${now.pem}`, call)
  expect(trust.fingerprints()).toEqual([next.fingerprint, now.fingerprint])
  expect(loadTrust(stateDir).fingerprints()).toEqual([next.fingerprint, now.fingerprint])
  await adoptAuthorities(trust, now.pem, call)
  expect(trust.fingerprints()).toEqual([now.fingerprint])
})

test('new authorities that do not verify the server yet are trusted beside the old ones', async () => {
  const { now, next, trust, call } = await makePinned()
  await adoptAuthorities(trust, next.pem, call)
  expect(trust.fingerprints()).toEqual([next.fingerprint, now.fingerprint])
  expect((await call(trust)).status).toBe(200)
})

test.each(['', 'hello', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])(
  '%j is no list of authorities and changes nothing',
  async (pem) => {
    const { now, stateDir, trust, call } = await makePinned()
    await expect(adoptAuthorities(trust, pem, call)).rejects.toThrow()
    expect(trust.fingerprints()).toEqual([now.fingerprint])
    expect(readFileSync(join(stateDir, 'ca.pem'), 'utf8')).toBe(now.pem)
  },
)

test('a server certificate is refused as an authority', async () => {
  const { now, trust, call } = await makePinned()
  const { cert } = await now.issue(['127.0.0.1'])
  await expect(adoptAuthorities(trust, cert, call)).rejects.toThrow('not a certificate authority')
})
