import { Server } from 'node:https'
import cookie from '@fastify/cookie'
import websocket from '@fastify/websocket'
import { type FastifyInstance, type FastifyServerOptions, fastify, LogController } from 'fastify'
import { largestFrameBytes } from '../shared/device/socket.ts'
import { hour } from './platform/clock.ts'
import { sendFailure } from './platform/http/failures.ts'
import type { Log } from './platform/log.ts'
import type { Tls } from './platform/tls/index.ts'

/** The HTTP server itself, without a route. */
export async function createHttpServer(log: Log, tls: Tls | null): Promise<FastifyInstance> {
  const app = fastify(optionsOf(log, tls))
  await app.register(cookie)
  await app.register(websocket, { options: { maxPayload: largestFrameBytes } })
  return app
}

function optionsOf(log: Log, tls: Tls | null): FastifyServerOptions {
  const options: FastifyServerOptions = {
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // Addresses so broken that no route is looked for.
    frameworkErrors: (error, request, reply) => sendFailure(error, request, reply),
    requestIdHeader: false,
    genReqId: nextRequestId,
    trustProxy: false,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 300 },
    // A slow client must not hold a socket for ever. A backup sends ten pieces of 16 MB at once, which takes three
    // quarters of an hour over a line of half a megabit a second.
    requestTimeout: hour,
    keepAliveTimeout: 75_000,
  }
  if (!tls) return options
  // Of the options' type is only what a plain server has.
  const secured = { ...options, https: tls.secureContext() }
  return secured
}

/** The certificate may change while the server runs: new connections get the new one. */
export function renewCertificate(app: FastifyInstance, context: { key: string; cert: string }): void {
  if (app.server instanceof Server) app.server.setSecureContext(context)
}

let requests = 0
const start = Date.now().toString(36)
const nextRequestId = () => `${start}-${(++requests).toString(36)}`

/** Undefined while it does not listen. */
export function portOf(app: FastifyInstance): number | undefined {
  const address = app.server.address()
  return typeof address === 'object' && address !== null ? address.port : undefined
}
