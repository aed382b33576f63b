import type { CustomFetchOptions } from 'openid-client'
import { fetch } from 'undici'
import { toError } from '../../../../shared/thrown.ts'
import { second } from '../../../platform/clock.ts'
import type { ProviderOwner } from '../provider/owner.ts'
import type { Connections } from './connections.ts'
import type { EndpointPolicy } from './endpoint-policy.ts'
import { OutboundError } from './outbound-error.ts'

interface SsoRequest {
  url: string
  init: CustomFetchOptions
  owner: ProviderOwner
  /** Requests to it have a shorter timeout. */
  keySetUrl: string | null
}

const maxBytes = 1024 * 1024

/**
 * Fetches a whole response, with limits on time and size.
 * @throws OutboundError, also for a redirect
 */
export async function ssoFetch(
  policy: EndpointPolicy,
  connections: Connections,
  { url, init, owner, keySetUrl }: SsoRequest,
): Promise<Response> {
  const {
    url: { host },
    trusted,
  } = policy.admit(url, owner)
  const seconds = url === keySetUrl ? 5 : 10
  const timeout = AbortSignal.timeout(seconds * second)
  const end = new AbortController()
  const signal = AbortSignal.any([timeout, end.signal, ...(init.signal ? [init.signal] : [])])
  try {
    const response = await fetch(url, {
      method: init.method,
      headers: withoutIdentity(init.headers),
      body: bodyOf(init),
      redirect: 'manual',
      dispatcher: connections.agentFor(trusted),
      signal,
    })
    if (response.status >= 300 && response.status < 400)
      throw new OutboundError('SSO_HTTP', `${host} answered with a redirect, which is not followed`)
    const body = response.body && (await readWhole(response.body, host))
    return new Response(body?.length ? body : null, {
      status: response.status,
      headers: relevantHeaders(response.headers),
    })
  } catch (error) {
    throw signal.aborted
      ? new OutboundError('SSO_TIMEOUT', `${host} did not answer within ${seconds} seconds`)
      : explain(error, host)
  } finally {
    // Closes the connection of a response that was not read to its end.
    end.abort()
  }
}

/** Counts the decompressed bytes. */
async function readWhole(body: AsyncIterable<Uint8Array>, host: string): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw new OutboundError('SSO_TOO_LARGE', `${host} answered with more than 1 MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** openid-client sends forms only; undici has its own type for the other bodies that a `fetch` may have. */
function bodyOf({ body }: CustomFetchOptions): string | URLSearchParams | null {
  if (body === undefined || body === null) return null
  if (typeof body === 'string' || body instanceof URLSearchParams) return body
  throw new Error('A request of single sign-on has an unexpected kind of body')
}

const withoutIdentity = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(host|cookie)$/i.test(name)))

/** The headers that openid-client reads. Length and encoding would be wrong, because the body is decompressed. */
function relevantHeaders(headers: { get(name: string): string | null }): Record<string, string> {
  const found = ['content-type', 'www-authenticate'].map((name) => [name, headers.get(name)] as const)
  return Object.fromEntries(found.filter((entry): entry is readonly [string, string] => entry[1] !== null))
}

const tlsCodes = /CERT|SSL|TLS|EPROTO|SELF_SIGNED|UNABLE_TO|INVALID_CA|INVALID_PURPOSE|HOSTNAME|CRL/

/** Uses error codes only, because the messages of Node contain addresses. */
function explain(error: unknown, host: string): OutboundError {
  if (error instanceof OutboundError) return error
  const { cause } = toError(error)
  if (cause instanceof OutboundError) return cause
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return new OutboundError('SSO_TIMEOUT', `${host} could not be reached in time`)
  if (tlsCodes.test(code)) return new OutboundError('SSO_TLS', `${tlsReason(code, host)} (${code})`)
  return new OutboundError('SSO_HTTP', `${host} could not be reached${code && ` (${code})`}`)
}

function tlsReason(code: string, host: string): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `the certificate of ${host} is for other names`
  if (code === 'CERT_HAS_EXPIRED') return `the certificate of ${host} has expired`
  if (/^ERR_SSL|EPROTO/.test(code)) return `${host} does not speak TLS 1.2 or later`
  return `the certificate of ${host} is not from an authority that counts here`
}
