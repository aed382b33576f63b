import { randomUUIDv7 } from 'node:crypto'
import { readinessLimits } from '../../../shared/api/backup-readiness.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { toJson } from '../../lib/json.ts'
import { inPieces } from '../../lib/pieces.ts'
import { type Clock, iso, isoNow } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import { frozenBecause } from '../organization-access/index.ts'
import { type Check, countedChecks, isLow, readinessOf, testRestoreWithinMs } from './score.ts'

interface CalculationServices {
  db: Database
  clock: Clock
  live: LiveEvents
}

interface Place {
  id: string
  orgId: string
  siteId: string
  status: string
}

/** Of a part that was restored it is known how long that took; all would take as much longer as it is more. */
const restoreTime = `restore_time_seconds * coalesce(
  max(1.0, json_extract(details, '$.totalBytes') * 1.0 / nullif(json_extract(details, '$.sampledBytes'), 0)), 1)`

const checks = `
  SELECT verification_type AS type, status, completed_at AS completedAt, ${restoreTime} AS restoreTimeSeconds
  FROM backup_verifications INDEXED BY backup_verifications_device
  WHERE device_id = @id AND org_id = @orgId AND status IN ('passed', 'failed', 'partial')`

const recentChecks = `${checks} ORDER BY created_at DESC, id DESC LIMIT ${countedChecks}`

const lastTestRestore = `${checks} AND verification_type = 'test_restore' AND created_at >= @since
  ORDER BY created_at DESC, id DESC LIMIT 1`

const newestBackup = `
  SELECT max(completed_at) FROM backup_jobs INDEXED BY backup_jobs_newest_good
  WHERE device_id = @id AND org_id = @orgId AND status IN ('completed', 'partial')`

const place = 'SELECT id, org_id AS orgId, site_id AS siteId, status FROM devices WHERE id = ?'

/** Keeps how well each device could be brought back, and says once when that becomes little. */
export class Calculations {
  readonly #services: CalculationServices

  constructor(services: CalculationServices) {
    this.#services = services
  }

  async all(signal: AbortSignal): Promise<void> {
    const { db } = this.#services
    let after = 0
    await inPieces(signal, (maxRows) => {
      const some = db
        .statement<{ seq: number; id: string }>('SELECT seq, id FROM devices WHERE seq > ? ORDER BY seq LIMIT ?')
        .all(after, maxRows)
      after = some.at(-1)?.seq ?? after
      this.devices(some.map(({ id }) => id))
      return some.length
    })
  }

  /** A few of them, in one transaction. */
  devices(ids: readonly string[]): void {
    const { db } = this.#services
    db.transaction(() => {
      const isFrozen = new Map<string, boolean>()
      for (const id of ids) {
        const device = db.statement<Place>(place).get(id)
        if (!device) continue
        const known = isFrozen.get(device.orgId) ?? this.#isFrozen(device.orgId)
        isFrozen.set(device.orgId, known)
        if (!known) this.#device(device)
      }
    })
  }

  /** It leaves service, or its organization. Joins the transaction. */
  forget(deviceId: string): void {
    this.#services.db.run(q.deleteFrom('backup_readiness').where('device_id', '=', deviceId))
  }

  /** Nothing is written of what is on its way to be deleted. */
  #isFrozen(orgId: string): boolean {
    const { db } = this.#services
    return (
      frozenBecause(db, db.one(q.selectFrom('organizations').select(['id', 'status']).where('id', '=', orgId))) !== null
    )
  }

  #device({ id, orgId, siteId, status }: Place): void {
    const { db, clock, live } = this.#services
    const now = clock.now()
    const recent = db.statement<Check>(recentChecks).all({ id, orgId })
    const since = iso(now - 2 * testRestoreWithinMs)
    const last = db.statement<Check>(lastTestRestore).get({ id, orgId, since })
    const found = status === 'decommissioned' ? null : readinessOf({ recent, lastTestRestore: last ?? null }, now)
    if (!found) {
      this.forget(id)
      return
    }
    const known = db.first(q.selectFrom('backup_readiness').select(['id', 'is_low']).where('device_id', '=', id))
    const wasLow = known?.is_low === 1
    const staysLow = wasLow && found.score < readinessLimits.recovered
    const values = {
      org_id: orgId,
      readiness_score: found.score,
      estimated_rto_minutes: found.estimatedRtoMinutes,
      newest_backup_at: db.statement<string | null>(newestBackup).pluck().get({ id, orgId }) ?? null,
      last_checked_at: recent[0]?.completedAt ?? isoNow(clock),
      last_test_restore_at: last?.completedAt ?? null,
      risk_factors: toJson(found.risks),
      is_low: isLow(found.score) || staysLow ? (1 as const) : (0 as const),
      calculated_at: isoNow(clock),
    }
    if (known) db.run(q.updateTable('backup_readiness').set(values).where('id', '=', known.id))
    else db.run(q.insertInto('backup_readiness').values({ id: randomUUIDv7(), device_id: id, ...values }))
    if (!wasLow && isLow(found.score))
      db.afterCommit(() =>
        live.publish({
          type: 'backup.recovery_readiness_low',
          ...{ deviceId: id, orgId, siteId, readinessScore: found.score },
        }),
      )
  }
}
