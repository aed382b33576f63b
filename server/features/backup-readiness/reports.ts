import type { Selectable } from 'kysely'
import type { BackupHealth, DeviceReadiness, RecoveryReadiness } from '../../../shared/api/backup-readiness.ts'
import { readinessLimits } from '../../../shared/api/backup-readiness.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { fromJson } from '../../lib/json.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type Clock, day, iso, isoNow, minute } from '../../platform/clock.ts'
import { backupOrganization } from '../backup-storage/index.ts'
import { isCritical } from '../backup-verification/index.ts'
import type { Calculations } from './calculations.ts'
import { isLow, unknownRisks } from './score.ts'
import type { ReadinessTable } from './tables.ts'

interface ReportServices {
  db: Database
  clock: Clock
  calculations: Calculations
}

interface Asked {
  orgId?: string | undefined
  deviceId?: string | undefined
  refresh?: 'true' | 'false' | '1' | '0' | undefined
}

type Row = Selectable<ReadinessTable> & { device_name: string }

const devicesPerRead = 50
const coveredWithinMs = 30 * day

const coverage = `
  SELECT device.id, ${isCritical} AS isCritical,
    EXISTS (SELECT 1 FROM backup_watches WHERE device_id = device.id AND org_id = @orgId) AS isProtected,
    EXISTS (SELECT 1 FROM backup_verifications INDEXED BY backup_verifications_device
      WHERE device_id = device.id AND org_id = @orgId AND created_at >= @since AND status = 'passed') AS isCovered,
    EXISTS (SELECT 1 FROM backup_attention WHERE device_id = device.id AND org_id = @orgId
      AND kind = 'verification_failed' AND resolved_at IS NULL) AS isFailing
  FROM json_each(@ids) AS wanted JOIN devices AS device ON device.id = wanted.value`

const newestBackups = `
  SELECT wanted.value AS id, (SELECT max(completed_at) FROM backup_jobs INDEXED BY backup_jobs_newest_good
    WHERE device_id = wanted.value AND org_id = @orgId AND status IN ('completed', 'partial')) AS at
  FROM json_each(@ids) AS wanted`

interface Standing {
  id: string
  isCritical: number
  isProtected: number
  isCovered: number
  isFailing: number
}

/** How well devices could be brought back, as far as the actor sees them. */
export class ReadinessReports {
  readonly #services: ReportServices

  constructor(services: ReportServices) {
    this.#services = services
  }

  *readiness(actor: UserActor, asked: Asked): Steps<RecoveryReadiness> {
    const orgId = backupOrganization(this.#services.db, actor, asked.orgId)
    const devices = yield* this.#devices(actor, orgId, asked)
    const sum = devices.reduce((total, { readinessScore }) => total + readinessScore, 0)
    return {
      summary: {
        devices: devices.length,
        averageScore: devices.length === 0 ? 0 : Math.round(sum / devices.length),
        lowReadiness: devices.filter(({ readinessScore }) => isLow(readinessScore)).length,
        highReadiness: devices.filter(({ readinessScore }) => readinessScore >= readinessLimits.high).length,
      },
      devices,
    }
  }

  *health(actor: UserActor, asked: Asked): Steps<BackupHealth> {
    const { db, clock } = this.#services
    const { summary, devices } = yield* this.readiness(actor, asked)
    const orgId = backupOrganization(db, actor, asked.orgId)
    const since = iso(clock.now() - coveredWithinMs)
    const found = { protected: 0, covered: 0, failing: 0, criticalFailing: 0, criticalAtRisk: 0 }
    for (let at = 0; at < devices.length; at += devicesPerRead) {
      yield
      const some = devices.slice(at, at + devicesPerRead)
      const ids = JSON.stringify(some.map(({ deviceId }) => deviceId))
      const rows = db.statement<Standing>(coverage)
      const scoreOf = new Map(some.map(({ deviceId, readinessScore }) => [deviceId, readinessScore]))
      for (const row of rows.all({ ids, orgId, since })) {
        found.protected += row.isProtected
        found.covered += row.isProtected && row.isCovered
        found.failing += row.isFailing
        found.criticalFailing += row.isCritical && row.isFailing
        found.criticalAtRisk += row.isCritical && isLow(scoreOf.get(row.id) ?? 0) ? 1 : 0
      }
    }
    return {
      status: found.criticalFailing > 0 ? 'critical' : summary.lowReadiness > 0 ? 'degraded' : 'healthy',
      verification: {
        ...(yield* this.#countChecks(actor, orgId)),
        coveragePercent: found.protected === 0 ? 100 : Math.round((found.covered / found.protected) * 100),
      },
      readiness: {
        averageScore: summary.averageScore,
        lowReadinessCount: summary.lowReadiness,
        criticalDevicesAtRisk: found.criticalAtRisk,
      },
      escalations: { verificationFailures: found.failing, criticalVerificationFailures: found.criticalFailing },
    }
  }

  /** The lowest score first: those whose backups were never checked. */
  *#devices(actor: UserActor, orgId: string, { deviceId, refresh }: Asked): Steps<DeviceReadiness[]> {
    const { db, calculations } = this.#services
    if (refresh === 'true' || refresh === '1') {
      const ids = this.#seen(actor, orgId, deviceId)
      for (let at = 0; at < ids.length; at += devicesPerRead) {
        yield
        calculations.devices(ids.slice(at, at + devicesPerRead))
      }
    }
    const devices: DeviceReadiness[] = []
    yield
    let neverChecked = q
      .selectFrom('backup_watches')
      .innerJoin('devices', 'devices.id', 'backup_watches.device_id')
      .select((select) => ['devices.id as id', select.fn.coalesce('display_name', 'hostname').as('name')])
      .where('backup_watches.org_id', '=', orgId)
      .where(withinReach(actor, 'backup_watches'))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(selectFrom('backup_readiness').select('id').whereRef('backup_readiness.device_id', '=', 'devices.id')),
        ),
      )
    let rows = q
      .selectFrom('backup_readiness')
      .innerJoin('devices', 'devices.id', 'backup_readiness.device_id')
      .selectAll('backup_readiness')
      .select((select) => select.fn.coalesce('devices.display_name', 'devices.hostname').as('device_name'))
      .where('backup_readiness.org_id', '=', orgId)
      .where(withinReach(actor, 'backup_readiness'))
      .orderBy('readiness_score')
      .orderBy('backup_readiness.id')
      .limit(devicesPerRead)
    if (deviceId) {
      neverChecked = neverChecked.where('devices.id', '=', deviceId)
      rows = rows.where('backup_readiness.device_id', '=', deviceId)
    }
    const unknown = db.all(neverChecked)
    for (let at = 0; at < unknown.length; at += devicesPerRead) {
      yield
      devices.push(...this.#unknown(orgId, unknown.slice(at, at + devicesPerRead)))
    }
    for (let last: Row | undefined; ; ) {
      yield
      const after = last
      const some: Row[] = db.all(
        after
          ? rows.where(({ eb, refTuple, tuple }) =>
              eb(
                refTuple('backup_readiness.readiness_score', 'backup_readiness.id'),
                '>',
                tuple(after.readiness_score, after.id),
              ),
            )
          : rows,
      )
      for (const row of some) devices.push(this.#known(row))
      last = some.at(-1)
      if (some.length < devicesPerRead) return devices
    }
  }

  #seen(actor: UserActor, orgId: string, deviceId: string | undefined): string[] {
    let seen = q
      .selectFrom('devices')
      .select('id')
      .where('org_id', '=', orgId)
      .where('status', '<>', 'decommissioned')
      .where(withinReach(actor, 'devices'))
    if (deviceId) seen = seen.where('id', '=', deviceId)
    return this.#services.db.all(seen).map(({ id }) => id)
  }

  #unknown(orgId: string, some: readonly { id: string; name: string }[]): DeviceReadiness[] {
    const { db, clock } = this.#services
    const ids = JSON.stringify(some.map(({ id }) => id))
    const rows = db.statement<{ id: string; at: string | null }>(newestBackups).all({ ids, orgId })
    const newest = new Map(rows.map(({ id, at }) => [id, at]))
    return some.map(({ id: deviceId, name: deviceName }) => ({
      ...{ id: `synthetic-readiness:${orgId}:${deviceId}`, orgId, deviceId, deviceName, readinessScore: 0 },
      ...{ estimatedRtoMinutes: null, estimatedRpoMinutes: null },
      ...{ newestBackupAt: newest.get(deviceId) ?? null, lastCheckedAt: null, lastTestRestoreAt: null },
      ...{ riskFactors: unknownRisks, calculatedAt: isoNow(clock) },
    }))
  }

  #known(row: Row): DeviceReadiness {
    const { newest_backup_at: newestBackupAt } = row
    return {
      id: row.id,
      orgId: row.org_id,
      deviceId: row.device_id,
      deviceName: row.device_name,
      readinessScore: row.readiness_score,
      estimatedRtoMinutes: row.estimated_rto_minutes,
      estimatedRpoMinutes:
        newestBackupAt === null
          ? null
          : Math.max(0, Math.floor((this.#services.clock.now() - Date.parse(newestBackupAt)) / minute)),
      newestBackupAt,
      lastCheckedAt: row.last_checked_at,
      lastTestRestoreAt: row.last_test_restore_at,
      riskFactors: fromJson(row.risk_factors),
      calculatedAt: row.calculated_at,
    }
  }

  /** Day by day, for there are many. */
  *#countChecks(actor: UserActor, orgId: string) {
    const { db, clock } = this.#services
    const seen = q
      .selectFrom('backup_verifications')
      .where('org_id', '=', orgId)
      .where(withinReach(actor, 'backup_verifications'))
    const now = clock.now()
    const first = db.one(
      q
        .selectFrom('backup_verifications')
        .select((select) => select.fn.min('created_at').as('at'))
        .where('org_id', '=', orgId),
    ).at
    let total = 0
    for (let from = first === null ? now + 1 : Date.parse(first); from <= now; from += day) {
      yield
      total += db.one(
        seen
          .where('created_at', '>=', iso(from))
          .where('created_at', '<', iso(from + day))
          .select((select) => select.fn.countAll<number>().as('total')),
      ).total
    }
    yield
    const lastDay = iso(now - day)
    const ended = new Map(
      db
        .all(
          seen
            // One takes less than a day.
            .where('created_at', '>=', iso(now - 2 * day))
            .where('completed_at', '>=', lastDay)
            .groupBy('status')
            .select((select) => ['status' as const, select.fn.countAll<number>().as('total')]),
        )
        .map(({ status, total: ofStatus }) => [status, ofStatus] as const),
    )
    return {
      total,
      passedLast24h: ended.get('passed') ?? 0,
      failedLast24h: ended.get('failed') ?? 0,
      partialLast24h: ended.get('partial') ?? 0,
    }
  }
}
