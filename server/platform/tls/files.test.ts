import { copyFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openTls, TlsError } from './index.ts'
import { createAuthority, createServerCertificate } from './issue.ts'
import { day, handshake, makeScene, serve } from './test-kit.ts'

/** A certificate from an external authority, in two files. */
async function makeFiles() {
  const scene = await makeScene()
  const certFile = join(scene.dir, 'server.crt')
  const keyFile = join(scene.dir, 'server.key')
  const authority = await createAuthority(scene.time.ms)
  const issue = async () => {
    const pair = await createServerCertificate(authority, { dns: ['box.example'], ip: [] }, scene.time.ms)
    return { cert: `${pair.certificate}${authority.certificate}`, key: pair.key }
  }
  const put = async ({ cert, key }: { cert: string; key: string }) => {
    await writeFile(certFile, cert)
    await writeFile(keyFile, key)
  }
  await put(await issue())
  const options = { mode: 'files' as const, certFile, keyFile, clock: scene.clock, log: scene.log }
  return { ...scene, certFile, keyFile, issue, put, options, ca: `${authority.certificate}` }
}

test('serves the given files, and has no authority', async () => {
  const { options, ca, time } = await makeFiles()
  const tls = await openTls(options)
  await expect(handshake(await serve(tls), ca, 'box.example')).resolves.toBeDefined()
  expect([tls.caPem(), tls.caFingerprint(), tls.rotation(), tls.trustedFingerprints()]).toEqual([null, null, null, []])
  expect(tls.expires().ca).toBeNull()
  expect(Date.parse(tls.expires().certificate)).toBeGreaterThan(time.ms + 300 * day)
  await expect(tls.rotateCa()).rejects.toMatchObject({ code: 'no_authority' })
  await expect(tls.switchCa()).rejects.toMatchObject({ code: 'no_authority' })
})

describe('refuses to start', () => {
  test('without the files', async () => {
    const { options, keyFile } = await makeFiles()
    await rm(keyFile)
    await expect(openTls(options)).rejects.toThrow(TlsError)
  })

  test('with a key that does not fit', async () => {
    const { options, keyFile, issue } = await makeFiles()
    await writeFile(keyFile, (await issue()).key)
    await expect(openTls(options)).rejects.toMatchObject({ code: 'files_unusable' })
  })

  test('with something else in the files', async () => {
    const { options, certFile, keyFile } = await makeFiles()
    await copyFile(keyFile, certFile)
    await expect(openTls(options)).rejects.toMatchObject({ code: 'files_unusable' })
  })
})

test('follows files that change, without a restart', async () => {
  const { options, ca, issue, put } = await makeFiles()
  const tls = await openTls(options)
  const port = await serve(tls)
  const before = (await handshake(port, ca, 'box.example')).serialNumber
  await tls.tick()
  expect((await handshake(port, ca, 'box.example')).serialNumber).toBe(before)
  await put(await issue())
  await tls.tick()
  expect((await handshake(port, ca, 'box.example')).serialNumber).not.toBe(before)
})

test('keeps the former certificate while the files are broken, logs each problem once, and recovers', async () => {
  const { options, ca, issue, put, certFile, lines } = await makeFiles()
  const tls = await openTls(options)
  const port = await serve(tls)
  const before = (await handshake(port, ca, 'box.example')).serialNumber
  const good = await issue()
  const states = [() => writeFile(certFile, good.cert), () => writeFile(certFile, 'broken'), () => rm(certFile)]
  for (const [index, breakFiles] of states.entries()) {
    await breakFiles()
    await tls.tick()
    await tls.tick()
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(index + 1)
    expect((await handshake(port, ca, 'box.example')).serialNumber).toBe(before)
  }
  await put(good)
  await tls.tick()
  expect((await handshake(port, ca, 'box.example')).serialNumber).not.toBe(before)
})

test('warns before the certificate expires and logs an error after it, each once a day', async () => {
  const { options, time, lines } = await makeFiles()
  const tls = await openTls(options)
  expect(lines).toEqual([])
  const end = Date.parse(tls.expires().certificate)
  // A day counts from the last log line, not from midnight.
  for (const at of [end - 10 * day, end - 9 * day - 1, end + day, end + 2 * day - 1]) {
    time.ms = at
    await tls.tick()
  }
  expect(lines.map(({ level }) => level)).toEqual(['warn', 'error'])
})
