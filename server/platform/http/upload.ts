import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { AppError, fieldError } from '../errors.ts'

/** Nothing but files belongs into an upload; what surrounds each is small. */
const frameBytes = 16 * 1024

/** A route that takes files, as `multipart/form-data`; all others refuse that kind of body. */
export function routeWithFile(app: FastifyInstance, route: RouteOptions, fileLimit: number, fileCount = 1): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    await scope.register(multipart, { limits: { fileSize: fileLimit, files: fileCount, fields: 4, fieldSize: 1024 } })
    scope.route({ ...route, bodyLimit: (fileLimit + frameBytes) * fileCount })
  })
}

/** What was sent as `file`: 400 when there is none, or nothing in it, 413 when it is larger than the route takes. */
export async function uploadedFile(request: FastifyRequest): Promise<Buffer> {
  const found: Buffer[] = []
  await eachUploadedFile(request, async (_name, file) => void found.push(await buffer(file)))
  const [content] = found
  if (!content?.length) throw fieldError('file', content ? 'The file is empty' : 'Send a file as "file"')
  return content
}

/** One after the other what was sent as `file`, with the name its sender gives it; `take` has to read it to the end. */
export async function eachUploadedFile(
  request: FastifyRequest,
  take: (name: string, file: Readable) => Promise<void>,
): Promise<void> {
  if (Number(request.headers['content-length']) > request.routeOptions.bodyLimit)
    throw new AppError('payload_too_large')
  if (!request.isMultipart()) return
  try {
    for await (const { fieldname, filename, file } of request.files()) {
      // Without a content length the client could go on for ever.
      file.once('limit', () => file.destroy(new AppError('payload_too_large')))
      await (fieldname === 'file' ? take(filename, file) : buffer(file))
      if (file.truncated) throw new AppError('payload_too_large')
    }
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('bad_request', {}, { cause: error })
  }
}
