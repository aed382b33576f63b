import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { heartbeat } from '../../../shared/device/heartbeat.ts'
import { discardedUploads } from '../../../shared/device/uploads.ts'
import { type Access, agentAccess } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import type { DeviceActor } from '../../platform/actor.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { inflate } from '../../platform/http/body.ts'
import { notFound } from '../../platform/http/failures.ts'
import { apiPrefix, type Http } from '../../platform/http/http.ts'
import { updateDevice } from '../devices/index.ts'
import type { Inventory } from '../inventory/index.ts'
import type { Heartbeats } from './heartbeats.ts'

interface AgentRouteServices {
  db: Database
  clock: Clock
  heartbeats: Heartbeats
  inventory: Inventory
  heartbeatIntervalSeconds: number
}

const fiveMegabytes = 5 * 1024 * 1024
const recoveryKeys = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(1000) })
const shippedLogs = z.object({ logs: z.array(z.unknown()).max(10_000) })

export function agentRoutes(http: Http, services: AgentRouteServices): void {
  http.agent(heartbeat, ({ actor, body }) => services.heartbeats.beat(actor, body))
  publicAgentRoutes(http, services)
}

/**
 * What the public Go agent calls besides our own contracts: everything is authenticated,
 * uploads nobody reads yet are answered as their sender expects, and the rest of the agent's addresses are 404.
 */
function publicAgentRoutes(http: BoundHttp, services: AgentRouteServices): void {
  const { db, clock, inventory, heartbeatIntervalSeconds } = services
  const { app, admit, admitDeviceAgain } = http
  const route = (
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    handler: (actor: DeviceActor, body: unknown) => { status?: number; reply: unknown },
    access: Access = agentAccess(),
  ) =>
    app.route({
      method,
      url: `${apiPrefix}/agents/:agentId/${path}`,
      config: { access },
      bodyLimit: path === 'logs' ? 10 * 1024 * 1024 : fiveMegabytes,
      onRequest: (request, reply) => admit(request, reply, access),
      preParsing: async (request, _reply, payload) => inflate(request.headers, payload),
      handler: async (request, reply) => {
        admitDeviceAgain(request, access)
        const { actor, body } = request
        if (actor?.kind !== 'device') throw new AppError('agent_unauthorized')
        const { status = 200, reply: answer } = handler(actor, body)
        return reply.code(status).send(answer)
      },
    })

  for (const [path, { method, status, reply }] of Object.entries(discardedUploads))
    route(method, path, () => ({ status, reply }))

  route('PUT', 'security/recovery-keys', (actor, body) => {
    inventory.keepRecoveryKeys(actor, recoveryKeys.safeParse(body).data?.keys ?? [])
    return { reply: { success: true } }
  })
  route(
    'POST',
    'logs',
    (_actor, body) => ({ status: 201, reply: { received: shippedLogs.safeParse(body).data?.logs.length ?? 0 } }),
    agentAccess({ roles: ['agent', 'watchdog'], whileDraining: true }),
  )
  route('POST', 'uninstall-intent', (actor) => {
    updateDevice(db, actor.deviceId, { uninstall_intent_at: isoNow(clock) })
    return { reply: { acknowledged: true } }
  })
  route('GET', 'unifi-collectors', () => ({ reply: { collectors: [] } }))
  route('GET', 'config', () => ({
    reply: {
      heartbeatIntervalSeconds,
      metricsCollectionIntervalSeconds: 30,
      enabledCollectors: ['hardware', 'software', 'metrics', 'network'],
    },
  }))
  route('POST', 'unifi-telemetry', () => ({ status: 202, reply: { success: true } }))

  refuseOtherAddresses(http)
}

/** Everything else below `/agents`, and the agent's addresses outside of it. */
function refuseOtherAddresses({ app, admit }: BoundHttp): void {
  const anything = agentAccess({ roles: ['agent', 'watchdog'] })
  const refuse = async (request: FastifyRequest) => {
    throw notFound(request.url)
  }
  for (const method of ['GET', 'POST', 'PUT'] as const) {
    app.route({
      method,
      url: `${apiPrefix}/agents/:agentId/*`,
      config: { access: anything },
      // Before the body is looked at: whatever it is, the answer is 404.
      onRequest: [(request, reply) => admit(request, reply, anything), refuse],
      handler: refuse,
    })
  }

  // Carries the agent's bearer but lies outside of /agents: 404 quiets the agent for hours, 401 would count against it.
  const toAnybody: Access = { who: 'public' }
  const refused = {
    '/workspace/agent/crawl-config': 'not_found',
    '/agent-versions/latest': 'version_not_found',
    '/agent-versions/:version/download': 'version_download_not_found',
    '/agents/download/:os/:arch': 'binary_not_found',
    '/agents/download/:component/:os/:arch': 'binary_not_found',
  } as const
  for (const [path, code] of Object.entries(refused))
    app.get(`${apiPrefix}${path}`, { config: { access: toAnybody } }, async () => {
      throw new AppError(code)
    })
}

type BoundHttp = Pick<Http, 'app' | 'admit' | 'admitDeviceAgain'>
