import type { FileListing } from '../../../shared/api/backup-file-listings.ts'
import { errorTable } from '../../../shared/errors/index.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { day, hour } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { TaskFailure, type TaskQueue, type Tasks } from '../../platform/tasks/index.ts'
import type { ApplianceRestic } from '../backup-engine/index.ts'
import { operableOrganization } from '../organization-access/index.ts'
import { IndexError, type SnapshotIndex } from '../snapshot-index/index.ts'
import { listFiles } from './list-files.ts'
import type { Snapshots } from './snapshots.ts'
import type { SnapshotRow } from './views.ts'

interface ListingServices {
  db: Database
  audit: Audit
  tasks: Tasks
  snapshots: Snapshots
  index: SnapshotIndex
  restic: Pick<ApplianceRestic, 'openToRead'>
}

interface Input {
  snapshotId: string
}

const taskOf = (snapshotId: string): string => `backup-files-${snapshotId}`

/** Lists of files that the appliance reads from the storage itself: the device did not send them, or they are damaged. */
export class FileListings {
  readonly #services: ListingServices
  readonly #queue: TaskQueue<Input>

  constructor(services: ListingServices) {
    this.#services = services
    this.#queue = services.tasks.register<Input>({
      name: 'backup.list-files',
      description: 'Reads which files a snapshot has',
      concurrency: 1,
      // Maintenance of the repository may take a while.
      attempts: 10,
      attemptMs: 2 * hour,
      keepMs: day,
      byHand: ['retry', 'cancel'],
      isObsolete: ({ snapshotId }) => this.#rowOf(snapshotId) === undefined,
      run: ({ input }, { signal }) => this.#run(input, signal),
    })
  }

  async read(actor: UserActor, id: string, named: string | undefined): Promise<FileListing> {
    return this.#stateOf(this.#services.snapshots.find(actor, id, named))
  }

  /**
   * Nothing is begun where the files are known.
   * @throws AppError `backup_snapshot_not_found`, `restore_legacy_snapshot`, `backup_files_known`, and what
   *   `ApplianceRestic.openToRead` throws
   */
  async start(actor: UserActor, id: string, named: string | undefined): Promise<FileListing> {
    const { db, audit, restic } = this.#services
    const snapshot = this.#authorize(actor, id, named)
    if (snapshot.repository_id === null) throw new AppError('restore_legacy_snapshot', { reason: 'legacy_snapshot' })
    if ((await this.#stateOf(snapshot)).state === 'known') throw new AppError('backup_files_known')
    // Whether it can be read at all is said immediately.
    await restic.openToRead(snapshot.repository_id)
    db.transaction(() => {
      const { org_id, device_id, label } = this.#authorize(actor, id, named)
      const task = { id: taskOf(id), input: { snapshotId: id }, orgId: org_id, requestedBy: actor.userId }
      // Several may ask for it.
      this.#queue.add(task)
      audit(actor, {
        action: 'backup.snapshot.list_files',
        resourceType: 'backup_snapshot',
        resourceId: id,
        resourceName: label,
        orgId: org_id,
        details: { deviceId: device_id },
      })
    })
    return this.#stateOf(snapshot)
  }

  /** Joins the transaction in which the snapshot is recorded, whose files the device did not send. */
  listSoon({ id, orgId }: { id: string; orgId: string }): void {
    this.#queue.add({ id: taskOf(id), input: { snapshotId: id }, orgId })
  }

  /** The appliance is about to read which files the snapshot has. */
  isUnderWay(id: string): boolean {
    const state = this.#queue.find(taskOf(id))?.state
    return state === 'waiting' || state === 'active'
  }

  /** Reads from the storage which files it has, whatever a device has said. Nothing happens where it is out of reach. */
  async readAnew(id: string, signal: AbortSignal): Promise<void> {
    await this.#run({ snapshotId: id }, signal)
  }

  #authorize(actor: UserActor, id: string, named: string | undefined): SnapshotRow {
    const { db, snapshots } = this.#services
    const found = this.#rowOf(id)
    if (!found) throw new AppError('backup_snapshot_not_found')
    operableOrganization(db, actor, found.org_id, 'backup_snapshot_not_found')
    return snapshots.find(actor, id, named)
  }

  #rowOf(id: string) {
    const all = q.selectFrom('backup_snapshots').selectAll().where('id', '=', id)
    return this.#services.db.first(all.where('expired_at', 'is', null))
  }

  async #stateOf({ id, repository_id, snapshot_id }: SnapshotRow): Promise<FileListing> {
    if (repository_id !== null && (await this.#isKnown(repository_id, snapshot_id)))
      return { state: 'known', error: null }
    const task = this.#queue.find(taskOf(id))
    switch (task?.state) {
      case 'waiting':
        return { state: 'waiting', error: task.error }
      case 'active':
        return { state: 'running', error: null }
      case 'failed':
      case 'expired':
        return { state: 'failed', error: task.error }
      default:
        return { state: 'unknown', error: null }
    }
  }

  async #isKnown(repositoryId: string, snapshotId: string): Promise<boolean> {
    try {
      return await this.#services.index.isIndexed(repositoryId, snapshotId)
    } catch (error) {
      if (error instanceof IndexError && error.code === 'damaged') return false
      throw error
    }
  }

  async #run({ snapshotId }: Input, signal: AbortSignal): Promise<void> {
    const { index, restic } = this.#services
    const row = this.#rowOf(snapshotId)
    if (!row || row.repository_id === null) return
    try {
      await this.#makeReadable(row.repository_id)
      const repository = await restic.openToRead(row.repository_id)
      await listFiles(repository, index, row.repository_id, row, signal)
    } catch (error) {
      // People who ask were told before it began; nobody asked for what begins by itself.
      if (isOutOfReach(error)) return
      throw signal.aborted ? error : inWords(error)
    }
  }

  /** Of an index that is damaged everything goes; the files of its other snapshots are then read as well. */
  async #makeReadable(repositoryId: string): Promise<void> {
    const { db, index } = this.#services
    try {
      await index.indexed(repositoryId)
    } catch (error) {
      if (!(error instanceof IndexError && error.code === 'damaged')) throw error
      await index.removeRepository(repositoryId)
      const others = q.selectFrom('backup_snapshots').select(['id', 'org_id']).where('repository_id', '=', repositoryId)
      db.transaction(() => {
        for (const { id, org_id } of db.all(others.where('expired_at', 'is', null).orderBy('timestamp', 'desc')))
          this.listSoon({ id, orgId: org_id })
      })
    }
  }
}

const ofIndex: Partial<Record<IndexError['code'], string>> = {
  bad_listing: 'The storage did not say which files are in the snapshot',
  too_large: 'The snapshot has more files than a list can have',
  disk_full: errorTable.backup_store_disk_full.error,
}

const isOutOfReach = (error: unknown): boolean =>
  error instanceof AppError &&
  ['backup_out_of_reach', 'backup_engine_not_here', 'restore_storage_gone'].includes(error.code)

function inWords(error: unknown): unknown {
  if (error instanceof IndexError) {
    const message = ofIndex[error.code]
    const isFinal = error.code === 'too_large' || error.code === 'bad_listing'
    return message ? new TaskFailure(message, { isFinal, cause: error }) : error
  }
  if (!(error instanceof AppError)) return error
  const { reason } = error.extra
  return new TaskFailure(typeof reason === 'string' ? reason : error.message, { cause: error })
}
