import { createGzip } from 'node:zlib'
import { maintainRepository, type StoredSnapshot, snapshotsIn } from '../../../shared/node/restic-maintenance.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { systemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, day, hour, iso, isoNow } from '../../platform/clock.ts'
import type { ApplianceRestic, OpenRepository } from '../backup-engine/index.ts'
import type { BackupPlans } from '../backup-jobs/index.ts'
import type { SnapshotRow, Snapshots } from '../backup-snapshots/index.ts'
import type { RepositoryLocks, RepositoryRow } from '../backup-storage/index.ts'
import type { SnapshotIndex, StoredListing } from '../snapshot-index/index.ts'

export interface ComparisonServices {
  db: Database
  clock: Clock
  audit: Audit
  restic: ApplianceRestic
  locks: RepositoryLocks
  index: SnapshotIndex
  snapshots: Snapshots
  plans: BackupPlans
}

/** Somebody maintains the repository, or works in it. */
export class RepositoryBusy extends Error {
  override name = 'RepositoryBusy'
}

/** What is wrong with a repository, and what that is about. */
export interface Difference {
  missing: SnapshotRow[]
  unknown: StoredSnapshot[]
}

const actor = systemActor('backup.reconcile')
/** What is younger may still be on its way from the one to the other. */
const settledAfterMs = 48 * hour
/** What was found again does not expire immediately, however old it is. */
const adoptedForMs = 7 * day

/** Compares the snapshots that are listed with those in a repository, and brings the two together. */
export class RepositoryComparison {
  readonly #services: ComparisonServices

  constructor(services: ComparisonServices) {
    this.#services = services
  }

  /** @throws AppError, ResticRefused */
  async compare(repository: RepositoryRow, signal: AbortSignal): Promise<Difference> {
    const { db, clock } = this.#services
    const open = await this.#services.restic.openToRead(repository.id)
    const stored = await snapshotsIn((args, listeners) => open.run(args, signal, listeners))
    const rows = db.all(q.selectFrom('backup_snapshots').selectAll().where('repository_id', '=', repository.id))
    const settled = clock.now() - settledAfterMs
    const inStorage = new Set(stored.map(({ id }) => id))
    const listed = new Set(rows.map(({ snapshot_id }) => snapshot_id))
    return {
      missing: rows.filter(
        ({ expired_at, timestamp, snapshot_id }) =>
          expired_at === null && Date.parse(timestamp) <= settled && !inStorage.has(snapshot_id),
      ),
      unknown: stored.filter(({ id, time }) => time <= settled && !listed.has(id)),
    }
  }

  isProtected({ snapshot_id, legal_hold, is_immutable, immutable_until }: SnapshotRow): boolean {
    const isImmutable =
      is_immutable === 1 && (immutable_until === null || immutable_until > isoNow(this.#services.clock))
    // It can still be restored from a second copy.
    const isCopied =
      this.#services.db.first(
        q.selectFrom('backup_vault_snapshots').select('id').where('snapshot_id', '=', snapshot_id).limit(1),
      ) !== undefined
    return legal_hold === 1 || isImmutable || isCopied
  }

  /** Its data is gone, so it can be restored from no longer. False when it is protected: somebody has to look. */
  unlist(id: string): boolean {
    const { db, clock, audit } = this.#services
    return db.transaction(() => {
      const row = db.first(q.selectFrom('backup_snapshots').selectAll().where('id', '=', id))
      if (!row || row.expired_at !== null || this.isProtected(row)) return false
      const now = isoNow(clock)
      db.run(
        q
          .updateTable('backup_snapshots')
          .set({ expired_at: now, objects_deleted_at: now, updated_at: now })
          .where('id', '=', id),
      )
      audit(actor, {
        ...this.#about(row),
        action: 'backup.snapshot.delete',
        details: { snapshotId: row.id, takenAt: row.timestamp, because: 'missing in storage' },
      })
      return true
    })
  }

  /** Lists it again, with its files if restic can tell them. */
  async adopt(repository: RepositoryRow, stored: StoredSnapshot, signal: AbortSignal): Promise<void> {
    const { db, clock, audit, snapshots, plans } = this.#services
    const open = await this.#services.restic.openToRead(repository.id)
    const listing = await this.#listFiles(open, repository.id, stored, signal)
    db.transaction(() => {
      const job = this.#jobOf(repository, stored)
      const id = snapshots.record({
        orgId: repository.org_id,
        deviceId: repository.device_id,
        configId: repository.config_id,
        repositoryId: repository.id,
        keyId: repository.key_id,
        jobId: job?.id ?? null,
        snapshotId: stored.id,
        mode: job?.backup_mode ?? 'file',
        label: `Backup ${iso(stored.time).slice(0, 10)}`,
        bytes: listing?.bytes ?? 0,
        files: listing?.files ?? 0,
        at: stored.time,
        ...plans.keepingOf(repository.device_id),
      })
      const until = iso(clock.now() + adoptedForMs)
      const kept = q.updateTable('backup_snapshots').set({ expires_at: until }).where('id', '=', id)
      db.run(kept.where('expires_at', '<', until))
      audit(actor, {
        ...this.#about(repository),
        action: 'backup.snapshot.adopt',
        details: { snapshotId: id, takenAt: iso(stored.time) },
      })
    })
  }

  /**
   * Removes it from the repository, with the data that only it has.
   * @throws RepositoryBusy
   */
  async remove(repository: RepositoryRow, unknown: readonly StoredSnapshot[], signal: AbortSignal): Promise<void> {
    const { db, audit, locks, restic } = this.#services
    const lock = locks.take(repository.id)
    if (!lock) throw new RepositoryBusy()
    try {
      const open = await restic.open(repository.id)
      const both = AbortSignal.any([signal, lock.signal])
      const wish = { forget: unknown.map(({ id }) => id), isMeasured: false, onlyHost: null }
      await maintainRepository((args, listeners) => open.run(args, both, listeners), wish)
      db.transaction(() =>
        audit(actor, {
          ...this.#about(repository),
          action: 'backup.snapshot.delete',
          details: { snapshots: unknown.length, because: 'listed nowhere' },
        }),
      )
    } finally {
      lock.release()
    }
  }

  /** Null when they cannot be told: it can be restored as a whole all the same. */
  async #listFiles(
    open: OpenRepository,
    repositoryId: string,
    { id, time }: StoredSnapshot,
    signal: AbortSignal,
  ): Promise<StoredListing | null> {
    const packed = createGzip({ level: 1 })
    packed.on('error', () => {})
    const listing = this.#services.index.store(repositoryId, { id, time }, packed).catch(() => {
      packed.destroy()
      return null
    })
    const end = await open.run(['ls', '--', id], signal, {
      takeOutput: (stdout) => {
        // Ended below: a listing that is cut off is none.
        stdout.pipe(packed, { end: false })
        // restic ends with a lock left behind when nobody reads on.
        packed.once('close', () => stdout.unpipe(packed).resume())
      },
    })
    if (end.code === 0) packed.end()
    else packed.destroy(new Error('restic did not list the files'))
    return listing
  }

  /** The backup that made it, unless another snapshot is that one’s. */
  #jobOf({ org_id, device_id }: RepositoryRow, { tags }: StoredSnapshot) {
    const id = tags.find((tag) => tag.startsWith('job:'))?.slice('job:'.length) ?? ''
    const job = q.selectFrom('backup_jobs').select(['id', 'backup_mode']).where('id', '=', id)
    return this.#services.db.first(
      job
        .where('org_id', '=', org_id)
        .where('device_id', '=', device_id)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('backup_snapshots').select('backup_snapshots.id').where('job_id', '=', id))),
        ),
    )
  }

  #about({ org_id: orgId, device_id }: Pick<RepositoryRow, 'org_id' | 'device_id'>) {
    const device = q.selectFrom('devices').select(['display_name', 'hostname']).where('id', '=', device_id)
    const found = this.#services.db.first(device)
    const resourceName = found?.display_name ?? found?.hostname ?? null
    return { resourceType: 'device', resourceId: device_id, resourceName, orgId }
  }
}
