import type { FastifyInstance } from 'fastify'
import type { Endpoint, InputOf, ReplyOf } from '../../../shared/endpoint.ts'
import { pathOf } from '../../../shared/endpoint.ts'

/** Calls an endpoint with the token of a user or a device. @throws Error with the answer that is no success. */
export type Call = <E extends Endpoint>(endpoint: E, input: InputOf<E>, token?: string) => Promise<ReplyOf<E>>

type LooseInput = { params?: unknown; query?: unknown; body?: unknown }

interface Answer {
  status: number
  text: string
}

/** Calls of an app in this process. */
export const callsOf = (app: FastifyInstance): Call =>
  caller(async (path, { body, ...request }) => {
    const { statusCode, body: text } = await app.inject({ url: path, ...request, ...(body && { payload: body }) })
    return { status: statusCode, text }
  })

/** Calls of the appliance at an origin. */
export const callsTo = (origin: string): Call =>
  caller(async (path, request) => {
    const response = await fetch(`${origin}${path}`, request)
    return { status: response.status, text: await response.text() }
  })

export class RefusedCall extends Error {
  readonly status: number

  constructor(name: string, { status, text }: Answer) {
    super(`${name}: ${status} ${text}`)
    this.status = status
  }
}

interface Request {
  method: Endpoint['method']
  headers: Record<string, string>
  /** JSON. */
  body?: string
}

type Send = (path: string, request: Request) => Promise<Answer>

const caller =
  (send: Send): Call =>
  async <E extends Endpoint>(endpoint: E, input: InputOf<E>, token?: string) => {
    const { params, query, body }: LooseInput = input
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query ?? {})) search.set(name, String(value))
    const answer = await send(`/api/v1${pathOf(endpoint, params)}?${search}`, {
      method: endpoint.method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (answer.status >= 300) throw new RefusedCall(endpoint.name, answer)
    return JSON.parse(answer.text) as ReplyOf<E>
  }
