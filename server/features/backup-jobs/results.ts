import type { Updateable } from 'kysely'
import { type FileChecksum, halfMadeRepository, resticSnapshotId } from '../../../shared/device/backup.ts'
import type { ReportedResult } from '../../../shared/device/commands.ts'
import { withoutCredentials } from '../../../shared/node/restic-refusals.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { toJson } from '../../lib/json.ts'
import type { DeviceActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, hour, iso, isoNow, second } from '../../platform/clock.ts'
import { Signal } from '../../platform/signal.ts'
import type { ResticEngines } from '../backup-engine/index.ts'
import type { FileListings, Snapshots } from '../backup-snapshots/index.ts'
import type { Repositories } from '../backup-storage/index.ts'
import type { JobLedger } from './ledger.ts'
import { type BackupResult, resultIn } from './outcome.ts'
import type { BackupPlans } from './plan.ts'
import { type JobRow, jobById, staleMark } from './store.ts'
import type { BackupJobTable } from './tables.ts'

interface ResultServices {
  db: Database
  clock: Clock
  audit: Audit
  ledger: JobLedger
  plans: BackupPlans
  snapshots: Snapshots
  listings: FileListings
  repositories: Repositories
  engines: Pick<ResticEngines, 'refusalOf'>
}

export interface MadeSnapshot {
  id: string
  orgId: string
  /** Of some of its files, if the device has said what they were. */
  checksums: readonly FileChecksum[]
}

/** A result later than this after the dispatch, of a backup that has ended, is about nothing that anybody waits for. */
const acceptedForMs = 24 * hour
/** A restart of the appliance in between finds progress that is not much older. */
const savedEveryMs = 10 * second
const maxErrorLog = 64 * 1024

/** What devices say of their backups. */
export class JobResults {
  readonly made = new Signal<MadeSnapshot>()
  readonly #services: ResultServices

  constructor(services: ResultServices) {
    this.#services = services
  }

  /** Updates a backup that runs; ignored for another device’s, and for one that has ended. */
  progress(actor: DeviceActor, jobId: string, sent: unknown): void {
    const { db, clock, ledger } = this.#services
    const row = jobById(db, jobId)
    if (row?.device_id !== actor.deviceId || row.status !== 'running') return
    const progress = ledger.progress.take(jobId, sent)
    if (!progress) return
    const savedAt = row.last_progress_at === null ? 0 : Date.parse(row.last_progress_at)
    // A clock that was set back is no reason to save nothing until it is there again.
    if (Math.abs(progress.at - savedAt) < savedEveryMs) {
      ledger.announce(jobId)
      return
    }
    db.transaction(() => {
      ledger.prolongAccess(jobId)
      ledger.change(jobId, {
        last_progress_at: isoNow(clock),
        transferred_size: progress.current,
        ...(progress.total > 0 && { total_size: progress.total }),
        ...(progress.filesDone !== undefined && { file_count: progress.filesDone }),
        ...(progress.filesTotal !== undefined && { total_files: progress.filesTotal }),
      })
    })
  }

  /** False when the device has no backup of this id. The first true result counts. */
  take(actor: DeviceActor, jobId: string, reported: ReportedResult): boolean {
    const { db, ledger } = this.#services
    return db.transaction(() => {
      const row = jobById(db, jobId)
      if (row?.device_id !== actor.deviceId) return false
      const result = resultIn(reported)
      // That it has begun is no result.
      if (result === null || !this.#isAwaited(row)) return true
      if (isOpenTo(row, result)) this.#apply(actor, row, result)
      // The device did make this snapshot, so it can be restored from; the job stays what it was called.
      else if (row.status === 'failed' || row.status === 'cancelled') this.#keepSnapshot(row, result)
      ledger.closeAccess(row.id)
      this.#recover(row, result)
      return true
    })
  }

  #isAwaited({ status, dispatched_at }: JobRow): boolean {
    if (status === 'running') return true
    return dispatched_at !== null && this.#services.clock.now() - Date.parse(dispatched_at) <= acceptedForMs
  }

  #apply(actor: DeviceActor, row: JobRow, result: BackupResult): void {
    const { ledger, audit, engines } = this.#services
    this.#followRepository(row, result)
    this.#keepSnapshot(row, result)
    ledger.finish(row, ...endOf(withReason(result, engines.refusalOf(row.id))))
    audit(actor, {
      action: 'agent.command.result.submit',
      resourceType: 'device',
      resourceId: row.device_id,
      resourceName: row.display_name ?? row.hostname,
      orgId: row.org_id,
      details: { commandId: row.id, type: 'backup_run', status: result.status },
    })
  }

  /** Snapshots of earlier jobs that were cut off: there is something to restore from although they failed. */
  #recover({ device_id, config_id }: JobRow, { recovered = [] }: BackupResult): void {
    for (const { jobId, snapshotId } of recovered) {
      const job = jobById(this.#services.db, jobId)
      if (job?.device_id !== device_id || job.config_id !== config_id) continue
      if (job.status !== 'failed' && job.status !== 'cancelled') continue
      const at = Date.parse(job.completed_at ?? job.created_at)
      this.#keepSnapshot(job, { status: 'completed', snapshotId, isListed: false }, at)
    }
  }

  /** One of a job at most, whatever the device says: many would push out what is older. `at`: when it was made. */
  #keepSnapshot(row: JobRow, result: BackupResult, at = this.#services.clock.now()): void {
    const { snapshots, plans, listings } = this.#services
    if (result.snapshotId === undefined || row.config_id === null) return
    if (!isSnapshotKept(result) || this.#hasSnapshot(row.id)) return
    // Only what restic can have made lies in its repository; anything else would become a word of its command line.
    const repository = resticSnapshotId.test(result.snapshotId) ? this.#repositoryOf(row) : undefined
    const id = snapshots.record({
      orgId: row.org_id,
      deviceId: row.device_id,
      configId: row.config_id,
      repositoryId: repository?.id ?? null,
      keyId: repository?.key_id ?? null,
      jobId: row.id,
      snapshotId: result.snapshotId,
      mode: row.backup_mode,
      label: `Backup ${iso(at).slice(0, 10)}`,
      at,
      bytes: result.bytesBackedUp ?? row.total_size ?? 0,
      files: result.filesBackedUp ?? row.total_files ?? 0,
      ...plans.keepingOf(row.device_id),
    })
    if (result.isListed === false && repository) listings.listSoon({ id, orgId: row.org_id })
    this.made.say({ id, orgId: row.org_id, checksums: result.checksums ?? [] })
  }

  #hasSnapshot(jobId: string): boolean {
    const ofJob = q.selectFrom('backup_snapshots').select('id').where('job_id', '=', jobId).limit(1)
    return this.#services.db.first(ofJob) !== undefined
  }

  /** A repository that was used is never made anew; one that its key does not open needs somebody. */
  #followRepository(row: JobRow, result: BackupResult): void {
    const { repositories } = this.#services
    const repository = this.#repositoryOf(row)
    if (!repository) return
    if (result.error === 'Repository key rejected') repositories.setState(repository.id, 'broken')
    else if (result.error === halfMadeRepository) repositories.moveElsewhere(repository)
    else if (isSnapshotKept(result)) repositories.setState(repository.id, 'ready')
  }

  #repositoryOf(row: JobRow) {
    const { db } = this.#services
    if (row.config_id === null) return undefined
    return db.first(
      q
        .selectFrom('backup_repositories')
        .selectAll()
        .where('org_id', '=', row.org_id)
        .where('config_id', '=', row.config_id)
        .where('device_id', '=', row.device_id),
    )
  }
}

/** The device only knows that it was refused, not why. */
const withReason = (result: BackupResult, refusal: string | null): BackupResult =>
  result.status === 'failed' && refusal !== null
    ? { ...result, error: [refusal, result.error].filter(Boolean).join('\n') }
    : result

const isSnapshotKept = ({ status }: BackupResult): boolean => status === 'completed' || status === 'partial'

/** A job that the appliance gave up on is open to what really happened, if that is good news. */
function isOpenTo(row: JobRow, result: BackupResult): boolean {
  if (row.status === 'running' || row.status === 'pending') return true
  return row.status === 'failed' && row.error_log?.startsWith(staleMark) === true && isSnapshotKept(result)
}

function endOf(result: BackupResult): ['completed' | 'partial' | 'failed', Updateable<BackupJobTable>] {
  switch (result.status) {
    case 'completed':
    case 'partial':
      return [result.status, countsOf(result)]
    case 'skipped':
      return ['completed', { error_log: result.warning ?? null }]
    case 'stopped':
      return ['failed', { error_log: 'Backup stopped' }]
    case 'failed':
      return ['failed', { ...countsOf(result), error_log: errorLogOf(result) || 'Backup failed' }]
  }
}

const countsOf = (result: BackupResult): Updateable<BackupJobTable> => ({
  snapshot_id: result.snapshotId ?? null,
  total_size: result.bytesBackedUp ?? null,
  transferred_size: result.bytesBackedUp ?? null,
  file_count: result.filesBackedUp ?? null,
  total_files: result.filesBackedUp ?? null,
  referenced_size: result.referencedBytes ?? null,
  referenced_files: result.referencedFiles ?? null,
  error_count: result.errorCount ?? 0,
  error_log: errorLogOf(result) || null,
  failed_files: result.failedFiles ? toJson(result.failedFiles) : null,
  vss_metadata: result.vssMetadata ? JSON.stringify(result.vssMetadata).slice(0, maxErrorLog) : null,
})

const errorLogOf = ({ error, warning }: BackupResult): string =>
  withoutCredentials([error, warning].filter((text) => text !== undefined).join('\n')).slice(0, maxErrorLog)
