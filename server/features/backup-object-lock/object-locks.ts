import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { systemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, hour, iso, isoNow, minute } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { type Destinations, Unreachable } from '../../platform/outbound/index.ts'
import {
  type BackupConfigs,
  isRefusal,
  openBucket,
  placeOf,
  prefixOf,
  type Repositories,
  type RepositoryLocks,
  type RepositoryRow,
} from '../backup-storage/index.ts'
import { frozenBecause } from '../organization-access/index.ts'
import { LockedObjects } from './locked-objects.ts'
import { NotLocked } from './refusals.ts'
import { type Locked, RepositoryLocking } from './repository-locking.ts'

interface ObjectLockServices {
  db: Database
  clock: Clock
  log: Log
  audit: Audit
  destinations: Destinations
  configs: Pick<BackupConfigs, 'open'>
  repositories: Pick<Repositories, 'find'>
  locks: Pick<RepositoryLocks, 'read'>
}

interface Waiting {
  id: string
  snapshot_id: string
  immutable_until: string
  label: string
  device_id: string
}

const actor = systemActor('backup.lock-objects')
const longestMs = 20 * minute
const soonMs = 15 * minute

/** Repositories with snapshots that wait; at once where the storage was changed or tested since, or there are new ones. */
const due = `SELECT DISTINCT repository.id, coalesce(tried.tried_at, '') AS triedAt
  FROM backup_snapshots AS snapshot
  JOIN backup_repositories AS repository ON repository.id = snapshot.repository_id
  JOIN backup_configs AS config ON config.id = repository.config_id
  LEFT JOIN backup_object_lock_tries AS tried ON tried.repository_id = repository.id
  WHERE snapshot.awaits_object_lock = 1 AND snapshot.immutable_until > @now
    AND config.is_active = 1 AND repository.state = 'ready'
    AND (tried.id IS NULL OR tried.try_again_at <= @now OR tried.tried_at < config.updated_at
      OR tried.tried_at < coalesce(config.provider_capabilities_checked_at, '') OR tried.tried_at < snapshot.updated_at)
  ORDER BY triedAt LIMIT 200`

/**
 * Has storage keep snapshots for which that was asked. The appliance keeps them from the first moment; that the storage
 * does is said of a snapshot when it has been seen.
 */
export class ObjectLocks {
  readonly #services: ObjectLockServices
  readonly #locked: LockedObjects

  constructor(services: ObjectLockServices) {
    this.#services = services
    this.#locked = new LockedObjects(services)
  }

  async run(signal: AbortSignal): Promise<void> {
    const { db, clock } = this.#services
    this.#endOverdue()
    const ids = db.statement<{ id: string }>(due).all({ now: isoNow(clock) })
    const unreachable = new Map<string, string>()
    for (const { id } of ids) {
      signal.throwIfAborted()
      await this.#lock(id, signal, unreachable)
    }
  }

  /** What was to be locked until a day that has passed. */
  #endOverdue(): void {
    const { db, clock } = this.#services
    const over = q.updateTable('backup_snapshots').set({ awaits_object_lock: 0 }).where('awaits_object_lock', '=', 1)
    db.run(over.where('immutable_until', '<=', isoNow(clock)))
  }

  /** `unreachable`: storages that did not answer in this run, and why. */
  async #lock(repositoryId: string, signal: AbortSignal, unreachable: Map<string, string>): Promise<void> {
    const { repositories, configs, locks, log, clock, destinations } = this.#services
    const row = repositories.find(repositoryId)
    const config = row && configs.open(row.config_id)
    if (!row || !config || this.#isFrozen(row.org_id)) return
    const known = unreachable.get(row.config_id)
    const place = placeOf(config.details, row)
    if (known !== undefined) return this.#noteFailure(row, place, known, soonMs)
    // What maintenance deletes or packs anew meanwhile would be missed.
    const reading = locks.read(repositoryId)
    if (!reading) return
    const tooLong = AbortSignal.timeout(longestMs)
    try {
      const waiting = this.#waitingIn(repositoryId)
      if (waiting.length === 0) return
      const until = Math.max(...waiting.map(({ immutable_until }) => Date.parse(immutable_until)))
      this.#begin(row, place)
      const wish = {
        ...{ repositoryId, until, now: clock.now() },
        prefix: prefixOf(config.details, row),
        snapshotIds: waiting.map(({ snapshot_id }) => snapshot_id),
      }
      const ending = AbortSignal.any([signal, tooLong])
      const locked = await openBucket(destinations, config.details, ending, (bucket) =>
        new RepositoryLocking(bucket, this.#locked, ending).run(wish),
      )
      if (locked === null) this.#tried(row, place, 0)
      else this.#noteEnd(row, place, waiting, locked)
    } catch (error) {
      if (signal.aborted) throw error
      // What is locked so far is noted: the next run goes on.
      if (tooLong.aborted) return this.#tried(row, place, 0)
      if (error instanceof NotLocked && error.isBroken) this.#locked.forget(repositoryId)
      const { reason, pauseMs } = reasonOf(error)
      log.warn({ err: error, repositoryId }, 'Storage did not lock the objects of a repository')
      if (error instanceof Unreachable) unreachable.set(row.config_id, reason)
      this.#noteFailure(row, place, reason, pauseMs)
    } finally {
      reading.release()
    }
  }

  #isFrozen(orgId: string): boolean {
    const { db } = this.#services
    const org = db.first(q.selectFrom('organizations').select(['id', 'status']).where('id', '=', orgId))
    return !org || frozenBecause(db, org) !== null
  }

  #waitingIn(repositoryId: string): Waiting[] {
    const { db, clock } = this.#services
    const rows = db.all(
      this.#waiting(repositoryId)
        .select(['id', 'snapshot_id', 'immutable_until', 'label', 'device_id'])
        .where('immutable_until', '>', isoNow(clock)),
    )
    return rows.flatMap(({ immutable_until, ...row }) =>
      immutable_until === null ? [] : [{ ...row, immutable_until }],
    )
  }

  #waiting(repositoryId: string) {
    return q
      .selectFrom('backup_snapshots')
      .where('repository_id', '=', repositoryId)
      .where('awaits_object_lock', '=', 1)
  }

  #noteEnd(row: RepositoryRow, place: string, waiting: readonly Waiting[], { objects, missing }: Locked): void {
    const { db } = this.#services
    db.transaction(() => {
      for (const one of waiting) if (!missing.has(one.snapshot_id)) this.#noteLocked(row, one, objects)
      // Those that are not there, and those that somebody has extended meanwhile, still wait.
      if (missing.size > 0) this.#noteFailure(row, place, 'The snapshot was not found in the storage', soonMs)
      else this.#tried(row, place, 0)
    })
  }

  /** Unless somebody has extended it meanwhile. */
  #noteLocked(row: RepositoryRow, { id, immutable_until, label, device_id }: Waiting, objects: number): void {
    const { db, clock, audit } = this.#services
    const locked = {
      immutability_enforcement: 'provider',
      immutability_fallback_reason: null,
      awaits_object_lock: 0,
      updated_at: isoNow(clock),
    } as const
    const changed = db.run(
      q
        .updateTable('backup_snapshots')
        .set(locked)
        .where('id', '=', id)
        .where('awaits_object_lock', '=', 1)
        .where('immutable_until', '=', immutable_until),
    )
    if (changed === 0) return
    audit(actor, {
      action: 'backup.snapshot.immutability.apply.provider',
      resourceType: 'backup_snapshot',
      resourceId: id,
      resourceName: label,
      orgId: row.org_id,
      details: { deviceId: device_id, until: immutable_until, objects },
    })
  }

  #noteFailure(row: RepositoryRow, place: string, reason: string, pauseMs: number): void {
    const { db, clock } = this.#services
    db.transaction(() => {
      const changed = { immutability_fallback_reason: `${reason}. It is tried again`, updated_at: isoNow(clock) }
      db.run(
        q
          .updateTable('backup_snapshots')
          .set(changed)
          .where('repository_id', '=', row.id)
          .where('awaits_object_lock', '=', 1)
          .where('immutability_fallback_reason', 'is not', changed.immutability_fallback_reason),
      )
      this.#tried(row, place, pauseMs)
    })
  }

  /** What was locked in another place is forgotten. */
  #begin(row: RepositoryRow, place: string): void {
    const { db } = this.#services
    db.transaction(() => {
      const former = q.selectFrom('backup_object_lock_tries').select('place').where('repository_id', '=', row.id)
      if (db.first(former)?.place === place) return
      this.#locked.forget(row.id)
      this.#tried(row, place, 0)
    })
  }

  #tried({ id, org_id, device_id }: RepositoryRow, place: string, pauseMs: number): void {
    const { db, clock } = this.#services
    const now = clock.now()
    const tried = { place, tried_at: iso(now), try_again_at: iso(now + pauseMs) }
    db.run(
      q
        .insertInto('backup_object_lock_tries')
        .values({ id: randomUUIDv7(), repository_id: id, org_id, device_id, ...tried })
        .onConflict((conflict) => conflict.column('repository_id').doUpdateSet(tried)),
    )
  }
}

function reasonOf(error: unknown): { reason: string; pauseMs: number } {
  if (error instanceof NotLocked) return { reason: error.message, pauseMs: error.pauseMs }
  if (error instanceof Unreachable) return { reason: 'The storage cannot be reached', pauseMs: soonMs }
  if (isRefusal(error)) return { reason: error.message, pauseMs: hour }
  return { reason: 'It ended unexpectedly. The log of the appliance says more', pauseMs: soonMs }
}
