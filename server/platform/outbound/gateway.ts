import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, Agent as HttpAgent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { Agent as HttpsAgent, request as secureRequest } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Destinations } from './destinations.ts'
import { pinnedLookup } from './pinned-agent.ts'

/** A server of which everything is asked, in place of whatever a program names. */
export interface FixedServer {
  /** Its user name and password stand in it. */
  url: URL
  /** PEM of the authority to trust, where it is another than usual. */
  authority?: string | undefined
}

/** A way out for a program that resolves names and connects by itself. */
export interface Gateway {
  /** With the credentials of the gateway; its path is that of the fixed server. */
  url: URL
  /** Cuts every connection. */
  close: () => void
}

const user = 'homeport'
/** They are about one connection, of which there are two here. */
const ofConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'transfer-encoding',
])

/**
 * Opens a port of this machine that leads to what `destinations` permit, at the addresses that were checked, whatever a name
 * leads to at another time. Without a fixed server it is an HTTP proxy. With one it passes on what is asked of itself, and
 * no redirect: a program that follows one to this machine would not ask its proxy.
 */
export async function openGateway(destinations: Destinations, fixed?: FixedServer): Promise<Gateway> {
  const password = randomBytes(32).toString('hex')
  const lookup = pinnedLookup((host) => destinations.addressesOf(host))
  const connecting = { keepAlive: true, lookup, autoSelectFamily: true }
  const agents = {
    plain: new HttpAgent(connecting),
    secure: new HttpsAgent({
      ...connecting,
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ...(fixed?.authority !== undefined && { ca: [fixed.authority] }),
    }),
  }
  const isOurs = ({ headers }: IncomingMessage): boolean =>
    headers[fixed ? 'authorization' : 'proxy-authorization'] === basic(user, password)

  const passOn = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const to = URL.parse(incoming.url ?? '', fixed?.url.href)
    const isProper = to && (fixed ? to.origin === fixed.url.origin : to.protocol === 'http:')
    if (!isOurs(incoming) || !isProper || destinations.isBarred(to.hostname)) return refuse(outgoing)
    const isSecure = to.protocol === 'https:'
    const asking = (isSecure ? secureRequest : request)(to, {
      method: incoming.method,
      headers: fixed ? headersFor(fixed.url, incoming) : withoutConnection(incoming),
      agent: isSecure ? agents.secure : agents.plain,
    })
    asking.on('error', () => {})
    outgoing.on('close', () => outgoing.writableFinished || asking.destroy())
    // Where the body breaks off, so does the question; a server may answer before it has read all of it.
    pipeline(incoming, asking).catch(() => {})
    const [answer]: IncomingMessage[] = await once(asking, 'response')
    if (!answer) return refuse(outgoing)
    const { statusCode = 502 } = answer
    if (fixed && statusCode >= 300 && statusCode < 400) {
      answer.destroy()
      return refuse(outgoing)
    }
    outgoing.writeHead(statusCode, withoutConnection(answer))
    await pipeline(answer, outgoing)
  }

  const tunnel = async (asked: IncomingMessage, client: Duplex, first: Buffer): Promise<void> => {
    const to = URL.parse(`https://${asked.url}`)
    if (fixed || !isOurs(asked) || !to) return void client.end(badGateway)
    const server = await destinations.connect(to.hostname, Number(to.port || 443)).catch(() => null)
    if (!server) return void client.end(badGateway)
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    server.write(first)
    await Promise.all([pipeline(client, server), pipeline(server, client)])
  }

  const sockets = new Set<Socket>()
  // A large upload over a slow line takes its time, and the program may be silent for long.
  const gateway = createServer({ requestTimeout: 0, keepAliveTimeout: 0 })
  gateway.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  gateway.on('request', (incoming, outgoing) => {
    passOn(incoming, outgoing).catch(() => (outgoing.headersSent ? outgoing.destroy() : refuse(outgoing)))
  })
  gateway.on('connect', (asked, client, first) => {
    tunnel(asked, client, first).catch(() => client.destroy())
  })
  gateway.listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  const { port } = gateway.address() as AddressInfo
  const url = new URL(fixed?.url ?? 'http://127.0.0.1')
  return {
    url: new URL(`http://${user}:${password}@127.0.0.1:${port}${url.pathname}`),
    close: () => {
      gateway.close()
      for (const socket of sockets) socket.destroy()
      agents.plain.destroy()
      agents.secure.destroy()
    },
  }
}

const badGateway = 'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'

const refuse = (outgoing: ServerResponse): void => void outgoing.writeHead(502).end()

const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

function headersFor({ host, username, password }: URL, incoming: IncomingMessage) {
  const { authorization: _, ...headers } = withoutConnection(incoming)
  const account = basic(decodeURIComponent(username), decodeURIComponent(password))
  return { ...headers, host, ...((username || password) && { authorization: account }) }
}

const withoutConnection = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name)))
