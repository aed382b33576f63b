import type { IncomingHttpHeaders } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { beginSteps, inSteps, untilDone } from '../../lib/pieces.ts'
import { AppError } from '../errors.ts'
import { isDeeperThan, lookForMoreValues, maxDepth, valuesIn } from './json-size.ts'

const decoders = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** What is larger takes milliseconds to be read, and to be looked at afterwards: each in a turn of its own. */
const largeCharacters = 256 * 1024

/** JSON bodies, an absent one included; anything else is refused by its media type. */
export function acceptJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, async (request: FastifyRequest, text: string) => {
    if (text === '') return undefined
    const isLarge = text.length > largeCharacters
    const { bodyLimit, config } = request.routeOptions
    const maxValues = config.valueLimit ?? valuesIn(bodyLimit)
    if (await beginSteps(lookForMoreValues(text, maxValues), (rest) => inSteps(untilDone, rest)))
      throw new AppError('bad_request', { error: `Request body has more than ${maxValues} values` })
    if (isLarge) await setImmediate()
    const body = await new Promise<unknown>((resolve, reject) => {
      parse(request, text, (error, body) =>
        error ? reject(new AppError('malformed_json', {}, { cause: error })) : resolve(body),
      )
    })
    if (isLarge) await setImmediate()
    if (isDeeperThan(maxDepth, body))
      throw new AppError('bad_request', { error: `Request body is nested deeper than ${maxDepth} levels` })
    return body
  })
}

/** Agents compress what is large. The body limit counts what comes out, so a bomb stops at the limit. */
export function inflate(headers: IncomingHttpHeaders, payload: Readable): Readable {
  const encoding = headers['content-encoding']
  if (!encoding || encoding === 'identity') return payload
  const decoder = decoders.get(encoding)
  if (!decoder) throw new AppError('unsupported_encoding')
  const inflated = Object.assign(decoder(), { receivedEncodedLength: 0 })
  payload.on('data', (chunk: Buffer) => {
    inflated.receivedEncodedLength += chunk.length
  })
  payload.on('error', (error) => inflated.destroy(error))
  inflated.on('error', () => payload.unpipe(inflated).resume())
  return payload.pipe(inflated)
}
