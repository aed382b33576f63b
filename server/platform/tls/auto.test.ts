import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { openTls } from './index.ts'
import { day, handshake, makeScene, serve } from './test-kit.ts'

const run = promisify(execFile)
const hasOpenssl = await run('openssl', ['version']).then(
  () => true,
  () => false,
)

describe('a first start', () => {
  test('gives a certificate that a device pinning the authority accepts under every name', async () => {
    const { options } = await makeScene()
    const tls = await openTls(options)
    const port = await serve(tls)
    for (const name of ['localhost', 'box', 'box.local', '127.0.0.1', '::1', '192.0.2.7', 'fd00::7']) {
      await expect(handshake(port, `${tls.caPem()}`, name)).resolves.toMatchObject({ subject: { CN: 'Homeport' } })
    }
    await expect(handshake(port, `${tls.caPem()}`, 'other.local')).rejects.toThrow(/altnames/)
  })

  test('makes an authority of its own, which no other appliance shares', async () => {
    const [one, two] = [await openTls((await makeScene()).options), await openTls((await makeScene()).options)]
    expect(one.caFingerprint()).toMatch(/^[0-9a-f]{64}$/)
    expect(one.caFingerprint()).not.toBe(two.caFingerprint())
    await expect(handshake(await serve(one), `${two.caPem()}`, 'localhost')).rejects.toThrow(/certificate/)
  })

  test('keeps keys for the owner only, also in a folder that was open before', async () => {
    const { options } = await makeScene()
    await mkdir(options.dir, { mode: 0o755 })
    await writeFile(join(options.dir, 'server.json.tmp'), 'left by a crash', { mode: 0o644 })
    await openTls(options)
    expect((await stat(options.dir)).mode & 0o777).toBe(0o700)
    const files = await readdir(options.dir)
    expect(files.sort()).toEqual(['authorities.json', 'server.json'])
    for (const file of files) expect((await stat(join(options.dir, file))).mode & 0o777).toBe(0o600)
  })

  test.skipIf(!hasOpenssl)('satisfies OpenSSL in strict mode', async () => {
    const { options, dir } = await makeScene()
    const tls = await openTls(options)
    await writeFile(join(dir, 'ca.pem'), `${tls.caPem()}`)
    await writeFile(join(dir, 'server.pem'), tls.secureContext().cert)
    const strict = ['verify', '-x509_strict', '-check_ss_sig', '-purpose', 'sslserver', '-verify_hostname', 'box.local']
    const { stdout } = await run('openssl', [...strict, '-CAfile', join(dir, 'ca.pem'), join(dir, 'server.pem')])
    expect(stdout).toContain('OK')
    const text = (await run('openssl', ['x509', '-noout', '-text', '-in', join(dir, 'server.pem')])).stdout
    expect(text).toMatch(/Key Usage: critical\s+Digital Signature\n/)
    expect(text).toMatch(/Extended Key Usage:\s+TLS Web Server Authentication\n/)
    expect(text).toMatch(/CA:FALSE/)
    expect(text).toMatch(/DNS:box, DNS:box.local, DNS:localhost/)
    const ca = (await run('openssl', ['x509', '-noout', '-text', '-in', join(dir, 'ca.pem')])).stdout
    expect(ca).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:0/)
    expect(ca).toMatch(/Key Usage: critical\s+Certificate Sign, CRL Sign/)
  })

  test('issues a server certificate for less than 396 days and an authority for more than ten years', async () => {
    const { options, time } = await makeScene()
    const { certificate, ca } = (await openTls(options)).expires()
    expect(Date.parse(certificate) - time.ms).toBeLessThan(396 * day)
    expect(Date.parse(`${ca}`) - time.ms).toBeGreaterThan(3650 * day)
  })

  test('in 1970, before the clock is set, still makes an authority that is valid later', async () => {
    const { options, time } = await makeScene()
    const real = time.ms
    time.ms = 60_000
    const tls = await openTls(options)
    time.ms = real
    await tls.tick()
    await expect(handshake(await serve(tls), `${tls.caPem()}`, 'box')).resolves.toBeDefined()
  })
})

describe('a second start', () => {
  test('serves the stored certificate and writes nothing', async () => {
    const { options } = await makeScene()
    const first = await openTls(options)
    const before = await readFile(join(options.dir, 'server.json'), 'utf8')
    const second = await openTls(options)
    expect(second.caFingerprint()).toBe(first.caFingerprint())
    expect(second.secureContext()).toEqual(first.secureContext())
    expect(await readFile(join(options.dir, 'server.json'), 'utf8')).toBe(before)
  })

  test('narrows permissions that a restore left too wide', async () => {
    const { options } = await makeScene()
    await openTls(options)
    await chmod(join(options.dir, 'authorities.json'), 0o644)
    await openTls(options)
    expect((await stat(join(options.dir, 'authorities.json'))).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['empty', () => ''],
    ['half-written', (text: string) => text.slice(0, text.length / 2)],
    ['not a certificate', () => '{"certificate":"x","key":"y"}'],
  ])('replaces a server certificate that is %s', async (_what, damage) => {
    const { options, lines } = await makeScene()
    const first = await openTls(options)
    const file = join(options.dir, 'server.json')
    await writeFile(file, damage(await readFile(file, 'utf8')))
    const second = await openTls(options)
    expect(second.secureContext().cert).not.toBe(first.secureContext().cert)
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
    await expect(handshake(await serve(second), `${first.caPem()}`, 'localhost')).resolves.toBeDefined()
  })

  test('replaces a server certificate whose key does not fit, or that another authority signed', async () => {
    const [mine, other] = [await makeScene(), await makeScene()]
    const first = await openTls(mine.options)
    await openTls(other.options)
    const file = join(mine.options.dir, 'server.json')
    const foreign = JSON.parse(await readFile(join(other.options.dir, 'server.json'), 'utf8'))
    const own = JSON.parse(await readFile(file, 'utf8'))
    for (const content of [{ ...own, key: foreign.key }, foreign]) {
      await writeFile(file, JSON.stringify(content))
      const second = await openTls(mine.options)
      await expect(handshake(await serve(second), `${first.caPem()}`, 'localhost')).resolves.toBeDefined()
    }
  })

  test('refuses a damaged authority with advice how to restore it, and leaves the file as it is', async () => {
    const { options } = await makeScene()
    await openTls(options)
    const file = join(options.dir, 'authorities.json')
    const good = await readFile(file, 'utf8')
    const parsed = JSON.parse(good)
    const server = JSON.parse(await readFile(join(options.dir, 'server.json'), 'utf8'))
    const wrongKey = JSON.stringify({ ...parsed, current: { ...parsed.current, key: server.key } })
    for (const damaged of ['', good.slice(0, 300), '{}', wrongKey, JSON.stringify({ ...parsed, current: server })]) {
      await writeFile(file, damaged)
      const error = await openTls(options).catch((reason) => reason)
      expect(error).toMatchObject({ name: 'TlsError', code: 'authority_unusable' })
      expect(error.message).toMatch(/Restore the file from a backup/)
      expect(error.message).not.toMatch(/PRIVATE|MIG/)
      expect(await readFile(file, 'utf8')).toBe(damaged)
    }
  })

  test('refuses to start anew when only the authority is gone', async () => {
    const { options } = await makeScene()
    await openTls(options)
    await rm(join(options.dir, 'authorities.json'))
    await expect(openTls(options)).rejects.toMatchObject({ code: 'authority_unusable' })
  })
})
