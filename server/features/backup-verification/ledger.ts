import { randomUUIDv7 } from 'node:crypto'
import type { Updateable } from 'kysely'
import type { OpenCheck, VerificationType } from '../../../shared/api/backup-verification.ts'
import { mostAgain, type VerificationOutcome } from '../../../shared/device/backup-verification.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import { systemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { LastHeard } from '../../platform/last-heard.ts'
import type { LiveEvents } from '../../platform/live.ts'
import { Signal } from '../../platform/signal.ts'
import type { Attention } from '../backup-attention/index.ts'
import type { ResticEngines } from '../backup-engine/index.ts'
import type { SnapshotRow } from '../backup-snapshots/index.ts'
import { findingsOf } from './findings.ts'
import { nameOf, type VerificationRow, verificationById, verificationView } from './store.ts'
import type { Findings, VerificationTable } from './tables.ts'

interface LedgerServices {
  db: Database
  clock: Clock
  live: LiveEvents
  audit: Audit
  attention: Attention
  engines: ResticEngines
}

/** A check that is to be made. */
export interface NewVerification {
  snapshot: SnapshotRow
  type: VerificationType
  source: VerificationTable['source']
  ranOn: VerificationTable['ran_on']
  requestedBy: string | null
  subset: string | null
}

const actor = systemActor('backup.verification')

/**
 * A failure that a later good check of the same kind does not outweigh, and one that is not known to be of the storage.
 * Where something could not be brought back, a part of the data or of the files outweighs it only if it has that again.
 */
const unresolved = `SELECT bad.id FROM backup_verifications AS bad INDEXED BY backup_verifications_device
  WHERE bad.device_id = @deviceId AND bad.org_id = @orgId AND bad.status IN ('failed', 'partial')
    AND NOT EXISTS (
      SELECT 1 FROM backup_verifications AS good INDEXED BY backup_verifications_device
      WHERE good.device_id = bad.device_id AND good.org_id = bad.org_id AND good.status = 'passed'
        AND good.verification_type = bad.verification_type AND good.repository_id IS bad.repository_id
        AND (good.created_at, good.id) > (bad.created_at, bad.id)
        AND (
          bad.status = 'failed' AND bad.files_failed = 0
          OR good.subset IS NULL AND (
            coalesce(json_extract(good.details, '$.sampled'), 0) = 0
            -- It was told of what had been found by then.
            OR json_extract(good.details, '$.restoredAgain') = 1 AND bad.completed_at <= good.started_at)))
  ORDER BY bad.created_at DESC, bad.id DESC`

/** Saves what becomes of checks, and tells the features that show it. */
export class VerificationLedger {
  /** A check is over, of a device that stays. In its transaction. */
  readonly checked = new Signal<{ deviceId: string }>()
  readonly lastHeard: LastHeard
  readonly #services: LedgerServices

  constructor(services: LedgerServices) {
    this.#services = services
    this.lastHeard = new LastHeard(services.clock)
  }

  /**
   * Joins the transaction under way. Answers the id.
   * @throws AppError `verification_running` while there is one of the kind for the device
   */
  begin(wish: NewVerification): string {
    const { snapshot, type } = wish
    const open = q
      .selectFrom('backup_verifications')
      .select(['id', 'source', 'ran_on', 'subset', 'started_at'])
      .where('device_id', '=', snapshot.device_id)
      .where('verification_type', '=', type)
      .where('status', 'in', ['pending', 'running'])
    const underWay = this.#services.db.first(open)
    if (underWay) throw new AppError('verification_running', { verification: openCheck(underWay) })
    const id = this.#insert(wish, 'pending')
    this.lastHeard.note(id)
    this.#announce(id)
    return id
  }

  /** One that is over already. Joins the transaction under way. */
  record(wish: NewVerification, said: VerificationOutcome): void {
    const id = this.#insert(wish, 'failed')
    this.conclude(verificationById(this.#services.db, id) as VerificationRow, said)
  }

  #insert({ snapshot, type, source, ranOn, requestedBy, subset }: NewVerification, status: 'pending' | 'failed') {
    const { db, clock } = this.#services
    const id = randomUUIDv7()
    const now = isoNow(clock)
    db.run(
      q.insertInto('backup_verifications').values({
        ...{ id, org_id: snapshot.org_id, device_id: snapshot.device_id, repository_id: snapshot.repository_id },
        ...{ backup_job_id: snapshot.job_id, snapshot_id: snapshot.id, snapshot_taken_at: snapshot.timestamp },
        ...{ verification_type: type, status, source, requested_by: requestedBy, ran_on: ranOn, subset },
        ...{ started_at: now, created_at: now, updated_at: now },
      }),
    )
    return id
  }

  change(id: string, changes: Updateable<VerificationTable>): void {
    const { db, clock } = this.#services
    db.run(
      q
        .updateTable('backup_verifications')
        .set({ ...changes, updated_at: isoNow(clock) })
        .where('id', '=', id),
    )
    this.#announce(id)
  }

  /** Joins the transaction of whatever ended it. */
  conclude(row: VerificationRow, said: VerificationOutcome): void {
    this.#services.engines.close(row.id)
    this.#end(row, said, {})
    this.#tell(row)
  }

  /** The same for a check of which the device may not know yet that it is over. */
  giveUp(row: VerificationRow, reason: string): void {
    this.#services.engines.windDown(row.id)
    this.#end(row, failedBecause(reason), { timed_out_by_server: 1 })
    this.#tell(row)
  }

  /** Its device goes away; that says nothing of the backups. */
  cancel(row: VerificationRow, reason: string): void {
    this.#services.engines.windDown(row.id)
    this.#end(row, failedBecause(reason), {})
  }

  /** Whether something was found that no later check has found to be over. */
  hasTrouble({ deviceId, orgId }: { deviceId: string; orgId: string }): boolean {
    return this.#unresolvedOf(deviceId, orgId) !== undefined
  }

  #unresolvedOf(deviceId: string, orgId: string): string | undefined {
    return this.#services.db.statement<string>(unresolved).pluck().get({ deviceId, orgId })
  }

  /** What test restores of the repository could not bring back, and none has brought back since; paths. */
  unrestored({ device_id: deviceId, org_id: orgId, repository_id }: VerificationRow): string[] {
    const { db } = this.#services
    const paths = new Set<string>()
    for (const id of db.statement<string>(unresolved).pluck().all({ deviceId, orgId })) {
      const row = verificationById(db, id)
      if (row?.verification_type !== 'test_restore' || row.repository_id !== repository_id) continue
      const said: Findings = row.details === null ? {} : fromJson(row.details)
      const { failedFiles = [], sampled, restoredAgain } = said
      for (const { path } of failedFiles) paths.add(path)
      // It has all of those before that fail still.
      if (row.files_verified > 0 && (!sampled || restoredAgain)) break
      if (paths.size >= mostAgain) break
    }
    return [...paths].slice(0, mostAgain)
  }

  #end(row: VerificationRow, said: VerificationOutcome, changes: Updateable<VerificationTable>): void {
    const { db, clock } = this.#services
    const { filesVerified, filesFailed, sizeBytes, restoreTimeSeconds } = said
    db.afterCommit(() => this.lastHeard.forget(row.id))
    this.change(row.id, {
      timed_out_by_server: 0,
      ...changes,
      status: said.status === 'stopped' ? 'failed' : said.status,
      completed_at: isoNow(clock),
      files_verified: filesVerified,
      files_failed: filesFailed,
      size_bytes: sizeBytes ?? null,
      restore_time_seconds: restoreTimeSeconds ?? null,
      details: toJson(findingsOf(db, row, said)),
    })
  }

  #tell(before: VerificationRow): void {
    const { db, live, audit, attention } = this.#services
    const row = verificationById(db, before.id) as VerificationRow
    const { device_id: deviceId, org_id: orgId, site_id: siteId } = row
    const isGood = row.status === 'passed'
    this.checked.say({ deviceId })
    const place = { id: deviceId, orgId }
    if (this.#unresolvedOf(deviceId, orgId) === undefined) {
      for (const open of attention.openOf(deviceId)) if (open.kind === 'verification_failed') attention.resolve(open)
    } else if (!isGood)
      attention.open(place, 'verification_failed', { verificationId: row.id, endedAt: row.completed_at ?? '' })
    if (!isGood)
      audit(actor, {
        action: 'backup.verification.fail',
        resourceType: 'device',
        resourceId: deviceId,
        resourceName: nameOf(row),
        orgId,
        details: {
          verificationId: row.id,
          verificationType: row.verification_type,
          status: row.status,
          snapshotId: row.snapshot_id,
          filesFailed: row.files_failed,
        },
      })
    db.afterCommit(() =>
      live.publish({
        type: isGood ? 'backup.verification_passed' : 'backup.verification_failed',
        ...{ deviceId, orgId, siteId, verification: verificationView(row) },
      }),
    )
  }

  /** After the commit, to those who may see it. */
  #announce(id: string): void {
    const { db, live } = this.#services
    db.afterCommit(() => {
      const row = verificationById(db, id)
      if (!row) return
      const { device_id: deviceId, org_id: orgId, site_id: siteId } = row
      live.publish({ type: 'backup.verification', deviceId, orgId, siteId, verification: verificationView(row) })
    })
  }
}

type OpenRow = Pick<VerificationRow, 'id' | 'source' | 'ran_on' | 'subset' | 'started_at'>

/** What somebody is told who asks for another one. */
const openCheck = ({ id, source, ran_on, subset, started_at }: OpenRow): OpenCheck => ({
  ...{ id, source, ranOn: ran_on, startedAt: started_at },
  ...(subset !== null && { subset }),
})

export const failedBecause = (reason: string): VerificationOutcome => ({
  status: 'failed',
  filesVerified: 0,
  filesFailed: 0,
  reason,
})
