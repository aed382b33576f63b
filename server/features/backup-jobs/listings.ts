import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { listingPath, resticSnapshotId } from '../../../shared/device/backup.ts'
import { agentAccess } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { DeviceActor } from '../../platform/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { apiPrefix, type Http } from '../../platform/http/http.ts'
import { IndexError, type SnapshotIndex } from '../snapshot-index/index.ts'
import { jobById } from './store.ts'

interface ListingServices {
  db: Database
  clock: Clock
  index: SnapshotIndex
}

const access = agentAccess()

/** The files of a snapshot, which a device sends while the backup that made it ends. */
export async function listingRoutes({ app, admit, admitDeviceAgain }: Http, services: ListingServices): Promise<void> {
  const receiving = new Set<string>()
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The body stays a stream.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.route({
      method: 'PUT',
      url: `${apiPrefix}${listingPath(':agentId', ':jobId', ':snapshotId')}`,
      config: { access },
      onRequest: (request, reply) => admit(request, reply, access),
      handler: async (request, reply) => {
        admitDeviceAgain(request, access)
        const params = request.params as Params
        const repositoryId = repositoryFor(services, deviceOf(request), params)
        // Each may be half a gigabyte, and needs no room beside another one.
        if (receiving.has(repositoryId)) throw new AppError('backup_listing_running')
        receiving.add(repositoryId)
        try {
          await store(services, repositoryId, params.snapshotId, request.raw)
        } finally {
          receiving.delete(repositoryId)
        }
        return reply.code(200).send({ success: true })
      },
    })
  })
}

interface Params {
  jobId: string
  snapshotId: string
}

/** That of the backup which makes the snapshot. */
function repositoryFor({ db }: ListingServices, actor: DeviceActor, { jobId, snapshotId }: Params): string {
  const job = jobById(db, jobId)
  // Only what a backup that runs has made: nothing is written over afterwards.
  if (job?.device_id !== actor.deviceId || job.status !== 'running' || job.config_id === null)
    throw new AppError('backup_job_not_found')
  if (!resticSnapshotId.test(snapshotId)) throw new AppError('backup_snapshot_not_found')
  const repository = db.one(
    q
      .selectFrom('backup_repositories')
      .select('id')
      .where('org_id', '=', job.org_id)
      .where('config_id', '=', job.config_id)
      .where('device_id', '=', job.device_id),
  )
  return repository.id
}

async function store({ clock, index }: ListingServices, repositoryId: string, id: string, listing: Readable) {
  try {
    await index.store(repositoryId, { id, time: clock.now() }, listing)
  } catch (error) {
    if (!(error instanceof IndexError)) throw error
    throw new AppError(error.code === 'disk_full' ? 'backup_store_disk_full' : 'backup_listing_refused', {
      reason: error.code,
    })
  }
}

function deviceOf({ actor }: FastifyRequest): DeviceActor {
  if (actor?.kind !== 'device') throw new AppError('agent_unauthorized')
  return actor
}
