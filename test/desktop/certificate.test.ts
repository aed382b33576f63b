import { beforeAll, expect, test } from 'vitest'
import { type Pinned, verifyCertificate } from '../../main/certificate.ts'
import { createAuthority, createServerCertificate } from '../../server/platform/tls/issue.ts'

/** The certificates the appliance makes, judged as the desktop window judges them. */

const names = { dns: ['box.local', 'localhost'], ip: ['127.0.0.1', '::1'] }
const day = 86_400_000
const [accepted, refused, byDefault] = [0, -2, -3]

const chain = async (at = Date.now()) => {
  const authority = await createAuthority(at)
  const server = await createServerCertificate(authority, names, at)
  return { authority: authority.certificate.toString(), server: server.certificate.toString() }
}
let ours: Awaited<ReturnType<typeof chain>>
let foreign: Awaited<ReturnType<typeof chain>>
beforeAll(async () => {
  ours = await chain()
  foreign = await chain()
})

const pinTo = (trustAnchors: string, hostname = 'localhost'): Pinned => ({ hostname, trustAnchors })
const now = new Date()

test('a certificate that the CA of the appliance signed for the loopback name is trusted', () => {
  expect(verifyCertificate('localhost', ours.server, pinTo(ours.authority), now)).toBe(accepted)
  expect(verifyCertificate('127.0.0.1', ours.server, pinTo(ours.authority, '127.0.0.1'), now)).toBe(accepted)
})

test('another CA is refused, whatever Chromium would say', () => {
  expect(verifyCertificate('localhost', foreign.server, pinTo(ours.authority), now)).toBe(refused)
})

test('while the CA is rotated, both are trusted', () => {
  const both = pinTo(`${foreign.authority}${ours.authority}`)
  expect(verifyCertificate('localhost', ours.server, both, now)).toBe(accepted)
  expect(verifyCertificate('localhost', foreign.server, both, now)).toBe(accepted)
  expect(verifyCertificate('localhost', ours.server, pinTo(''), now)).toBe(refused)
})

test('the CA is trusted for no other name, and not outside of the validity of a certificate', () => {
  const later = new Date(Date.now() + 396 * day)
  const earlier = new Date(Date.now() - day)
  expect(verifyCertificate('evil', ours.server, pinTo(ours.authority, 'evil'), now)).toBe(refused)
  expect(verifyCertificate('localhost', ours.server, pinTo(ours.authority), later)).toBe(refused)
  expect(verifyCertificate('localhost', ours.server, pinTo(ours.authority), earlier)).toBe(refused)
})

test('a pinned certificate that is no CA verifies only itself', async () => {
  expect(verifyCertificate('localhost', ours.server, pinTo(ours.server), now)).toBe(accepted)
  expect(verifyCertificate('localhost', foreign.server, pinTo(ours.server), now)).toBe(refused)
})

test('other hosts, and every host before the server is ready, are left to Chromium', () => {
  expect(verifyCertificate('box.local', ours.server, pinTo(ours.authority), now)).toBe(byDefault)
  expect(verifyCertificate('localhost', ours.server, undefined, now)).toBe(byDefault)
})
