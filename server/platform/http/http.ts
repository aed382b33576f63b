import { toError } from '../../../shared/thrown.ts'
import '@fastify/websocket'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { z } from 'zod'
import type { Access, BodyOf, Endpoint, ParamsOf, QueryOf, ReplyOf, UserAccess } from '../../../shared/endpoint.ts'
import type { Actor, DeviceActor, Origin, SystemActor, UserActor } from '../actor.ts'
import { type ClientAddress, type ClientAddresses, limitKey } from '../client-address.ts'
import { AppError, inBrief, validationError } from '../errors.ts'
import type { RateLimits } from '../rate-limit.ts'
import { acceptJson, inflate } from './body.ts'
import { answerFailures, notFound } from './failures.ts'
import { type GuardRules, requireAccess } from './guard.ts'
import { lazyReplyWriter } from './reply-writer.ts'
import { routeWithFile } from './upload.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null
    origin: Origin
  }
  interface FastifyContextConfig {
    access?: Access
    /** The route answers an upgrade to a WebSocket; every other refuses one. */
    isSocket?: true
    /** Of a body, in values. */
    valueLimit?: number
  }
}

export const apiPrefix = '/api/v1'

/** Turns credentials into actors; the identity and agents features bring these. */
export interface Identify {
  /** May put headers on the answer, whatever becomes of the request. */
  user(request: FastifyRequest, reply: FastifyReply, access: UserAccess): UserActor | Promise<UserActor>
  /** Asked anew once the body is there; the request then has an actor. */
  device(request: FastifyRequest, access: Extract<Access, { who: 'agent' }>): DeviceActor
}

/** What a handler gets. The actor of a public call is the system, with the origin of the call. */
export interface Call<E extends Endpoint, A = Actor> {
  actor: A
  params: ParamsOf<E>
  query: QueryOf<E>
  body: BodyOf<E>
  request: FastifyRequest
  reply: FastifyReply
}

type ActorFor<W extends Access['who']> = {
  public: SystemActor & { origin: Origin }
  user: UserActor
  agent: DeviceActor
}[W]
type Handler<E extends Endpoint, W extends Access['who']> = (
  call: Call<E, ActorFor<W>>,
) => ReplyOf<E> | Promise<ReplyOf<E>>

type OnRefused = (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>

/** Answers depend on the caller and the moment, so no cache may keep them. */
const jsonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}
/** The target of a redirect may carry a secret: not cached, not sent on as referrer. */
const redirectHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
const silentPaths = new Set([`${apiPrefix}/health`])

export class Http {
  readonly app: FastifyInstance
  readonly endpoints: Endpoint[] = []
  readonly #identify: Identify
  readonly #limits: RateLimits
  readonly #rules: GuardRules

  constructor(
    app: FastifyInstance,
    identify: Identify,
    limits: RateLimits,
    clients: ClientAddresses,
    rules: GuardRules,
  ) {
    this.app = app
    this.#identify = identify
    this.#limits = limits
    this.#rules = rules
    app.decorateRequest('actor', null)
    app.decorateRequest('origin')
    acceptJson(app)
    answerFailures(app)
    app.addHook('onRoute', ({ method, url, config }) => {
      if (!config?.access) throw new Error(`${String(method)} ${url} names no access`)
    })
    app.addHook('onRequest', (request, _reply, done) => {
      try {
        request.origin = originOf(request, clients.of(request.raw))
        // A null byte ends a C string: in SQLite's search and in file names.
        if (request.url.includes('%00')) throw new AppError('bad_request')
        if (request.ws && !request.routeOptions.config.isSocket) throw new AppError('bad_request')
        this.#limitApi(request)
        done()
      } catch (error) {
        done(toError(error))
      }
    })
  }

  /** For any caller, without an identity. `before` runs ahead of validation, for limits that count every call. */
  public<E extends Endpoint>(endpoint: E, handler: Handler<E, 'public'>, before?: (origin: Origin) => void): void {
    this.#mount(endpoint, 'public', handler, before)
  }

  /** For a signed-in user whom the contract's access lets through; `onRefused` runs when it does not. */
  user<E extends Endpoint>(endpoint: E, handler: Handler<E, 'user'>, onRefused?: OnRefused): void {
    this.#mount(endpoint, 'user', handler, undefined, onRefused)
  }

  /** For an enrolled device. */
  agent<E extends Endpoint>(endpoint: E, handler: Handler<E, 'agent'>): void {
    this.#mount(endpoint, 'agent', handler)
  }

  #mount<E extends Endpoint, W extends Access['who']>(
    endpoint: E,
    who: W,
    handler: Handler<E, W>,
    before?: (origin: Origin) => void,
    onRefused?: OnRefused,
  ): void {
    const { access } = endpoint
    if (access?.who !== who)
      throw new Error(`${endpoint.name} is mounted for ${who} but its contract says ${access?.who}`)
    const redirects = endpoint.status === 302
    const write = endpoint.content || redirects ? null : lazyReplyWriter(endpoint.reply)
    const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      try {
        return await handler(callOf<E, W>(endpoint, request, reply))
      } catch (error) {
        throw endpoint.isBrief ? inBrief(error) : error
      }
    }
    this.endpoints.push(endpoint)
    const route: RouteOptions = {
      method: endpoint.method,
      url: `${apiPrefix}${endpoint.path}`,
      config: { access, ...(endpoint.valueLimit !== undefined && { valueLimit: endpoint.valueLimit }) },
      bodyLimit: endpoint.bodyLimit ?? 1024 * 1024,
      // Of a file somebody may ask for the headers alone, and of what anybody may read; the rest has no use for it.
      exposeHeadRoute: !redirects && (endpoint.content !== undefined || who === 'public'),
      onRequest: async (request, reply) => {
        if (endpoint.isTwoFactor && !this.#rules.isTwoFactorEnabled) throw notFound(request.url)
        try {
          await this.admit(request, reply, access)
        } catch (error) {
          await onRefused?.(request, reply)
          throw error
        }
      },
      ...(who === 'agent' && {
        preParsing: async (request: FastifyRequest, _reply: FastifyReply, payload: Readable) =>
          inflate(request.headers, payload),
      }),
      handler: async (request, reply) => {
        before?.(request.origin)
        this.admitDeviceAgain(request, access)
        if (access.who === 'user' && endpoint.method !== 'GET') {
          const again = () => this.#admitAgain(request, reply, access)
          for (let wait = again(); wait; wait = again()) await wait
        }
        const stricter = endpoint.stricter?.(request.body)
        if (stricter) requireAccess(userOf(request), stricter, this.#rules)
        // First, so that a handler may override it.
        if (write) reply.code(endpoint.status).headers(jsonHeaders)
        const result = await answer(request, reply)
        if (redirects) return reply.headers(redirectHeaders).redirect(String(result), 302)
        return reply.sent || !write ? result : write(result)
      },
    }
    if (endpoint.fileLimit) routeWithFile(this.app, route, endpoint.fileLimit, endpoint.fileCount)
    else this.app.route(route)
    if (endpoint.alias) this.app.route({ ...route, url: `${apiPrefix}${endpoint.alias}` })
  }

  /** Puts the actor on the request or refuses; also for the routes that speak no JSON. */
  readonly admit = async (request: FastifyRequest, reply: FastifyReply, access: Access): Promise<void> => {
    if (access.who === 'public') request.actor = { kind: 'system', task: 'request', origin: request.origin }
    else if (access.who === 'agent') request.actor = this.#identify.device(request, access)
    else await this.admitUser(request, reply, access)
  }

  /** Also for the one public endpoint that behaves differently for a signed-in user. */
  readonly admitUser = async (request: FastifyRequest, reply: FastifyReply, access: UserAccess): Promise<UserActor> => {
    const actor = await this.#identify.user(request, reply, access)
    requireAccess(actor, access, this.#rules)
    request.actor = actor
    return actor
  }

  /**
   * Checks the caller once more after the body has arrived, which may take long enough to lose a right. Null when the
   * caller is admitted, with no wait between this check and the handler; otherwise wait for the promise and ask again.
   */
  #admitAgain(request: FastifyRequest, reply: FastifyReply, access: UserAccess): Promise<unknown> | null {
    const actor = this.#identify.user(request, reply, access)
    if (actor instanceof Promise) return actor
    requireAccess(actor, access, this.#rules)
    request.actor = actor
    return null
  }

  /** As above, for devices; also for the routes of theirs that have no contract. */
  readonly admitDeviceAgain = (request: FastifyRequest, access: Access): void => {
    if (access.who === 'agent') request.actor = this.#identify.device(request, access)
  }

  /** One address may not flood the API; agents have limits of their own. */
  #limitApi(request: FastifyRequest): void {
    // By the matched route: the raw address can be written in many ways.
    const { url = request.url, config } = request.routeOptions
    if (!url.startsWith(apiPrefix) || config.access?.who === 'agent' || silentPaths.has(url)) return
    this.#limits.consume('global', limitKey(request.origin.ip))
  }

  /** Every contract has its route, every route its contract. */
  assertComplete(contracts: readonly Endpoint[]): void {
    const missing = contracts.filter((contract) => !this.endpoints.includes(contract))
    const unlisted = this.endpoints.filter((endpoint) => !contracts.includes(endpoint))
    if (missing.length > 0) throw new Error(`No route for ${missing.map(({ name }) => name).join(', ')}`)
    if (unlisted.length > 0)
      throw new Error(`Not in the list of contracts: ${unlisted.map(({ name }) => name).join(', ')}`)
  }
}

/**
 * What a handler gets. Its actor is of the kind that the contract lets in, its parts are as the schemas of the contract
 * made them; TypeScript cannot follow either from `E` to here.
 * @throws validation_failed
 */
const callOf = <E extends Endpoint, W extends Access['who']>(
  { params, query, body }: E,
  request: FastifyRequest,
  reply: FastifyReply,
) =>
  ({
    actor: request.actor,
    params: parse(params, request.params, 'params'),
    query: parse(query, request.query, 'query'),
    body: parse(body, request.body, 'body'),
    request,
    reply,
  }) as Call<E, ActorFor<W>>

function userOf({ actor }: FastifyRequest): UserActor {
  if (actor?.kind !== 'user') throw new Error('Only a user may be asked for more')
  return actor
}

const originOf = (request: FastifyRequest, client: ClientAddress): Origin => ({
  ...client,
  mobileDeviceId: String(request.headers['x-svc-mobile-device-id'] ?? '').slice(0, 200) || null,
  userAgent: request.headers['user-agent'] ?? null,
  requestId: request.id,
})

function parse(schema: z.ZodType | undefined, value: unknown, part: 'params' | 'query' | 'body'): unknown {
  if (!schema) return undefined
  const parsed = schema.safeParse(part === 'body' && value === null ? undefined : value)
  if (parsed.success) return parsed.data
  throw validationError(parsed.error)
}
