import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** One HTTP exchange. Global `fetch` cannot be given a CA without another library, `node:https` can. */

/** Whose certificates the agent believes: the appliance's own CA once pinned, the system's store otherwise. */
export interface Trust {
  /** PEM certificates, for the `ca` option; undefined leaves Node's built-in roots. */
  authorities(): string[] | undefined
  /** SHA-256 of each pinned CA certificate, 64 hex digits; null when nothing is pinned. */
  fingerprints(): string[] | null
}

export interface HttpRequest {
  url: URL
  method: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Certificates to trust; `nobody` verifies nothing and is for fetching what a fingerprint proves afterwards. */
  trust: Trust | 'nobody'
  timeoutMs: number
  signal?: AbortSignal
}

export interface HttpReply {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

export const apiUrl = (serverUrl: string, path: string): URL => new URL(`/api/v1${path}`, serverUrl)

const largestReplyBytes = 16 * 1024 * 1024

/** Resolves with any status; rejects when no complete answer came. Redirects are answers, not followed. */
export function exchange(wanted: HttpRequest): Promise<HttpReply> {
  const deadline = AbortSignal.timeout(wanted.timeoutMs)
  const signal = wanted.signal ? AbortSignal.any([wanted.signal, deadline]) : deadline
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(deadline.aborted ? new Error('the server did not answer in time') : error)
    const options = { method: wanted.method, headers: headersOf(wanted), signal, ...tlsOptions(wanted.trust) }
    const send = wanted.url.protocol === 'https:' ? tlsRequest : plainRequest
    const outgoing = send(wanted.url, options, (reply) => {
      readText(reply).then(
        (text) => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }),
        (error: Error) => {
          outgoing.destroy()
          fail(error)
        },
      )
    })
    outgoing.on('error', fail)
    outgoing.end(wanted.body)
  })
}

/**
 * Receives a body of any size into what `write` opens for the status of the answer; null drops it. `timeoutMs` is how
 * long nothing may come.
 */
export function receive(
  wanted: Omit<HttpRequest, 'body'>,
  write: (status: number) => Writable | null,
): Promise<Pick<HttpReply, 'status' | 'headers'>> {
  return new Promise((resolve, reject) => {
    const { method, headers, signal } = wanted
    const send = wanted.url.protocol === 'https:' ? tlsRequest : plainRequest
    const outgoing = send(wanted.url, { method, headers, signal, ...tlsOptions(wanted.trust) }, (reply) => {
      const status = reply.statusCode ?? 0
      const to = write(status)
      if (!to) reply.resume()
      const written = to ? pipeline(reply, to) : Promise.resolve()
      written.then(() => resolve({ status, headers: reply.headers }), reject)
    })
    outgoing.setTimeout(wanted.timeoutMs, () => outgoing.destroy(new Error('the server did not answer in time')))
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** What `https` and `ws` need to verify the certificate of the server, whatever the environment says. */
export function tlsOptions(trust: Trust | 'nobody') {
  if (trust === 'nobody') return { rejectUnauthorized: false, agent: false as const }
  return { rejectUnauthorized: true, ca: trust.authorities() }
}

function headersOf(wanted: HttpRequest): Record<string, string> {
  if (wanted.body === undefined) return { ...wanted.headers }
  return { ...wanted.headers, 'content-length': String(Buffer.byteLength(wanted.body)) }
}

async function readText(reply: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > largestReplyBytes) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
