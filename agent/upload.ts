import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { apiUrl, type Trust, tlsOptions } from './http.ts'

interface Upload {
  serverUrl: string
  trust: Trust
  authToken: string
  /** Below the API. */
  path: string
  contentType: string
  body: Readable
  signal: AbortSignal
}

/** The server reads it all before it answers, which takes seconds for a million files. */
const idleMs = 5 * 60_000

/**
 * Sends what is made while it is sent.
 * @throws Error when the server did not take all of it
 */
export async function upload({ serverUrl, trust, authToken, path, contentType, body, signal }: Upload): Promise<void> {
  const url = apiUrl(serverUrl, path)
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest
  const outgoing = send(url, {
    method: 'PUT',
    headers: { authorization: `Bearer ${authToken}`, 'content-type': contentType },
    signal,
    timeout: idleMs,
    ...tlsOptions(trust),
  })
  const status = new Promise<number>((resolve, reject) => {
    outgoing.once('timeout', () => outgoing.destroy(new Error('the server did not answer in time')))
    outgoing.once('error', reject)
    outgoing.once('response', (reply) => {
      reply.resume()
      resolve(reply.statusCode ?? 0)
    })
  })
  // An answer may come before all is sent, and is then the reason why the rest is not.
  const [sent, answer] = await Promise.allSettled([pipeline(body, outgoing), status])
  if (answer.status === 'fulfilled' && answer.value !== 200) throw new Error(`the server answered ${answer.value}`)
  if (sent.status === 'rejected') throw sent.reason
  if (answer.status === 'rejected') throw answer.reason
}
