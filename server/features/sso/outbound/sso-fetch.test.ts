import type { RequestListener, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.ts'
import { FakeClock } from '../../../../test/helpers/fake-clock.ts'
import {
  fetchBy,
  listing,
  organization,
  outboundWith,
  partner,
  refusalOf,
  trustOf,
} from '../../../../test/helpers/outbound-kit.ts'
import { privateHost } from '../../../../test/helpers/private-host.ts'
import { Names } from '../../../platform/outbound/index.ts'
import { Outbound } from './outbound.ts'

afterEach(() => vi.unstubAllEnvs())

const json = (response: ServerResponse, body: string | Buffer, headers = {}) =>
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body)

/** A server in the private network, named `idp.corp.lan` and listed in the trust document. */
async function listedHost(answer: RequestListener, more: object = {}, names = ['idp.corp.lan']) {
  const host = await privateHost(names, answer)
  onTestFinished(() => host[Symbol.asyncDispose]())
  return { host, ...outboundWith(listing(host, 'idp.corp.lan', more)), at: `https://idp.corp.lan:${host.port}` }
}

test('a listed host is requested by its name, without the cookie and Host headers of the caller', async () => {
  const seen: Record<string, unknown>[] = []
  const { outbound, at, host } = await listedHost(async (request, response) => {
    const { servername } = request.socket as unknown as { servername: string }
    seen.push({ ...request.headers, servername, method: request.method, body: await text(request) })
    json(response, '{"it":"works"}', { 'set-cookie': 'a=b', 'x-more': 'c' })
  })
  const response = await fetchBy(outbound, `${at}/token`, partner, {
    method: 'POST',
    headers: { accept: 'application/json', Host: 'elsewhere.example', cookie: 'session=1' },
    body: new URLSearchParams({ code: 'x' }),
  })
  expect(response).toBeInstanceOf(Response)
  expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: { it: 'works' } })
  expect([...response.headers]).toEqual([['content-type', 'application/json']])
  const name = 'idp.corp.lan'
  expect(seen).toMatchObject([{ host: `${name}:${host.port}`, servername: name, method: 'POST', body: 'code=x' }])
  expect(seen[0]).not.toHaveProperty('cookie')
  await eventually(() => expect(host.open).toBe(0))
})

test('a 401 of the identity provider is passed on with its body and www-authenticate header', async () => {
  const { outbound, at } = await listedHost((_request, response) =>
    response
      .writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Bearer error="invalid_token"' })
      .end('{"error":"invalid_client"}'),
  )
  const response = await fetchBy(outbound, `${at}/token`)
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])
  expect(await response.json()).toEqual({ error: 'invalid_client' })
})

test('a redirect from the token endpoint is refused with SSO_HTTP and not followed', async () => {
  const told: string[] = []
  const inside = await privateHost(['127.0.0.1'], async (request, response) => {
    told.push(await text(request))
    json(response, '{}')
  })
  onTestFinished(() => inside[Symbol.asyncDispose]())
  for (const status of [301, 302, 303, 307, 308, 304]) {
    const { outbound, at } = await listedHost((_request, response) =>
      response.writeHead(status, { location: `https://127.0.0.1:${inside.port}/admin` }).end(),
    )
    const init = { method: 'POST', body: new URLSearchParams({ client_secret: 'hush' }) }
    expect(await refusalOf(fetchBy(outbound, `${at}/token`, partner, init))).toMatchObject({
      code: 'SSO_HTTP',
      message: expect.stringContaining('redirect'),
    })
  }
  expect([told, inside.connections]).toEqual([[], 0])
})

const twoMebibytes = Buffer.from(JSON.stringify({ keys: [], padding: 'x'.repeat(2 * 1024 * 1024) }))

test.each([
  ['of 2 MiB', twoMebibytes, {}],
  ['of some kilobytes of gzip', gzipSync(twoMebibytes), { 'content-encoding': 'gzip' }],
])('a key set %s is refused with SSO_TOO_LARGE', async (_name, body, headers) => {
  const { outbound, at, host } = await listedHost((_request, response) => json(response, body, headers))
  expect(await refusalOf(fetchBy(outbound, `${at}/jwks`))).toMatchObject({ code: 'SSO_TOO_LARGE' })
  await eventually(() => expect(host.open).toBe(0))
})

test('an endless response is cut off with SSO_TOO_LARGE', async () => {
  const { outbound, at, host } = await listedHost((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => void (response.destroyed || response.write('x'.repeat(65_536), more))
    more()
  })
  expect(await refusalOf(fetchBy(outbound, `${at}/jwks`))).toMatchObject({ code: 'SSO_TOO_LARGE' })
  await eventually(() => expect(host.open).toBe(0))
})

test('a gzip response of exactly 1 MiB uncompressed is read', async () => {
  const body = JSON.stringify({ keys: [], padding: '' }).length
  const whole = JSON.stringify({ keys: [], padding: 'x'.repeat(1024 * 1024 - body) })
  const { outbound, at } = await listedHost((_request, response) =>
    json(response, gzipSync(whole), { 'content-encoding': 'gzip' }),
  )
  expect(await (await fetchBy(outbound, `${at}/jwks`)).text()).toBe(whole)
})

test('a key set from a silent or slow server times out after five seconds, and a name lookup fails earlier', async () => {
  const clock = new FakeClock()
  const unnamed = new Outbound({ trust: trustOf({}), clock, names: new Names(() => new Promise(() => {}), clock) })
  const silent = await listedHost(() => {})
  const slow = await listedHost((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{')
    const timer = setInterval(() => response.write(' '), 500)
    response.on('close', () => clearInterval(timer))
  })
  const began = performance.now()
  const ended: string[] = []
  const [nameEnd, ...ends] = await Promise.all([
    refusalOf(unnamed.discover('https://idp.example', partner)).finally(() => ended.push('names')),
    ...[silent, slow].map(({ outbound, at }) => {
      const fetch = outbound.fetchFor(partner, `${at}/jwks`)
      return refusalOf(
        fetch(`${at}/jwks`, { method: 'GET', headers: {}, body: undefined, redirect: 'manual' }),
      ).finally(() => ended.push('keys'))
    }),
  ])
  expect(ended).toEqual(['names', 'keys', 'keys'])
  expect(nameEnd).toMatchObject({ code: 'SSO_DNS' })
  for (const [index, { host }] of [silent, slow].entries())
    expect(ends[index]).toEqual({
      code: 'SSO_TIMEOUT',
      message: `idp.corp.lan:${host.port} did not answer within 5 seconds`,
    })
  expect(performance.now() - began).toBeGreaterThan(4900)
  await eventually(() => expect([silent.host.open, slow.host.open]).toEqual([0, 0]))
})

test('an abort signal of the caller ends a fetch with SSO_TIMEOUT', async () => {
  const { outbound, at } = await listedHost(() => {})
  const signal = AbortSignal.timeout(50)
  expect(await refusalOf(fetchBy(outbound, `${at}/token`, partner, { signal }))).toMatchObject({ code: 'SSO_TIMEOUT' })
})

test('a name rebound to a loopback address after the check is refused with SSO_ADDRESS_BLOCKED', async () => {
  const host = await privateHost(['rebind.example'], (_request, response) => json(response, '{}'))
  onTestFinished(() => host[Symbol.asyncDispose]())
  const { outbound, asked } = outboundWith({ answers: { 'rebind.example': [['1.1.1.1'], ['127.0.0.1']] } })
  const url = `https://rebind.example:${host.port}/`
  await outbound.assertAllowed(url, partner)
  expect(await refusalOf(fetchBy(outbound, url))).toMatchObject({
    code: 'SSO_ADDRESS_BLOCKED',
  })
  expect([asked.length, host.connections]).toEqual([2, 0])
})

test('a listed host is refused on another port or at an address outside its listed ranges', async () => {
  const { outbound, at, host } = await listedHost((_request, response) => json(response, '{}'))
  const other = await privateHost(['idp.corp.lan'], (_request, response) => json(response, '{}'))
  onTestFinished(() => other[Symbol.asyncDispose]())
  await fetchBy(outbound, at)
  const refused = { code: 'SSO_ADDRESS_BLOCKED', message: expect.not.stringContaining('127.0.0') }
  expect(await refusalOf(fetchBy(outbound, `https://idp.corp.lan:${other.port}/`))).toMatchObject(refused)
  expect(other.connections).toBe(0)
  const { document } = listing(host, 'idp.corp.lan')
  for (const addresses of [['127.0.0.2'], ['127.0.0.1', '10.0.0.1'], ['127.0.0.1', '1.1.1.1'], ['::1']]) {
    const moved = outboundWith({ document, answers: { 'idp.corp.lan': [addresses] } }).outbound
    expect(await refusalOf(fetchBy(moved, at)), String(addresses)).toMatchObject(refused)
    expect(await refusalOf(moved.assertAllowed(at, partner)), String(addresses)).toMatchObject(refused)
  }
  expect(host.connections).toBe(1)
})

test('an authority listed for one host is not trusted for another', async () => {
  const listed = await privateHost(['a.lan', 'b.lan'], (_request, response) => json(response, '{}'))
  const other = await privateHost(['b.lan'], (_request, response) => json(response, '{}'))
  onTestFinished(() => listed[Symbol.asyncDispose]())
  onTestFinished(() => other[Symbol.asyncDispose]())
  const hosts = (b: { port: number }, ca: object) => [
    { host: 'a.lan', port: listed.port, addresses: ['127.0.0.1/32'], ca: ['a'] },
    ...(b.port === listed.port ? [] : [{ host: 'b.lan', port: b.port, addresses: ['127.0.0.1/32'], ...ca }]),
  ]
  const certificateAuthorities = [
    { id: 'a', pemFile: listed.pemFile },
    { id: 'b', pemFile: other.pemFile },
  ]
  const answers = { 'a.lan': [['127.0.0.1']], 'b.lan': [['127.0.0.1']] }
  const untrusted = { code: 'SSO_TLS' }
  // b.lan has a certificate of authority b, but its entry lists no authority, or only that of a.lan.
  for (const ca of [{}, { ca: ['a'] }]) {
    const { outbound } = outboundWith({ document: { certificateAuthorities, hosts: hosts(other, ca) }, answers })
    await fetchBy(outbound, `https://a.lan:${listed.port}/`)
    expect(await refusalOf(fetchBy(outbound, `https://b.lan:${other.port}/`))).toMatchObject(untrusted)
  }
  const { outbound } = outboundWith({
    document: { certificateAuthorities, hosts: hosts(other, { ca: ['b'], alsoPublicRoots: true }) },
    answers,
  })
  expect((await fetchBy(outbound, `https://b.lan:${other.port}/`)).status).toBe(200)
})

test.each([
  ['an unknown authority', { ca: undefined }, ['idp.corp.lan'], 'not from an authority'],
  ['another name', {}, ['other.corp.lan'], 'for other names'],
])('a certificate of %s is refused despite NODE_TLS_REJECT_UNAUTHORIZED=0', async (_name, more, names, reason) => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const { outbound, at } = await listedHost((_request, response) => json(response, '{}'), more, names)
  const refusal = await refusalOf(fetchBy(outbound, at))
  expect(refusal).toMatchObject({ code: 'SSO_TLS', message: expect.stringContaining(reason) })
  expect(refusal?.message).not.toContain('127.0.0.1')
})

test('proxy variables of the environment are ignored', async () => {
  const { outbound, at, host } = await listedHost((_request, response) => json(response, '{}'))
  const proxy = await privateHost(['proxy.lan'], (_request, response) => response.end())
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY']) vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`)
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  await fetchBy(outbound, at)
  expect([host.connections, proxy.connections]).toEqual([1, 0])
})

test('a listed host is allowed only for the owners its entry names', async () => {
  const { outbound, at } = await listedHost((_request, response) => json(response, '{}'), {
    owners: [`org:${organization.orgId?.toUpperCase()}`],
  })
  const stranger = { orgId: '019a0000-0000-7000-8000-0000000000b2', partnerId: null }
  await fetchBy(outbound, at, organization)
  for (const owner of [partner, stranger])
    expect(await refusalOf(fetchBy(outbound, at, owner))).toMatchObject({ code: 'SSO_ADDRESS_BLOCKED' })
  expect([organization, partner, stranger].map((owner) => outbound.networkOf(at, owner))).toEqual([
    'private-allowlisted',
    'public',
    'public',
  ])
  const forPartners = await listedHost((_request, response) => json(response, '{}'), { owners: ['partner'] })
  await fetchBy(forPartners.outbound, forPartners.at, partner)
  expect(await refusalOf(fetchBy(forPartners.outbound, forPartners.at, organization))).not.toBeNull()
})

test('an IP address can be listed as a host', async () => {
  const host = await privateHost(['127.0.0.1'], (_request, response) => json(response, '{}'))
  onTestFinished(() => host[Symbol.asyncDispose]())
  const { outbound, asked } = outboundWith(listing(host, '127.0.0.1'))
  expect((await fetchBy(outbound, `https://127.0.0.1:${host.port}/`)).status).toBe(200)
  expect((await fetchBy(outbound, `https://127.1:${host.port}/`)).status).toBe(200)
  expect(asked).toEqual([])
})

test('an unreachable listed host is reported by name and port, without its address', async () => {
  const { outbound, at, host } = await listedHost((_request, response) => json(response, '{}'))
  await host[Symbol.asyncDispose]()
  host[Symbol.asyncDispose] = async () => {}
  expect(await refusalOf(fetchBy(outbound, at))).toEqual({
    code: 'SSO_HTTP',
    message: `idp.corp.lan:${host.port} could not be reached (ECONNREFUSED)`,
  })
})

test('after close() a fetch is refused with SSO_HTTP', async () => {
  const { outbound, at, host } = await listedHost((_request, response) => json(response, '{}'))
  await fetchBy(outbound, at)
  await outbound.close()
  expect(await refusalOf(fetchBy(outbound, at))).toMatchObject({ code: 'SSO_HTTP' })
  expect(host.connections).toBe(1)
})
