import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'

const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }

/** JSON bodies, an absent one included; anything else is refused by its media type. */
export function acceptJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') done(null, undefined)
    else
      parse(request, text as string, (error, body) => {
        if (error) done(new AppError('malformed_json', {}, { cause: error }))
        else if (isDeeperThan(maxDepth, body))
          done(new AppError('bad_request', { error: `Request body is nested deeper than ${maxDepth} levels` }))
        else done(null, body)
      })
  })
}

// JSON.stringify and SQLite's JSON functions give up far deeper, as an error of ours instead of the caller's.
export const maxDepth = 100

export const isDeeperThan = (depth: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner)))

/** Agents compress what is large. The body limit counts what comes out, so a bomb stops at the limit. */
export function inflate(headers: IncomingHttpHeaders, payload: Readable): Readable {
  const encoding = headers['content-encoding']
  if (!encoding || encoding === 'identity') return payload
  const decoder = decoders[encoding as keyof typeof decoders]
  if (!decoder) throw new AppError('unsupported_encoding')
  const inflated = Object.assign(decoder(), { receivedEncodedLength: 0 })
  payload.on('data', (chunk: Buffer) => {
    inflated.receivedEncodedLength += chunk.length
  })
  payload.on('error', (error) => inflated.destroy(error))
  inflated.on('error', () => payload.unpipe(inflated).resume())
  return payload.pipe(inflated)
}
