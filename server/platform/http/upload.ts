import { buffer } from 'node:stream/consumers'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { AppError, fieldError } from '../errors.ts'

/** Nothing but one file belongs into an upload; what surrounds it is small. */
const frameBytes = 16 * 1024

/** A route that takes one file, as `multipart/form-data`; all others refuse that kind of body. */
export function routeWithFile(app: FastifyInstance, route: RouteOptions, fileLimit: number): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    await scope.register(multipart, { limits: { fileSize: fileLimit, files: 1, fields: 4, fieldSize: 1024 } })
    scope.route({ ...route, bodyLimit: fileLimit + frameBytes })
  })
}

/** What was sent as `file`: 400 when there is none, or nothing in it, 413 when it is larger than the route takes. */
export async function uploadedFile(request: FastifyRequest): Promise<Buffer> {
  if (Number(request.headers['content-length']) > request.routeOptions.bodyLimit)
    throw new AppError('payload_too_large')
  try {
    const content = await fileIn(request)
    if (!content?.length) throw fieldError('file', content ? 'The file is empty' : 'Send a file as "file"')
    return content
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('bad_request', {}, { cause: error })
  }
}

async function fileIn(request: FastifyRequest): Promise<Buffer | null> {
  if (!request.isMultipart()) return null
  for await (const { fieldname, file } of request.files()) {
    // Without a content length the client could go on for ever.
    file.once('limit', () => file.destroy(new AppError('payload_too_large')))
    const content = await buffer(file)
    if (file.truncated) throw new AppError('payload_too_large')
    if (fieldname === 'file') return content
  }
  return null
}
