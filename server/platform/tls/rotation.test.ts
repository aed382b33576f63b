import { X509Certificate } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTls, type Tls } from './index.ts'
import { fingerprint } from './key-pair.ts'
import { day, handshake, makeScene, serve } from './test-kit.ts'

const years = 365.25 * day

function certificates(pem: string | null): X509Certificate[] {
  const blocks = `${pem}`.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []
  return blocks.map((block) => new X509Certificate(block))
}

function fingerprints(pem: string | null): string[] {
  return certificates(pem).map(fingerprint)
}

/** Which of the trusted authorities signed the certificate in use. */
function signedBy(tls: Tls): string | undefined {
  const server = new X509Certificate(tls.secureContext().cert)
  return certificates(tls.caPem())
    .filter((authority) => server.verify(authority.publicKey))
    .map(fingerprint)[0]
}

test('a rotation gives devices 14 days to learn the next authority, and the old one stays for 30 days', async () => {
  const { options, time } = await makeScene()
  // Handshakes use the real time, so the clock starts 14 days back and reaches it at the switch.
  time.ms -= 14 * day
  const tls = await openTls(options)
  const port = await serve(tls)
  const old = tls.caFingerprint()
  const onlyOld = `${tls.caPem()}`
  await tls.rotateCa()
  const oldAndNext = `${tls.caPem()}`
  const next = tls.rotation()?.nextFingerprint
  expect(Date.parse(`${tls.rotation()?.switchAt}`)).toBe(time.ms + 14 * day)
  expect(tls.caFingerprint()).toBe(old)
  expect(fingerprints(oldAndNext)).toEqual([old, next])
  expect(tls.trustedFingerprints()).toEqual([old, next])
  await expect(tls.rotateCa()).rejects.toMatchObject({ code: 'rotation_staged' })

  time.ms += 14 * day - 1000
  await tls.tick()
  await expect(handshake(port, onlyOld, 'box')).resolves.toBeDefined()
  await expect(handshake(port, oldAndNext, 'box')).resolves.toBeDefined()

  time.ms += 1000
  await tls.tick()
  expect(tls.caFingerprint()).toBe(next)
  expect(tls.rotation()).toBeNull()
  await expect(handshake(port, oldAndNext, 'box')).resolves.toBeDefined()
  await expect(handshake(port, onlyOld, 'box')).rejects.toThrow(/certificate/)
  expect(fingerprints(tls.caPem())).toEqual([next, old])

  time.ms += 30 * day
  await tls.tick()
  expect(tls.trustedFingerprints()).toEqual([next])
})

test('an authority is rotated automatically before it expires, with 90 days for devices to learn the next one', async () => {
  const { options, time } = await makeScene()
  const tls = await openTls(options)
  const old = tls.caFingerprint()
  const end = Date.parse(`${tls.expires().ca}`)
  time.ms = end - 181 * day
  await tls.tick()
  expect(tls.rotation()).toBeNull()
  time.ms = end - 180 * day
  await tls.tick()
  const next = tls.rotation()?.nextFingerprint
  expect(Date.parse(`${tls.rotation()?.switchAt}`)).toBe(end - 90 * day)
  expect(fingerprints(tls.caPem())).toEqual([old, next])
  time.ms = end - 90 * day - 1
  await tls.tick()
  expect(tls.caFingerprint()).toBe(old)
  expect(signedBy(tls)).toBe(old)
  time.ms += 1
  await tls.tick()
  expect(tls.caFingerprint()).toBe(next)
  expect(signedBy(tls)).toBe(next)
  expect(Date.parse(`${tls.expires().ca}`)).toBeGreaterThan(end + 9 * years)
})

test('every step survives a restart, and the old private key is destroyed at the switch', async () => {
  const { options, time } = await makeScene()
  const file = join(options.dir, 'authorities.json')
  const first = await openTls(options)
  const oldKey = JSON.parse(await readFile(file, 'utf8')).current.key
  await first.rotateCa()
  const staged = await openTls(options)
  expect(staged.rotation()).toEqual(first.rotation())
  expect(staged.caPem()).toBe(first.caPem())
  time.ms += 15 * day
  const after = await openTls(options)
  expect(after.caFingerprint()).toBe(first.rotation()?.nextFingerprint)
  expect(after.trustedFingerprints()).toEqual([...first.trustedFingerprints()].reverse())
  expect((await openTls(options)).secureContext()).toEqual(after.secureContext())
  expect(await readFile(file, 'utf8')).not.toContain(JSON.stringify(oldKey).slice(30, 90))
})

test('a switch cut off before the new server certificate was saved is finished at the next start', async () => {
  const { options } = await makeScene()
  const tls = await openTls(options)
  await tls.rotateCa()
  const server = join(options.dir, 'server.json')
  const before = await readFile(server, 'utf8')
  await tls.switchCa()
  await writeFile(server, before)
  const restarted = await openTls(options)
  await expect(handshake(await serve(restarted), `${tls.caPem()}`, 'box')).resolves.toBeDefined()
})

test('a staged rotation can be switched at once, and without one the switch is refused with no_rotation_staged', async () => {
  const { options } = await makeScene()
  const tls = await openTls(options)
  await expect(tls.switchCa()).rejects.toMatchObject({ code: 'no_rotation_staged' })
  await tls.rotateCa()
  const next = tls.rotation()?.nextFingerprint
  const port = await serve(tls)
  await tls.switchCa()
  expect(tls.caFingerprint()).toBe(next)
  await expect(handshake(port, `${tls.caPem()}`, 'box')).resolves.toBeDefined()
})

test('with little time left the switch still comes before the end', async () => {
  const { options, time } = await makeScene()
  const tls = await openTls(options)
  const end = Date.parse(`${tls.expires().ca}`)
  time.ms = end - 2 * day
  await tls.tick()
  expect(Date.parse(`${tls.rotation()?.switchAt}`)).toBe(end - day)
})

test('an authority staged while the clock was ahead is discarded when the clock is set right', async () => {
  const { options, time } = await makeScene()
  const tls = await openTls(options)
  const authority = tls.caFingerprint()
  const real = time.ms
  time.ms = Date.parse(`${tls.expires().ca}`) - 100 * day
  await tls.tick()
  expect(tls.rotation()).not.toBeNull()
  time.ms = real
  await tls.tick()
  expect(tls.trustedFingerprints()).toEqual([authority])
})

test('with the clock before the authority begins no step is taken or undone, and a rotation is refused', async () => {
  const { options, time } = await makeScene()
  const tls = await openTls(options)
  await tls.rotateCa()
  const staged = tls.rotation()
  time.ms -= 20 * years
  await tls.tick()
  expect(tls.rotation()).toEqual(staged)
  const other = await makeScene()
  const fresh = await openTls(other.options)
  other.time.ms -= 20 * years
  await expect(fresh.rotateCa()).rejects.toMatchObject({ code: 'clock_behind' })
})

test('an expired authority stays, is logged once a day, and is replaced at once when a rotation is requested', async () => {
  const { options, time, lines } = await makeScene()
  const tls = await openTls(options)
  const authority = tls.caFingerprint()
  time.ms = Date.parse(`${tls.expires().ca}`) + 10 * day
  await tls.tick()
  await tls.tick()
  expect(tls.caFingerprint()).toBe(authority)
  expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1)
  time.ms += day
  await tls.tick()
  expect(lines.filter(({ level }) => level === 'error')).toHaveLength(2)
  await tls.rotateCa()
  expect(tls.caFingerprint()).not.toBe(authority)
  expect(tls.rotation()).toBeNull()
})

test('log lines contain no private key', async () => {
  const { options, lines } = await makeScene()
  const tls = await openTls(options)
  await tls.rotateCa()
  await tls.switchCa()
  expect(lines.length).toBeGreaterThan(3)
  expect(JSON.stringify(lines)).not.toMatch(/PRIVATE/)
})
