import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Agent, get } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import websocket from '@fastify/websocket'
import { type FastifyServerOptions, fastify } from 'fastify'
import { afterEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { freePort } from '../../../test/helpers/real-appliance.ts'
import { openTls } from '../tls/index.ts'
import { makeScene } from '../tls/test-kit.ts'
import { answerPlainHttp } from './plain-http.ts'

const trusting = { rejectUnauthorized: false }
const waiting = Symbol('waiting')
const orWaiting = <T>(work: Promise<T>, ms: number) => Promise.race([work, sleep(ms, waiting)])

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closers.splice(0)) await close()
})

/** A server as the appliance has it; its addresses are `https://box.local:<port>` and the one it listens at. */
async function serve(host = '127.0.0.1') {
  const tls = await openTls((await makeScene()).options)
  const options = { https: tls.secureContext(), forceCloseConnections: true } as FastifyServerOptions
  const app = fastify(options)
  await app.register(websocket)
  let port = 0
  answerPlainHttp(app, () => [`http://box.local:${port}`, `https://box.local:${port}`, `https://127.0.0.1:${port}`])
  app.get('/echo', { websocket: true }, (socket) => {
    socket.on('message', (data) => socket.send(String(data)))
  })
  app.post('/length', { bodyLimit: 50_000_000 }, ({ body }) => String((body as string).length))
  app.get('/hello', () => 'hello')
  await app.listen({ host, port: 0 })
  port = (app.server.address() as AddressInfo).port
  closers.push(() => app.close())
  return { app, port }
}

/** Sends a plain HTTP request and returns the reply. */
async function plainly(
  port: number,
  path: string,
  options: { method?: string; headers?: Record<string, string> } = {},
) {
  const asked = request({ host: '127.0.0.1', port, path, agent: false, ...options }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const body = await text(response)
  return { status: response.statusCode, location: response.headers.location, headers: response.headers, body }
}

const secureGet = (port: number, agent?: Agent) =>
  new Promise<string>((resolve, reject) => {
    const asked = get({ host: '127.0.0.1', port, path: '/hello', agent, ...trusting }, (response) =>
      text(response).then(resolve, reject),
    )
    asked.once('error', reject)
  })

async function tcp(port: number, isHalfOpen = false): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: isHalfOpen })
  socket.on('error', () => {})
  closers.push(async () => socket.destroy())
  await once(socket, 'connect')
  return socket
}

test('a plain HTTP request for a page is redirected with 307 to the same path over HTTPS at the same host', async () => {
  const { port } = await serve()
  const own = await plainly(port, '/devices?page=2')
  expect(own).toMatchObject({ status: 307, location: `https://127.0.0.1:${port}/devices?page=2` })
  expect(own.headers).toMatchObject({ connection: 'close', 'cache-control': 'no-store' })
  expect(own.headers).not.toHaveProperty('set-cookie')
  const named = await plainly(port, '/', { headers: { host: `BOX.local:${port}` }, method: 'HEAD' })
  expect(named).toMatchObject({ status: 307, location: `https://box.local:${port}/`, body: '' })
})

test.each<[host: string, path: string, leadsTo: string]>([
  ['evil.test', '/x', '/x'],
  ['evil.test:8443', '/x', '/x'],
  ['user@box.local', '/', '/'],
  [':', '/', '/'],
  ['evil.test', 'http://evil.test/x', '/'],
  ['evil.test', '//evil.test/x', '//evil.test/x'],
  ['evil.test', '*', '/'],
])('plain HTTP with the host %j and the path %j is redirected to the appliance', async (host, path, leadsTo) => {
  const { port } = await serve()
  const { location } = await plainly(port, path, { headers: { host } })
  expect(location).toBe(`https://box.local:${port}${leadsTo}`)
  expect(new URL(location ?? '').host).toBe(`box.local:${port}`)
})

test('a plain POST and a request proxied from HTTPS get 400 https_required, and a plain WebSocket is not opened', async () => {
  const { port } = await serve()
  for (const options of [{ method: 'POST' }, { headers: { 'x-forwarded-proto': 'https' } }]) {
    const { status, location, body } = await plainly(port, '/api/v1/agents/enroll', options)
    expect([status, location]).toEqual([400, undefined])
    expect(JSON.parse(body)).toMatchObject({ code: 'https_required', message: expect.stringContaining('https://') })
  }
  const client = new WebSocket(`ws://127.0.0.1:${port}/echo`)
  const [error] = await once(client, 'error')
  expect(String(error)).toContain('307')
})

test('bytes that are neither TLS nor HTTP get a 400, and the server keeps running', async () => {
  const { port } = await serve()
  const socket = await tcp(port)
  socket.write('\x00\x01 hello\r\n\r\n')
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /)
  expect(await secureGet(port)).toBe('hello')
})

test('HTTPS keep-alive, large bodies and WebSockets work on the port that also answers plain HTTP', async () => {
  const { app, port } = await serve()
  const opened = vi.fn()
  app.server.on('secureConnection', opened)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let n = 0; n < 5; n++) expect(await secureGet(port, agent)).toBe('hello')
  expect(opened).toHaveBeenCalledTimes(1)
  agent.destroy()

  const client = new WebSocket(`wss://127.0.0.1:${port}/echo`, trusting)
  await once(client, 'open')
  client.send('x'.repeat(100_000))
  expect(String((await once(client, 'message'))[0])).toHaveLength(100_000)
  client.terminate()

  const socket = connectTls({ host: '127.0.0.1', port, ...trusting })
  const large = 'y'.repeat(20_000_000)
  socket.write(`POST /length HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: text/plain\r\n`)
  socket.write(`content-length: ${large.length}\r\n\r\n${large}`)
  expect(await text(socket)).toContain('20000000')
})

test('a TLS handshake that arrives byte by byte succeeds', async () => {
  const { port } = await serve()
  const wire = await tcp(port)
  wire.setNoDelay(true)
  const slowly = new Duplex({
    read: () => {},
    write: async (chunk: Buffer, _encoding, done) => {
      for (const byte of chunk.subarray(0, 20)) {
        wire.write(Buffer.of(byte))
        await sleep(2)
      }
      wire.write(chunk.subarray(20), done)
    },
  })
  wire.on('data', (chunk) => slowly.push(chunk))
  const secure = connectTls({ socket: slowly, ...trusting })
  await once(secure, 'secureConnect')
  secure.write('GET /hello HTTP/1.1\r\nhost: x\r\n\r\n')
  expect(String((await once(secure, 'data'))[0])).toContain('hello')
})

test.each<[string, number[]]>([
  ['says nothing', []],
  ['begins TLS and stops', [0x16, 3, 1]],
  ['begins HTTP and stops', [0x47, 0x45]],
])('a client that %s is disconnected after 30 seconds, and at once when the server closes', async (_what, bytes) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { app, port } = await serve()
  const begin = async () => {
    const accepted = once(app.server, 'connection')
    const socket = await tcp(port)
    if (bytes.length > 0) socket.write(Buffer.from(bytes))
    const [there] = (await accepted) as [Socket]
    await expect.poll(() => there.bytesRead).toBe(bytes.length)
    return { gone: once(socket, 'close') }
  }
  const late = await begin()
  expect(await orWaiting(late.gone, 50)).toBe(waiting)
  vi.advanceTimersByTime(29_000)
  expect(await orWaiting(late.gone, 50)).toBe(waiting)
  vi.advanceTimersByTime(2000)
  await late.gone
  const last = await begin()
  await app.close()
  await last.gone
})

test('a client that disconnects early, cleanly or not, does not affect the server', async () => {
  const { port } = await serve()
  for (const byte of [undefined, 0x16, 0x47]) {
    const [ended, reset] = [await tcp(port), await tcp(port)]
    if (byte) for (const socket of [ended, reset]) socket.write(Buffer.of(byte))
    ended.resume().end()
    reset.resetAndDestroy()
    await once(ended, 'close')
  }
  expect(await secureGet(port)).toBe('hello')
})

// macOS has one loopback address only.
test.skipIf(process.platform === 'darwin')(
  'closing the server also closes a silent connection that shares its client port with another one',
  async () => {
    const { app, port } = await serve('0.0.0.0')
    const from = { localAddress: '127.0.0.1', localPort: await freePort() }
    const open = async (host: string) => {
      const socket = connect({ host, port, ...from })
      closers.push(async () => socket.destroy())
      await once(socket, 'connect')
      return socket
    }
    const [busy, silent] = [await open('127.0.0.1'), await open('127.0.0.2')]
    const secure = connectTls({ socket: busy, ...trusting })
    await once(secure, 'secureConnect')
    const gone = once(silent, 'close')
    await app.close()
    await gone
  },
)
