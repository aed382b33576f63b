import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import escapeHtml from 'escape-html'
import { onTestFinished } from 'vitest'

/** How a storage answers that is not as it should be. */
export type Manner =
  | 'right'
  /** The bucket has no object lock. */
  | 'no lock'
  /** The key may write, but not lock. */
  | 'may not lock'
  /** Says 200 to everything. */
  | 'agrees to everything'
  /** Says that it has locked, and has not. */
  | 'forgets'
  /** Says so of everything, and has locked the configuration only. */
  | 'locks little'
  /** Locks, and lets everybody shorten it. */
  | 'lets shorten'
  /** Is not there. */
  | 'silent'

interface Stored {
  mode: string
  until: string
}

/** The little of S3 that locks of objects are. Signatures and deletions are looked at by a real server in the thorough tests. */
export async function s3StandIn() {
  const objects = new Map<string, Stored | null>()
  const contents = new Map<string, Buffer>()
  const puts: { key: string; until: string }[] = []
  const state = {
    manner: 'right' as Manner,
    putsUntilSilent: Number.POSITIVE_INFINITY,
    hold: null as Promise<void> | null,
    held: 0,
  }
  const fail = (response: ServerResponse, status: number, code: string) =>
    response.writeHead(status).end(`<Error><Code>${code}</Code><Message>of the intranet</Message></Error>`)

  function put(response: ServerResponse, key: string, body: string, md5: string | undefined) {
    if (state.manner === 'may not lock') return fail(response, 403, 'AccessDenied')
    const [, mode = '', until = ''] = /<Mode>(\w+)<\/Mode><RetainUntilDate>([^<]+)</.exec(body) ?? []
    if (md5 !== createHash('md5').update(body).digest('base64')) return fail(response, 400, 'InvalidDigest')
    const known = objects.get(key)
    if (known === undefined) return fail(response, 404, 'NoSuchKey')
    if (known && known.until > until && state.manner !== 'lets shorten') return fail(response, 403, 'AccessDenied')
    puts.push({ key, until })
    const isForgotten = state.manner === 'locks little' && !key.endsWith('/config')
    if (state.manner !== 'forgets' && !isForgotten) objects.set(key, { mode, until })
    return response.end()
  }

  function list(response: ServerResponse, query: URLSearchParams) {
    const [prefix, after] = [query.get('prefix') ?? '', query.get('continuation-token') ?? '']
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
    const page = keys.slice(0, Math.min(Number(query.get('max-keys')), 7))
    const isTruncated = page.length < keys.length
    const contents = page.map((key) => `<Contents><Key>${escapeHtml(key)}</Key><Size>1</Size></Contents>`).join('')
    const next = isTruncated ? `<NextContinuationToken>${escapeHtml(page.at(-1) ?? '')}</NextContinuationToken>` : ''
    return response.end(
      `<?xml version="1.0"?><ListBucketResult><Name>b</Name><IsTruncated>${isTruncated}</IsTruncated>${next}${contents}</ListBucketResult>`,
    )
  }

  /** As a test of storage does: an object is stored, read and deleted. */
  function hold(response: ServerResponse, method: string | undefined, key: string, body: Buffer) {
    if (method === 'PUT') contents.set(key, body)
    const content = contents.get(key)
    if (method === 'DELETE') contents.delete(key)
    return response.end(method === 'GET' ? content : '')
  }

  function sayWhetherItLocks(response: ServerResponse) {
    if (state.manner === 'no lock') return fail(response, 404, 'ObjectLockConfigurationNotFoundError')
    const enabled = '<ObjectLockEnabled>Enabled</ObjectLockEnabled>'
    return response.end(`<ObjectLockConfiguration>${enabled}</ObjectLockConfiguration>`)
  }

  const isSilent = (isLock: boolean) => state.manner === 'silent' || (isLock && puts.length >= state.putsUntilSilent)

  function say(response: ServerResponse, key: string) {
    const retention = objects.get(key)
    if (!retention) return fail(response, 404, 'NoSuchObjectLockConfiguration')
    const { mode, until } = retention
    return response.end(`<Retention><Mode>${mode}</Mode><RetainUntilDate>${until}</RetainUntilDate></Retention>`)
  }

  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3.test')
    const key = decodeURIComponent(pathname).replace(/^\/b\/?/, '')
    const isLock = request.method === 'PUT' && searchParams.has('retention')
    if (isLock && state.hold) {
      state.held++
      await state.hold
    }
    if (isSilent(isLock)) return response.socket?.destroy()
    if (state.manner === 'agrees to everything') return response.end()
    if (searchParams.has('object-lock')) return sayWhetherItLocks(response)
    if (searchParams.get('list-type') === '2') return list(response, searchParams)
    if (isLock) return put(response, key, body.toString(), request.headers['content-md5'] as string | undefined)
    return searchParams.has('retention') ? say(response, key) : hold(response, request.method, key, body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const details = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ bucket: 'b', region: 'eu-1', prefix: 'a b/c+d', accessKey: 'AKIA1', secretKey: 's3c' },
  }
  return { details, objects, puts, state }
}
