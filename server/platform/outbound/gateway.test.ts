import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { askedServer } from '../../../test/helpers/asked-server.ts'
import { FakeClock } from '../../../test/helpers/fake-clock.ts'
import { type Answers, answerTo } from '../../../test/helpers/outbound-kit.ts'
import { privateHost } from '../../../test/helpers/private-host.ts'
import { AddressList } from '../../lib/address-list.ts'
import { Destinations } from './destinations.ts'
import { type FixedServer, openGateway } from './gateway.ts'
import { Names } from './names.ts'

/** Everything here lies on this machine: 127.0.0.2 stands for a server that may be asked, 127.0.0.1 for the appliance. */
async function gateway(answers: Answers, fixed?: FixedServer) {
  const resolve = async (host: string) => answerTo(answers, host)
  const destinations = new Destinations(
    new Names(resolve, new FakeClock()),
    new AddressList(['127.0.0.2']),
    async () => {},
  )
  const { url, close } = await openGateway(destinations, fixed)
  onTestFinished(() => {
    close()
    return destinations.close()
  })
  return url
}

const credentials = ({ username, password }: URL) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** As a program asks that was told of the gateway. */
async function ask(at: URL, path: string, { method = 'GET', headers = {}, body = Buffer.alloc(0) } = {}) {
  const { hostname, port } = at
  const asking = httpRequest({ hostname, port, path, method, headers, agent: false })
  asking.end(body)
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(await answer.toArray()) }
}

const byProxy = (at: URL) => ({ 'proxy-authorization': credentials(at) })
const byItself = (at: URL) => ({ authorization: credentials(at) })

async function tunnelTo(at: URL, host: string) {
  const socket = connect(Number(at.port), at.hostname)
  onTestFinished(() => void socket.destroy())
  socket.write(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\nProxy-Authorization: ${credentials(at)}\r\n\r\n`)
  const [said] = await once(socket, 'data')
  return { socket, said: String(said).split('\r\n')[0] }
}

test('a name is asked at the address that was checked; when it leads to this machine later, nothing is asked', async () => {
  const storage = await askedServer('127.0.0.2', (_request, response) => response.end('stored'))
  const appliance = await askedServer('127.0.0.1', (_request, response) => response.end('internal'))
  const answers = { 'storage.test': [['127.0.0.2']] }
  const at = await gateway(answers)
  const good = `http://storage.test:${storage.port}/b/config`
  expect(await ask(at, good, { headers: byProxy(at) })).toMatchObject({ status: 200, body: Buffer.from('stored') })
  answers['storage.test'] = [['127.0.0.1']]
  const rebound = `storage.test:${appliance.port}`
  expect((await ask(at, `http://${rebound}/b/config`, { headers: byProxy(at) })).status).toBe(502)
  expect((await tunnelTo(at, rebound)).said).toBe('HTTP/1.1 502 Bad Gateway')
  for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost', '169.254.169.254']) {
    expect((await ask(at, `http://${host}:${appliance.port}/`, { headers: byProxy(at) })).status, host).toBe(502)
    expect((await tunnelTo(at, `${host}:${appliance.port}`)).said, host).toBe('HTTP/1.1 502 Bad Gateway')
  }
  expect([storage.asked, appliance.asked]).toEqual([['GET /b/config'], []])
})

test('a tunnel carries TLS to the address that was checked', async () => {
  const at = await gateway({ 'storage.test': [['127.0.0.2']] })
  const host = await privateHost(['storage.test'], (_request, response) => response.end('sealed'), '127.0.0.2')
  onTestFinished(() => host[Symbol.asyncDispose]())
  const { socket, said } = await tunnelTo(at, `storage.test:${host.port}`)
  expect(said).toBe('HTTP/1.1 200 Connection Established')
  const secure = tlsConnect({ socket, servername: 'storage.test', ca: readFileSync(host.pemFile) })
  secure.write('GET / HTTP/1.1\r\nHost: storage.test\r\nConnection: close\r\n\r\n')
  expect(String(Buffer.concat(await secure.toArray()))).toContain('sealed')
})

test('other programs of the machine are not let through', async () => {
  const storage = await askedServer('127.0.0.2', (_request, response) => response.end())
  const proxy = await gateway({})
  const fixed = await gateway({}, { url: new URL(`http://u:p@127.0.0.2:${storage.port}/`) })
  const other = { 'proxy-authorization': 'Basic eDp5', authorization: 'Basic eDp5' }
  for (const headers of [{}, other]) {
    expect((await ask(proxy, `http://127.0.0.2:${storage.port}/`, { headers })).status).toBe(502)
    expect((await ask(fixed, '/', { headers })).status).toBe(502)
  }
  expect(storage.asked).toEqual([])
})

test('a server of its own gets its credentials and whole bodies, by TLS with its authority', async () => {
  const seen: object[] = []
  const host = await privateHost(
    ['storage.test'],
    async (request, response) => {
      const body = Buffer.concat(await request.toArray())
      const { method, url, headers } = request
      seen.push({ method, url, authorization: headers.authorization, range: headers.range, bytes: body.length })
      if (method === 'HEAD') response.writeHead(200, { 'content-length': '1234' }).end()
      else response.end(body)
    },
    '127.0.0.2',
  )
  onTestFinished(() => host[Symbol.asyncDispose]())
  const url = new URL(`https://u:100%25%3A@storage.test:${host.port}/all/`)
  const answers = { 'storage.test': [['127.0.0.2']] }
  const at = await gateway(answers, { url, authority: readFileSync(host.pemFile, 'utf8') })
  expect(at.pathname).toBe('/all/')
  const body = randomBytes(20_000_000)
  const headers = { ...byItself(at), 'content-length': String(body.length), range: 'bytes=1-2' }
  const posted = await ask(at, '/all/data/1', { method: 'POST', headers, body })
  expect(posted.body.equals(body)).toBe(true)
  const head = await ask(at, '/all/data/1', { method: 'HEAD', headers: byItself(at) })
  expect(head.headers['content-length']).toBe('1234')
  const authorization = `Basic ${Buffer.from('u:100%:').toString('base64')}`
  const path = { url: '/all/data/1', authorization }
  expect(seen).toEqual([
    { method: 'POST', ...path, range: 'bytes=1-2', bytes: body.length },
    { method: 'HEAD', ...path, bytes: 0 },
  ])
  const untrusting = await gateway(answers, { url })
  expect((await ask(untrusting, '/all/', { headers: byItself(untrusting) })).status).toBe(502)
  expect(seen).toHaveLength(2)
})

test('a server of its own cannot lead elsewhere, and nothing else can be asked of it', async () => {
  const appliance = await askedServer('127.0.0.1', (_request, response) => response.end('internal'))
  const elsewhere = `http://127.0.0.1:${appliance.port}/`
  const storage = await askedServer('127.0.0.2', (request, response) => {
    // Without an account nothing is sent, and not what the gateway was asked with.
    response.writeHead(request.headers.authorization ? 500 : 307, { location: elsewhere }).end('body')
  })
  const at = await gateway({}, { url: new URL(`http://127.0.0.2:${storage.port}/`) })
  const answer = await ask(at, '/config', { headers: byItself(at) })
  expect([answer.status, answer.headers.location, answer.body.length]).toEqual([502, undefined, 0])
  for (const path of [elsewhere, `//127.0.0.1:${appliance.port}/`])
    expect((await ask(at, path, { headers: byItself(at) })).status).toBe(502)
  expect((await tunnelTo(at, `127.0.0.2:${storage.port}`)).said).toBe('HTTP/1.1 502 Bad Gateway')
  expect([storage.asked, appliance.asked]).toEqual([['GET /config'], []])
})

test('a server that hangs up, or a program that does, ends the question on both sides', async () => {
  const closed = Promise.withResolvers<void>()
  const storage = await askedServer('127.0.0.2', (request, response) => {
    if (request.url === '/broken')
      response.writeHead(200, { 'content-length': '9' }).write('half', () => response.destroy())
    if (request.url === '/silent') request.on('close', () => closed.resolve())
    if (request.url === '/early') response.writeHead(403).end()
  })
  const at = await gateway({}, { url: new URL(`http://127.0.0.2:${storage.port}/`) })
  const headers = byItself(at)
  await expect(ask(at, '/broken', { headers })).rejects.toThrow('aborted')
  expect(await ask(at, '/early', { method: 'POST', headers, body: randomBytes(1000) })).toMatchObject({ status: 403 })
  const asking = httpRequest({ hostname: at.hostname, port: at.port, path: '/silent', headers, agent: false })
  asking.on('error', () => {}).end()
  await expect.poll(() => storage.asked).toContain('GET /silent')
  asking.destroy()
  await closed.promise
})
