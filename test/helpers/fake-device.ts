import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import WebSocket from 'ws'
import { type ServerFrame, socketPath } from '../../shared/device/socket.ts'
import type { TestApp } from './test-app.ts'

export interface Credentials {
  agentId: string
  deviceId: string
  authToken: string
  watchdogAuthToken: string
}

export interface DeviceAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: what the server really sent is what the tests look at
  body: any
  headers: Record<string, unknown>
}

export interface RequestOptions {
  /** Another `Authorization` than the device's own; null sends none. */
  authorization?: string | null
  gzip?: boolean
  headers?: Record<string, string>
  remoteAddress?: string
}

/** An enrolled device as a client of the app in memory: the requests a public agent makes, written out by hand. */
export function fakeDevice(app: TestApp, credentials: Credentials, token = credentials.authToken) {
  const request = async (
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: unknown,
    { authorization = `Bearer ${token}`, gzip, headers, remoteAddress }: RequestOptions = {},
  ): Promise<DeviceAnswer> => {
    const text = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const response = await app.inject({
      method,
      url: `/api/v1/agents/${credentials.agentId}/${path}`,
      headers: {
        'user-agent': 'breeze-agent/0.5.0',
        ...(authorization !== null && { authorization }),
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...(gzip && { 'content-encoding': 'gzip' }),
        ...headers,
      },
      ...(text !== undefined && { payload: gzip ? gzipSync(text) : text }),
      ...(remoteAddress && { remoteAddress }),
    })
    return { status: response.statusCode, body: response.json(), headers: response.headers }
  }
  return {
    ...credentials,
    request,
    beat: (more: Record<string, unknown> = {}, options?: RequestOptions) =>
      request('POST', 'heartbeat', { status: 'ok', agentVersion: '0.5.0', ...more }, options),
    finish: (commandId: string, result: Record<string, unknown> = { status: 'completed', exitCode: 0 }) =>
      request('POST', `commands/${commandId}/result`, result),
  }
}

export type FakeDevice = ReturnType<typeof fakeDevice>

/** The app behind a real port of the loopback interface; returns its origin. */
export const listening = (app: TestApp): Promise<string> => app.app.fastify.listen({ host: '127.0.0.1', port: 0 })

type Frame = ServerFrame & Record<string, unknown>

/** The socket of an agent, keeping every frame the server sent. */
export class AgentSocket {
  readonly frames: Frame[] = []
  /** The code the socket was closed with. */
  readonly closed: Promise<number>
  readonly #socket: WebSocket

  constructor(socket: WebSocket) {
    this.#socket = socket
    this.closed = once(socket, 'close').then(([code]) => code as number)
    socket.on('message', (data) => this.frames.push(JSON.parse(String(data)) as Frame))
  }

  send(frame: Record<string, unknown> | string | Buffer): void {
    this.#socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame))
  }

  /** The first frame that fits, as soon as it is there. */
  async frame(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(fits)
      if (found) return found
      await Promise.race([
        once(this.#socket, 'message'),
        this.closed.then((code) => Promise.reject(new Error(`closed with ${code} while waiting for a frame`))),
      ])
    }
  }

  /** Everything sent before this has been handled once this resolves: the server answers frames in order. */
  async settled(): Promise<void> {
    const commandId = `term-${this.frames.length}-${performance.now()}`
    this.send({ type: 'command_result', commandId, status: 'completed' })
    await this.frame((frame) => frame.type === 'ack' && frame.commandId === commandId)
  }

  /** Stops reading, so that what the server sends stays unanswered. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Sends a protocol-level ping and waits for its pong. */
  async ping(): Promise<void> {
    this.#socket.ping()
    await once(this.#socket, 'pong')
  }

  async close(): Promise<void> {
    this.#socket.close(1000)
    await this.closed
  }
}

const handshake = (origin: string, agentId: string, headers: Record<string, string>, query = '') =>
  new WebSocket(`${origin.replace('http', 'ws')}${socketPath(agentId)}${query}`, { headers })

export async function connect(origin: string, { agentId, authToken }: Credentials): Promise<AgentSocket> {
  const socket = handshake(origin, agentId, { authorization: `Bearer ${authToken}` })
  const agent = new AgentSocket(socket)
  await once(socket, 'open')
  await agent.frame((frame) => frame.type === 'connected')
  return agent
}

/** What the server answers instead of upgrading. */
export async function refusedHandshake(
  origin: string,
  agentId: string,
  headers: Record<string, string>,
  query = '',
): Promise<DeviceAnswer> {
  const socket = handshake(origin, agentId, headers, query)
  const answer = await Promise.race([
    once(socket, 'unexpected-response'),
    once(socket, 'open').then(() => Promise.reject(new Error('the server upgraded the connection'))),
  ])
  const response = answer[1] as import('node:http').IncomingMessage
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
  }
}
