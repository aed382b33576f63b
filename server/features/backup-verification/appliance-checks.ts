import type { VerificationOutcome } from '../../../shared/device/backup-verification.ts'
import { checkSnapshot } from '../../../shared/node/restic-check.ts'
import { ResticRefused, type RunThere } from '../../../shared/node/restic-maintenance.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { day } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { TaskQueue, Tasks } from '../../platform/tasks/index.ts'
import type { ApplianceRestic } from '../backup-engine/index.ts'
import type { RepositoryWork } from '../backup-maintenance/index.ts'
import { type FileListings, listedIn } from '../backup-snapshots/index.ts'
import type { Repositories, RepositoryLocks, RepositoryRow } from '../backup-storage/index.ts'
import { IndexError, type IndexedSnapshot, type SnapshotIndex } from '../snapshot-index/index.ts'
import { failedBecause, type VerificationLedger } from './ledger.ts'
import { isListOf, otherList } from './shown-list.ts'
import { isOpen, type VerificationRow, verificationById } from './store.ts'

interface ApplianceCheckServices extends Pick<RepositoryWork, 'maintenance'> {
  db: Database
  tasks: Tasks
  restic: Pick<ApplianceRestic, 'open'>
  index: Pick<SnapshotIndex, 'indexed'>
  listings: Pick<FileListings, 'listSoon'>
  repositories: Repositories
  locks: Pick<RepositoryLocks, 'read'>
  ledger: VerificationLedger
}

interface Input {
  verificationId: string
}

/** What is read: all data of a repository for a snapshot in it, or a part. */
export interface Reading {
  repositoryId: string
  snapshot: { snapshot_id: string; file_count: number }
  subset: string | null
}

const shared = {
  concurrency: 1,
  /** A terabyte takes hours. */
  attemptMs: 2 * day,
  keepMs: 0,
  byHand: ['retry', 'cancel'],
} as const

/** Checks that the appliance makes itself, with its own restic, one after the other. */
export class ApplianceChecks {
  readonly #services: ApplianceCheckServices
  /** People wait for those that they have asked for. */
  readonly #asked: TaskQueue<Input>
  readonly #quiet: TaskQueue<Input>

  constructor(services: ApplianceCheckServices) {
    this.#services = services
    const kind = {
      ...shared,
      isObsolete: ({ verificationId }: Input) => this.#open(verificationId) === undefined,
      onFailed: ({ input }: { input: Input }, reason: string) => this.#fail(input, reason),
    }
    this.#asked = services.tasks.register<Input>({
      ...kind,
      name: 'backup.verify',
      description: 'Reads the data of a backup, as somebody has asked',
      attempts: 12,
      run: ({ input }, { signal }) => this.#run(input, signal),
    })
    this.#quiet = services.tasks.register<Input>({
      ...kind,
      name: 'backup.verify-new',
      description: 'Reads some of the data of a new backup',
      attempts: 12,
      run: ({ input }, { signal }) => this.#run(input, signal),
    })
  }

  /** Joins the transaction that makes the check. */
  runSoon({ id, org_id, source }: Pick<VerificationRow, 'id' | 'org_id' | 'source'>): void {
    const queue = source === 'manual' ? this.#asked : this.#quiet
    queue.add({ id: taskOf(id), input: { verificationId: id }, orgId: org_id })
  }

  isUnderWay(verificationId: string): boolean {
    return this.#services.tasks.isOpen(taskOf(verificationId))
  }

  /** Joins the transaction that takes the device away. */
  drop(verificationId: string): void {
    this.#services.tasks.cancel(taskOf(verificationId))
  }

  /**
   * Maintenance waits meanwhile; backups do not.
   * @throws AppError `backup_repository_busy`, and others of the appliance’s restic; ResticRefused when the storage could not be asked
   */
  async read({ repositoryId, snapshot, subset }: Reading, signal: AbortSignal): Promise<VerificationOutcome> {
    const { restic, locks } = this.#services
    const reading = locks.read(repositoryId)
    if (!reading) throw new AppError('backup_repository_busy')
    try {
      const open = await restic.open(repositoryId)
      const run: RunThere = (args, listeners) => open.run(args, signal, listeners)
      const listed = listedIn(this.#services.db, repositoryId)
      const { snapshot_id: snapshotId, file_count: files } = snapshot
      const { entries, ...outcome } = await checkSnapshot(run, { snapshotId, subset, files, listed })
      // What was cut off may look like damage.
      signal.throwIfAborted()
      const shown = entries && (await this.#shownOf(repositoryId, snapshotId))
      if (!entries || !shown || isListOf(entries, shown)) return outcome
      this.#listAnew(repositoryId, snapshotId)
      return { ...outcome, ...otherList(entries, shown) }
    } finally {
      reading.release()
    }
  }

  /** What people are shown of the snapshot; undefined where that is not known. */
  async #shownOf(repositoryId: string, snapshotId: string): Promise<IndexedSnapshot | undefined> {
    try {
      return (await this.#services.index.indexed(repositoryId)).find(({ id }) => id === snapshotId)
    } catch (error) {
      if (error instanceof IndexError) return undefined
      throw error
    }
  }

  #listAnew(repositoryId: string, snapshotId: string): void {
    const { db, listings } = this.#services
    db.transaction(() => {
      const all = q.selectFrom('backup_snapshots').select(['id', 'org_id']).where('repository_id', '=', repositoryId)
      const row = db.first(all.where('snapshot_id', '=', snapshotId))
      if (row) listings.listSoon({ id: row.id, orgId: row.org_id })
    })
  }

  async #run({ verificationId }: Input, signal: AbortSignal): Promise<void> {
    const { db, ledger } = this.#services
    const row = this.#open(verificationId)
    if (!row) return
    const found = this.#sourceOf(row)
    if (!found) return this.#conclude(verificationId, failedBecause('The snapshot is gone'))
    if (row.status === 'pending') db.transaction(() => ledger.change(row.id, { status: 'running' }))
    try {
      this.#conclude(verificationId, await this.read({ ...found, subset: row.subset }, signal))
    } catch (error) {
      signal.throwIfAborted()
      // Somebody waits for the answer; what nobody waits for is tried again.
      const isRefused = error instanceof ResticRefused || (error instanceof AppError && !isBusy(error))
      if (row.source !== 'manual' || !isRefused) throw error
      this.#conclude(verificationId, failedBecause(this.#reasonOf(error, found.repository)))
    }
  }

  #sourceOf({ snapshot_id, repository_id }: VerificationRow) {
    const { db, repositories } = this.#services
    const repository = repository_id === null ? undefined : repositories.find(repository_id)
    const snapshot = db.first(
      q
        .selectFrom('backup_snapshots')
        .select(['snapshot_id', 'file_count'])
        .where('id', '=', snapshot_id ?? '')
        .where('expired_at', 'is', null),
    )
    return repository && snapshot && { repository, repositoryId: repository.id, snapshot }
  }

  #conclude(verificationId: string, outcome: VerificationOutcome): void {
    const { db, ledger } = this.#services
    db.transaction(() => {
      const row = this.#open(verificationId)
      if (row) ledger.conclude(row, outcome)
    })
  }

  /** Joins the transaction that marks the task failed. */
  #fail({ verificationId }: Input, reason: string): void {
    const row = this.#open(verificationId)
    if (row) this.#services.ledger.conclude(row, failedBecause(`The storage could not be read: ${reason}`))
  }

  #reasonOf(error: unknown, repository: RepositoryRow): string {
    return this.#services.maintenance.reasonOf(error, repository)
  }

  #open(verificationId: string): VerificationRow | undefined {
    const row = verificationById(this.#services.db, verificationId)
    return row && isOpen(row) ? row : undefined
  }
}

const isBusy = ({ code }: AppError): boolean => code === 'backup_repository_busy'

const taskOf = (verificationId: string): string => `backup-verify-${verificationId}`
