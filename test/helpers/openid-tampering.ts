import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { decodeJwt } from 'jose'

const endpoints = {
  '/.well-known/openid-configuration': 'discovery',
  '/jwks': 'jwks',
  '/token': 'token',
  '/me': 'userinfo',
} as const

export type OpenIdEndpoint = (typeof endpoints)[keyof typeof endpoints]

type Json = Record<string, unknown>
export type IdTokenClaims = Json

export interface TamperedAnswer {
  status?: number
  headers?: Record<string, string>
  body?: string | Buffer
  /** Begins to answer and never ends. */
  hangs?: true
}

/** What becomes of a genuine answer. */
export type Tampering = (genuine: { status: number; json: Json }) => TamperedAnswer | Promise<TamperedAnswer>

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/** Stands before the real provider: counts what is asked of it and replaces answers where a test wants that. */
export class Tamperer {
  readonly #changes = new Map<OpenIdEndpoint, Tampering>()
  /** Requests by endpoint, since the start or the last `forgetRequests`. */
  requests: Record<OpenIdEndpoint, number> = { discovery: 0, jwks: 0, token: 0, userinfo: 0 }
  /** How the appliance has authenticated at the token endpoint: by the scheme of a header, or not by one. */
  readonly schemes: (string | null)[] = []
  /** What came to `/elsewhere…`, an address no honest provider names: method, path and body. */
  readonly strays: string[] = []
  /** Every access and ID token that was given out, whether it arrived or not. */
  readonly issued: string[] = []
  /** What went wrong in changing answers; the answer is a broken connection then. */
  readonly failures: unknown[] = []

  /** Replaces the answers of one endpoint from now on. */
  tamper(endpoint: OpenIdEndpoint, change: Tampering): void {
    this.#changes.set(endpoint, change)
  }

  /** Answers as the real provider does again. */
  beHonest(): void {
    this.#changes.clear()
  }

  forgetRequests(): void {
    this.requests = { discovery: 0, jwks: 0, token: 0, userinfo: 0 }
  }

  inFrontOf(handler: Handler): Handler {
    return async (request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'https://here')
      if (pathname.startsWith('/elsewhere')) {
        this.strays.push(`${request.method} ${request.url} ${await text(request)}`)
        return response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      }
      const endpoint = endpoints[pathname as keyof typeof endpoints] as OpenIdEndpoint | undefined
      if (endpoint) this.requests[endpoint]++
      if (endpoint === 'token') this.schemes.push(request.headers.authorization?.split(' ')[0] ?? null)
      const change = endpoint && this.#changes.get(endpoint)
      if (endpoint === 'token') this.#change(response, this.#noting(change ?? asItIs))
      else if (change) this.#change(response, change)
      return handler(request, response)
    }
  }

  /** Catches the one `end` with which the provider sends its JSON. */
  #change(response: ServerResponse, change: Tampering): void {
    const end = response.end.bind(response)
    response.end = ((genuine: string | Buffer) => {
      response.end = end
      void send(response, genuine, change).catch((error: unknown) => {
        this.failures.push(error)
        response.destroy()
      })
      return response
    }) as ServerResponse['end']
  }

  #noting(change: Tampering): Tampering {
    return (genuine) => {
      const { access_token, id_token } = genuine.json
      this.issued.push(...[access_token, id_token].filter((token) => typeof token === 'string'))
      return change(genuine)
    }
  }
}

const asItIs: Tampering = () => ({})

async function send(response: ServerResponse, genuine: string | Buffer, change: Tampering): Promise<void> {
  const status = response.statusCode
  const answer = await change({ status, json: JSON.parse(String(genuine || '{}')) as Json })
  const body = answer.body ?? genuine
  response.statusCode = answer.status ?? status
  response.setHeader('content-length', Buffer.byteLength(body) + (answer.hangs ? 1 : 0))
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value)
  if (answer.hangs) response.write(body)
  else response.end(body)
}

/** The genuine document with other values; `undefined` leaves a member out. */
export const saying =
  (change: Json | ((genuine: Json) => Json)): Tampering =>
  ({ json }) => ({ body: JSON.stringify({ ...json, ...(typeof change === 'function' ? change(json) : change) }) })

/** The genuine token response with another ID token, made from the claims of the genuine one; null leaves it out. */
export const withIdToken =
  (forge: (claims: IdTokenClaims) => string | null | Promise<string | null>): Tampering =>
  async ({ json }) => {
    const forged = await forge(decodeJwt(String(json.id_token)))
    return { body: JSON.stringify({ ...json, id_token: forged ?? undefined }) }
  }

export const redirecting =
  (location: string, status = 302): Tampering =>
  () => ({ status, headers: { location }, body: '' })

export const failing =
  (status: number, error: string): Tampering =>
  () => ({ status, body: JSON.stringify({ error, error_description: `<b>${error}</b> at the provider` }) })

const twoMebibytes = 2 * 1024 * 1024

/** The genuine document, made long by an unknown member: valid JSON of more than two MiB. */
const lengthened = (json: Json) => JSON.stringify({ ...json, padding: 'x'.repeat(twoMebibytes) })

export const oversized: Tampering = ({ json }) => ({ body: lengthened(json) })

/** The same in a few kilobytes of gzip. */
export const bombing: Tampering = ({ json }) => ({
  headers: { 'content-encoding': 'gzip' },
  body: gzipSync(lengthened(json)),
})

export const hanging: Tampering = () => ({ hangs: true })

export const asHtml: Tampering = () => ({
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html><title>Sign in to the hotel network</title>',
})
