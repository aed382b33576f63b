import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { second } from '../clock.ts'
import { AppError } from '../errors.ts'

/** A TLS connection begins with a handshake record; no HTTP request begins with this byte. */
const tlsHandshake = 0x16
/** From the connection to the end of the handshake, or of the plain answer. */
const patienceMs = 30 * second

/**
 * Answers plain HTTP at the TLS port of `app`, so that `http://box:8443` leads to the console; TLS connections are
 * passed on unchanged. Connections that send nothing in time are closed, and so are pending ones when the app closes.
 * `origins` are the addresses of the appliance, the best first.
 */
export function answerPlainHttp(app: FastifyInstance, origins: () => string[]): void {
  const server = app.server
  const plain = createServer((request, response) => redirect(request, response, origins()))
  const arriving = new Map<string, { socket: Socket; limit: NodeJS.Timeout }>()
  const forget = (peer: string) => {
    clearTimeout(arriving.get(peer)?.limit)
    arriving.delete(peer)
  }
  // A TLS server reports plain HTTP only when the socket is gone, so the first byte is read before it.
  const beginTls = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const peer = nameOf(socket)
    arriving.set(peer, { socket, limit: setTimeout(() => socket.destroy(), patienceMs) })
    socket.once('close', () => forget(peer))
    // A reset before the first byte is no error.
    socket.on('error', () => socket.destroy())
    socket.once('readable', () => {
      const first: Buffer | null = socket.read(1)
      if (first === null) return void socket.destroy()
      socket.unshift(first)
      if (first[0] === tlsHandshake) for (const begin of beginTls) begin.call(server, socket)
      else plain.emit('connection', socket)
    })
  })
  server.on('secureConnection', (socket: Socket) => forget(nameOf(socket)))
  app.addHook('preClose', async () => {
    for (const { socket } of arriving.values()) socket.destroy()
  })
}

/** The same of a connection before and after its handshake. One port of a peer may lead to several addresses of ours. */
const nameOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`

/**
 * Redirects to the same path over HTTPS: at the host of the request if it is one of ours, else at the best one, so that a
 * forged Host header cannot redirect elsewhere. Temporary, because the administrator may turn TLS off. Anything but GET
 * and HEAD is refused, so that a script that sends secrets in the clear fails; and so is a proxy, which would loop.
 */
function redirect({ method, url, headers }: IncomingMessage, response: ServerResponse, origins: string[]): void {
  const secure = origins.filter((origin) => origin.startsWith('https:'))
  const origin = secure.find((own) => new URL(own).host === headers.host?.toLowerCase()) ?? secure[0]
  const isLook = (method === 'GET' || method === 'HEAD') && !('x-forwarded-proto' in headers)
  const refusal = new AppError('https_required', { message: `This port speaks HTTPS: use ${origin}` })
  response.writeHead(isLook ? 307 : refusal.status, {
    ...(isLook && { location: `${origin}${url?.startsWith('/') ? url : '/'}` }),
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(JSON.stringify(refusal.body()))
}
