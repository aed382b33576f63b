import type { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Endpoint, type InputOf, pathOf } from '../shared/endpoint.ts'
import { pause } from '../shared/node/pause.ts'
import { createBackoff } from './backoff.ts'
import { reasonOf } from './failure.ts'
import { apiUrl, exchange, type HttpReply, receive, type Trust } from './http.ts'
import type { Log } from './log.ts'

export interface Answer {
  status: number
  /** The body as JSON; undefined when it is none. */
  json: unknown
  /** What `Retry-After` asks for, ms. */
  retryAfterMs: number | undefined
}

export interface CallOptions {
  /** How often to try again after 429, 5xx and network errors; 3 unless told. */
  retries?: number
  headers?: Record<string, string>
}

export interface ServerClient {
  /** Resolves with any status; rejects when the server could not be reached. */
  call<E extends Endpoint>(endpoint: E, input: InputOf<E>, options?: CallOptions): Promise<Answer>
  /** A body of any size; `write` says where it goes, by the status of the answer. Rejects when it broke off. */
  download<E extends Endpoint>(
    endpoint: E,
    input: InputOf<E>,
    headers: Record<string, string>,
    write: (status: number) => Writable | null,
  ): Promise<Pick<Answer, 'status' | 'retryAfterMs'>>
}

interface Settings {
  serverUrl: string
  trust: Trust
  log: Log
  signal: AbortSignal
  authToken?: string
}

const budgetMs = 30_000
const compressAboveBytes = 64 * 1024
const compress = promisify(gzip)

export function createServerClient(settings: Settings): ServerClient {
  const { serverUrl, trust, signal, authToken, log } = settings
  return {
    async call(endpoint, input, options = {}) {
      const encoded = await encode((input as { body?: unknown }).body)
      const request = {
        url: addressOf(serverUrl, endpoint, input),
        method: endpoint.method,
        headers: { accept: 'application/json', ...authorization(authToken), ...encoded.headers, ...options.headers },
        body: encoded.body,
      }
      const attempt = (timeoutMs: number) => exchange({ ...request, trust, signal, timeoutMs })
      return toAnswer(await withRetries(attempt, endpoint.name, options.retries ?? 3, { log, signal }))
    },
    async download(endpoint, input, headers, write) {
      const url = addressOf(serverUrl, endpoint, input)
      const request = { url, method: endpoint.method, headers: { ...authorization(authToken), ...headers } }
      const reply = await receive({ ...request, trust, signal, timeoutMs: budgetMs }, write)
      return { status: reply.status, retryAfterMs: retryAfter(reply) }
    },
  }
}

function addressOf(serverUrl: string, endpoint: Endpoint, input: unknown): URL {
  const { params, query } = input as { params?: Record<string, string>; query?: Record<string, string> }
  const url = apiUrl(serverUrl, pathOf(endpoint, params))
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
  return url
}

const authorization = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` }

/** Tries again within one budget of 30 s, so that a call never takes longer than its caller expects. */
async function withRetries(
  attempt: (timeoutMs: number) => Promise<HttpReply>,
  name: string,
  retries: number,
  { log, signal }: Pick<Settings, 'log' | 'signal'>,
): Promise<HttpReply> {
  const backoff = createBackoff({ firstMs: 1000, capMs: budgetMs })
  const endsAt = performance.now() + budgetMs
  const leftMs = () => Math.round(endsAt - performance.now())
  for (;;) {
    const outcome = await attempt(Math.max(1000, leftMs())).catch((error: Error) => error)
    const isFinal = !(outcome instanceof Error) && !isPassing(outcome.status)
    const wait = Math.max(backoff.next(), outcome instanceof Error ? 0 : (retryAfter(outcome) ?? 0))
    const isOver = backoff.attempts > retries || wait > leftMs() || signal.aborted
    if (isFinal || (isOver && !(outcome instanceof Error))) return outcome
    if (isOver) throw outcome
    log.debug(`${name}: ${outcome instanceof Error ? reasonOf(outcome) : outcome.status}, trying again in ${wait} ms`)
    await pause(wait, signal)
  }
}

const isPassing = (status: number) => [429, 500, 502, 503, 504].includes(status)

function retryAfter(reply: Pick<HttpReply, 'headers'>): number | undefined {
  const seconds = Number(reply.headers['retry-after'])
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 300) * 1000 : undefined
}

function toAnswer(reply: HttpReply): Answer {
  return { status: reply.status, json: parseJson(reply.text), retryAfterMs: retryAfter(reply) }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function encode(body: unknown): Promise<{ body?: string | Uint8Array; headers: Record<string, string> }> {
  if (body === undefined) return { headers: {} }
  const text = JSON.stringify(body)
  const headers = { 'content-type': 'application/json' }
  if (Buffer.byteLength(text) <= compressAboveBytes) return { body: text, headers }
  return { body: await compress(text), headers: { ...headers, 'content-encoding': 'gzip' } }
}
