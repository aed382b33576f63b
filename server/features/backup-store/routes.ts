import basicAuth from '@fastify/basic-auth'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../../../shared/endpoint.ts'
import { limitKey } from '../../platform/client-address.ts'
import { minute } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Http } from '../../platform/http/http.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { BackupStore } from './backup-store.ts'
import type { StoreCaller, StoreCredentials } from './credentials.ts'
import { fileOf, isObjectKind, isObjectName, type ObjectKind, type StoredObject } from './object-path.ts'
import type { StoreRefusals } from './refusals.ts'

/** The address of a repository, without the host; restic adds the rest. */
export const storePath = (repositoryId: string): string => `/backup-store/${repositoryId}/`

/** Of a device in the middle of an upload: each takes memory and a file. */
const longestSilenceMs = 2 * minute

const listType = 'application/vnd.x.restic.rest.v2'
const access: Access = { who: 'public' }
const config = { access }

interface StoreRoutes {
  store: BackupStore
  credentials: StoreCredentials
  limits: RateLimits
  refusals: StoreRefusals
  root: string
}

/**
 * The REST protocol of restic (https://restic.readthedocs.io/en/stable/100_references.html#rest-backend), for the devices
 * that the server has given a credential. Bodies are streamed and as long as they are.
 */
export async function storeRoutes(
  { app }: Http,
  { store, credentials, limits, refusals, root }: StoreRoutes,
): Promise<void> {
  await app.register(
    async (scope) => {
      await prepare(scope, root)
      const callers = new WeakMap<FastifyRequest, StoreCaller>()
      await scope.register(basicAuth, {
        validate: async (id, secret, request) => {
          const { repository } = request.params as { repository: string }
          const caller = credentials.find({ id, secret })
          if (caller?.repositoryId !== repository) {
            const address = limitKey(request.origin.ip)
            if (caller) refusals.ofCaller(caller, 'other_repository', request.origin)
            else if (limits.retryAfterMs('backup_store_refused', address) > 0)
              refusals.ofStranger(repository, request.origin)
            limits.consume('backup_store_refused', address)
            throw new AppError(caller ? 'backup_store_forbidden' : 'backup_store_unauthorized')
          }
          callers.set(request, caller)
        },
        authenticate: { realm: 'Backup store' },
      })
      scope.addHook('onRequest', (request, reply, done) =>
        scope.basicAuth(request, reply, (error) =>
          done(error && !(error instanceof AppError) ? new AppError('backup_store_unauthorized') : error),
        ),
      )
      const callerOf = (request: FastifyRequest): StoreCaller => {
        const caller = callers.get(request)
        if (!caller) throw new AppError('backup_store_unauthorized')
        return caller
      }

      scope.addHook('onError', async (request, _reply, error) => {
        const caller = callers.get(request)
        if (!caller || !(error instanceof AppError) || error.code !== 'backup_store_forbidden') return
        // A backup that was told to stop may still send something.
        if (request.method === 'POST' && caller.mode === 'read') return
        refusals.ofCaller(caller, request.method === 'DELETE' ? 'delete' : 'replace', request.origin)
      })

      scope.post('/', { config }, async (request, reply) => {
        await store.create(callerOf(request))
        return reply.code(200).send()
      })

      const send = async (request: FastifyRequest, reply: FastifyReply) => {
        const caller = callerOf(request)
        const object = objectOf(request)
        await store.sizeOf(caller, object)
        const file = fileOf('', object)
        return reply.sendFile(file, store.placeOf(caller), plainly)
      }
      const add = async (request: FastifyRequest, reply: FastifyReply) => {
        const announced = Number(request.headers['content-length'] ?? Number.NaN)
        if (Number.isNaN(announced)) throw new AppError('backup_store_length_required')
        request.raw.setTimeout(longestSilenceMs)
        await store.add(callerOf(request), objectOf(request), request.raw, announced)
        return reply.code(200).send()
      }
      const remove = async (request: FastifyRequest, reply: FastifyReply) => {
        await store.remove(callerOf(request), objectOf(request))
        return reply.code(200).send()
      }
      for (const path of ['/config', '/:kind/:name']) {
        scope.get(path, { config }, send)
        scope.post(path, { config }, add)
        scope.delete(path, { config }, remove)
      }

      const nothing = () => {
        throw new AppError('backup_store_object_not_found')
      }
      scope.all('/*', { config }, nothing)
      scope.route({ method: ['GET', 'PUT', 'PATCH', 'DELETE'], url: '/', config, handler: nothing })
      scope.get('/:kind', { config }, async (request, reply) => {
        const json = await store.list(callerOf(request), kindOf(request))
        if (request.headers.accept === listType) return reply.type(listType).send(json)
        const objects = JSON.parse(new TextDecoder().decode(json)) as { name: string }[]
        return reply.type('application/vnd.x.restic.rest.v1').send(JSON.stringify(objects.map(({ name }) => name)))
      })
    },
    { prefix: '/backup-store/:repository' },
  )
}

/** No cache is involved: what is read once is read from the disk. */
const plainly = { cacheControl: false, etag: false, lastModified: false, contentType: false }

async function prepare(scope: FastifyInstance, root: string): Promise<void> {
  scope.removeAllContentTypeParsers()
  // The body stays a stream.
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  await scope.register(fastifyStatic, { root, serve: false })
}

/** @throws AppError `backup_store_object_not_found` for what can be no object */
function objectOf(request: FastifyRequest): StoredObject {
  const { name } = request.params as { name?: string }
  if (name === undefined) return { kind: 'config' }
  if (!isObjectName(name)) throw new AppError('backup_store_object_not_found')
  return { kind: kindOf(request), name }
}

function kindOf({ params }: FastifyRequest): ObjectKind {
  const { kind = '' } = params as { kind?: string }
  if (!isObjectKind(kind)) throw new AppError('backup_store_object_not_found')
  return kind
}
