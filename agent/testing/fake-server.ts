import { createServer as createPlainServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { type WebSocket, WebSocketServer } from 'ws'

/** A real HTTP and WebSocket server that speaks the device's side of the protocol and remembers what it heard. */

export const agentId = 'ab'.repeat(32)
export const authToken = `brz_${'cd'.repeat(32)}`

export interface Heard {
  method: string
  path: string
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever the agent sent
  body: any
}

interface Answer {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

export interface FakeServer {
  url: string
  heard: Heard[]
  /** Frames from the agent, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever the agent sent
  frames: any[]
  /** How often an agent connected by WebSocket. */
  connections: number
  /** Changes what is answered; return undefined for the usual answer. */
  answer: (request: Heard) => Answer | undefined
  /** Does the server say it has a result that came by socket? */
  acknowledges: boolean
  acceptsSockets: boolean
  send(frame: unknown): void
  /** To requests whose path ends so. */
  to(ending: string): Heard[]
  stop(): Promise<void>
  /** Listens again, on the same port. */
  start(): Promise<void>
}

export const enrollReply = {
  agentId,
  deviceId: '0b52a7a8-7d05-4b6f-9a34-1f0f5f5a0001',
  authToken,
  watchdogAuthToken: 'brz_w',
  helperAuthToken: 'brz_h',
  orgId: '0b52a7a8-7d05-4b6f-9a34-1f0f5f5a0002',
  siteId: '0b52a7a8-7d05-4b6f-9a34-1f0f5f5a0003',
  config: { heartbeatIntervalSeconds: 60, metricsCollectionIntervalSeconds: 30, enabledCollectors: [] },
  mtls: null,
  manifestTrustKeys: [],
  manifestKeyDelegations: [],
  trust: null,
}

export async function startFakeServer(tls?: { cert: string; key: string; caPem: string }): Promise<FakeServer> {
  const sockets = new WebSocketServer({ noServer: true })
  let port = 0
  let http = createPlainServer()

  const fake: FakeServer = {
    url: '',
    heard: [],
    frames: [],
    connections: 0,
    answer: () => undefined,
    acknowledges: true,
    acceptsSockets: true,
    send(frame) {
      for (const socket of sockets.clients) socket.send(JSON.stringify(frame))
    },
    to: (ending) => fake.heard.filter(({ path }) => path.endsWith(ending)),
    async start() {
      http = tls ? (createTlsServer(tls) as unknown as typeof http) : createPlainServer()
      http.on('request', async (request, response) => {
        const heard = await hear(request)
        fake.heard.push(heard)
        const { status, body, headers } = fake.answer(heard) ?? usualAnswer(heard, tls?.caPem)
        response.writeHead(status, headers)
        response.end(typeof body === 'string' ? body : JSON.stringify(body))
      })
      http.on('upgrade', (request, socket, head) => {
        if (!fake.acceptsSockets || request.headers.authorization !== `Bearer ${authToken}`) {
          // The agent may be gone before it has read that it is refused.
          socket.on('error', () => {})
          return void socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n')
        }
        sockets.handleUpgrade(request, socket, head, (opened) => welcome(opened))
      })
      await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
      port = (http.address() as AddressInfo).port
      fake.url = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`
    },
    async stop() {
      for (const socket of sockets.clients) socket.terminate()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }

  function welcome(socket: WebSocket): void {
    fake.connections += 1
    const capabilities = ['command_output']
    socket.send(JSON.stringify({ type: 'connected', agentId, timestamp: Date.now(), capabilities }))
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data))
      fake.frames.push(frame)
      if (frame.type === 'command_result' && fake.acknowledges) {
        socket.send(JSON.stringify({ type: 'ack', commandId: frame.commandId }))
      }
    })
  }

  await fake.start()
  return fake
}

async function hear(request: IncomingMessage): Promise<Heard> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const raw = Buffer.concat(chunks)
  const text = String(request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw)
  const body = text === '' ? undefined : JSON.parse(text)
  return { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
}

function usualAnswer({ path }: Heard, caPem: string | undefined): Answer {
  if (path === '/api/v1/system/ca.pem' && caPem) return { status: 200, body: caPem }
  if (path === '/api/v1/agents/enroll') return { status: 201, body: enrollReply }
  if (path === '/api/v1/health') return { status: 200, body: { status: 'ok', version: '0' } }
  if (path.endsWith('/heartbeat')) return { status: 200, body: { commands: [] } }
  if (path.startsWith(`/api/v1/agents/${agentId}/`)) return { status: 200, body: { success: true } }
  return { status: 404, body: { error: 'Not found' } }
}
