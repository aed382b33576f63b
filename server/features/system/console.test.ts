import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fastify } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { directClients } from '../../../test/helpers/clients.ts'
import { FakeClock } from '../../../test/helpers/fake-clock.ts'
import { freshDatabase } from '../../../test/helpers/test-app.ts'
import { Http } from '../../platform/http/http.ts'
import { RateLimits } from '../../platform/rate-limit.ts'
import { servePages } from './console.ts'

const dir = mkdtempSync(join(tmpdir(), 'homeport-console-'))
const consoleDir = join(dir, 'renderer')
const app = fastify({ routerOptions: { maxParamLength: 300 } })
const secret = 'what nobody may read'
let logoOrigin: string | null = null

beforeAll(async () => {
  mkdirSync(join(consoleDir, 'assets'), { recursive: true })
  mkdirSync(join(dir, 'renderer-backup'))
  writeFileSync(join(consoleDir, 'index.html'), '<script nonce="__CSP_NONCE__"></script>the page')
  writeFileSync(join(consoleDir, 'favicon.svg'), '<svg/>')
  writeFileSync(join(consoleDir, 'assets', 'app.js'), 'the script')
  writeFileSync(join(consoleDir, 'assets', '.env'), secret)
  for (const outside of ['secret.txt', 'index.html', 'renderer-backup/app.js', 'keyring.json'])
    writeFileSync(join(dir, outside), secret)
  const nobody = () => {
    throw new Error('nobody signs in here')
  }
  const limits = new RateLimits(freshDatabase(), new FakeClock())
  new Http(app, { user: nobody, device: nobody }, limits, directClients, { isTwoFactorEnabled: true })
  await servePages(app, consoleDir, () => logoOrigin)
  await app.listen({ host: '127.0.0.1', port: 0 })
})

afterAll(async () => {
  await app.close()
  rmSync(dir, { recursive: true, force: true })
})

/** The response to exactly this request target, which no HTTP client has normalized. */
const raw = (target: string | Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
    })
    socket.on('error', reject).on('close', () => resolve(answer))
    socket.write(
      Buffer.concat([
        Buffer.from('GET '),
        Buffer.from(target),
        Buffer.from(' HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
      ]),
    )
  })

const ups = ['..', '%2e%2e', '%2E.', '.%2e', '%252e%252e', '..%00', '..;', '....', '%c0%ae%c0%ae', '%uff0e%uff0e']
const slashes = ['/', '%2f', '%5c', '\\', '//', '/./', '%252f', '%2f%2f']
const targets = [
  ...ups.flatMap((up) =>
    slashes.flatMap((slash) => [
      `/${up}${slash}secret.txt`,
      `/assets/${up}${slash}${up}${slash}secret.txt`,
      `/assets/${up}${slash}${up}${slash}renderer-backup/app.js`,
      `/${up}${slash}renderer-backup${slash}app.js`,
      `/assets${slash}${up}${slash}${up}${slash}${up}${slash}${up}${slash}${up}${slash}etc${slash}passwd`,
    ]),
  ),
  join(dir, 'secret.txt'),
  `/${join(dir, 'secret.txt')}`,
  `/assets/${join(dir, 'secret.txt')}`,
  `http://127.0.0.1${join(dir, 'secret.txt')}`,
  'http://127.0.0.1/../secret.txt',
  'file:///etc/passwd',
  '/assets/.env',
  '/assets/%2eenv',
  '/assets/app.js%00.txt',
  '/assets/app.js/',
  '/assets/app.js/../../../secret.txt',
  '/C:/Windows/win.ini',
  '/%5c%5chost%5cshare',
  '/assets',
  '/assets/',
  '/%',
  '/%f',
  '/%ff%fe',
  '/%00',
  `/${'a'.repeat(300)}`,
  `/${'a'.repeat(6000)}`,
  `/assets/${'a'.repeat(6000)}`,
  `/${'a/'.repeat(2500)}`,
  `/${'../'.repeat(1000)}etc/passwd`,
  '*',
  '//',
  '///etc/passwd',
  '/.',
  '/..',
  '?',
  '',
]

test('no request target, however encoded, reads a file outside the console folder or a dotfile', async () => {
  for (const target of targets) {
    const answer = await raw(target)
    expect(answer, target).toMatch(/^HTTP\/1\.1 [234]\d\d /)
    expect(answer, target).not.toContain(secret)
    expect(answer, target).not.toContain('root:')
  }
})

test('a request target of odd bytes gets a response, and the server keeps serving pages', async () => {
  for (const bytes of ['/\xff\xfe', '/\x01', '/\xc3\x28', '/\u202e'])
    expect(await raw(Buffer.from(bytes, 'latin1')), bytes).toMatch(/^HTTP\/1\.1 [234]\d\d /)
  expect(await raw('/')).toContain('the page')
})

test('every console URL gets the page with a new nonce and a strict content security policy', async () => {
  const pages = await Promise.all(['/', '/index.html', '/devices/x', '/setup?code=1'].map((url) => app.inject({ url })))
  const nonces = new Set<string>()
  for (const page of pages) {
    expect(page.statusCode).toBe(200)
    const policy = String(page.headers['content-security-policy'])
    const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? []
    expect(page.body).toContain(`nonce="${nonce}"`)
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(page.headers['cache-control']).toBe('no-store')
    expect(page.headers['x-content-type-options']).toBe('nosniff')
    nonces.add(nonce)
  }
  expect(nonces.size).toBe(pages.length)
})

test('files and pages have security headers, but neither HSTS nor upgrade-insecure-requests', async () => {
  for (const url of ['/', '/assets/app.js', '/api/docs', '/api/docs/start.js']) {
    const { headers } = await app.inject({ url })
    expect(headers, url).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(headers, url).not.toHaveProperty('strict-transport-security')
    expect(String(headers['content-security-policy']), url).not.toContain('upgrade-insecure-requests')
  }
})

test('with a logo origin that injects into the content security policy, the page is answered with 500', async () => {
  logoOrigin = 'https://cdn.acme.example; script-src *'
  const page = await app.inject({ url: '/' })
  logoOrigin = null
  expect(page.statusCode).toBe(500)
  expect(page.headers).not.toHaveProperty('content-security-policy')
})

test('the content security policy of the console is exactly the expected list of directives', async () => {
  const policy = String((await app.inject({ url: '/' })).headers['content-security-policy'])
  expect(
    policy
      .replace(/nonce-[^']+/, 'nonce')
      .split(/;\s*/)
      .sort(),
  ).toEqual([
    "base-uri 'none'",
    "connect-src 'self'",
    "default-src 'none'",
    "font-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "img-src 'self' data:",
    "manifest-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'nonce'",
  ])
})

test('the content security policy adds the logo origin to the image sources while one is set', async () => {
  const policyNow = async () =>
    String((await app.inject({ url: '/' })).headers['content-security-policy']).replace(/nonce-[^']+/, 'nonce')
  const without = await policyNow()
  logoOrigin = 'https://cdn.acme.example:8443'
  expect(await policyNow()).toBe(without.replace("img-src 'self' data:", `img-src 'self' data: ${logoOrigin}`))
  logoOrigin = null
  expect(await policyNow()).toBe(without)
})

test('assets are cached as immutable, other files for an hour, and a missing asset is a 404', async () => {
  const asset = await app.inject({ url: '/assets/app.js' })
  expect(asset.body).toBe('the script')
  expect(asset.headers['cache-control']).toContain('immutable')
  const icon = await app.inject({ url: '/favicon.svg' })
  expect(icon.body).toBe('<svg/>')
  expect(icon.headers['cache-control']).toContain('max-age=3600')
  const missing = await app.inject({ url: '/assets/gone.js' })
  expect(missing.statusCode).toBe(404)
  expect(missing.body).not.toContain('the page')
})

test('an unknown API path gets a JSON 404 without the query string, for every method', async () => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)
    for (const url of ['/api/v1/nothing?token=hush', '/api/v2/x']) {
      const { statusCode, body } = await app.inject({ method, url })
      expect(statusCode, `${method} ${url}`).toBe(404)
      expect(JSON.parse(body)).toMatchObject({ error: 'Not Found', path: url.split('?')[0] })
    }
})
