import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

/** An error of ours, of Fastify, or of anything below it. */
type Failure = Error & { code?: string; statusCode?: number }

/** The one place where an error becomes an answer. */
export function answerFailures(app: FastifyInstance): void {
  app.setErrorHandler((error: Failure, request, reply) => sendFailure(error, request, reply))
  app.setNotFoundHandler((request, reply) => sendFailure(notFound(request.url), request, reply))
}

/** Says which address it was. */
export const notFound = (url: string) => new AppError('not_found', { path: pathOf({ url }) })

/** Without the query, which may hold secrets such as codes. */
const pathOf = ({ url }: Pick<FastifyRequest, 'url'>): string | undefined => url.split('?')[0]

export function sendFailure(error: Failure, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = toAppError(error)
  // Refusals must not be cached either.
  reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  if (!refusal) {
    request.log.error({ err: error, method: request.method, path: pathOf(request) }, 'A request failed')
    return reply.code(500).send({ error: 'Internal Server Error', code: 'internal', requestId: request.id })
  }
  if (refusal.cause) request.log.debug({ err: refusal.cause }, 'A request was refused')
  const { retryAfter } = refusal.extra
  if (typeof retryAfter === 'number') reply.header('retry-after', retryAfter)
  return reply.code(refusal.status).send(refusal.body())
}

function toAppError(error: Failure): AppError | null {
  if (error instanceof AppError) return error
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('payload_too_large')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('unsupported_media_type')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_VALIDATION':
      return new AppError('bad_request', {}, { cause: error })
    case 'FST_ERR_BAD_URL':
      // Its message quotes the address with the query.
      return new AppError('bad_request')
    case 'Z_DATA_ERROR':
    case 'Z_BUF_ERROR':
    case 'ERR__ERROR_FORMAT_PADDING_1':
      return new AppError('unsupported_encoding', {}, { cause: error })
    default:
      return typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500
        ? new AppError('bad_request', {}, { cause: error })
        : null
  }
}
