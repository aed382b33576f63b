import type { BackupDashboard } from '../../../shared/api/backup-reports.ts'
import { AnswerCache } from '../../db/answer-cache.ts'
import { CountCache } from '../../db/count-cache.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type Clock, day, hour, iso } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { isUsable } from '../backup-attention/index.ts'
import type { BackupPolicies, DeviceBackup } from '../backup-policies/index.ts'
import { backupOrganization } from '../backup-storage/index.ts'
import { attentionItems } from './attention-items.ts'
import { devicesIn } from './devices-in-service.ts'
import { daysBetween, daysOf, type Scope, scopeOf } from './windows.ts'

interface DashboardServices {
  db: Database
  clock: Clock
  log: Log
  backupPolicies: BackupPolicies
}

const latestJobs = 5
/** Older ones are no news. */
const latestWithinMs = 30 * day

/** How the backups of an organization stand, as far as the actor sees its devices. */
export class Dashboard {
  readonly #services: DashboardServices
  readonly #jobs: CountCache
  readonly #snapshots: AnswerCache<BackupDashboard['storage']>

  constructor(services: DashboardServices) {
    this.#services = services
    this.#jobs = new CountCache(services.db, ['backup_jobs', 'devices', 'device_group_members'])
    this.#snapshots = new AnswerCache(services.db, ['backup_snapshots', 'devices', 'device_group_members'], 1000)
  }

  *read(actor: UserActor, named: string | undefined): Steps<BackupDashboard> {
    const { db } = this.#services
    const scope = scopeOf(actor, backupOrganization(db, actor, named))
    const storage = yield* this.#storage(scope)
    const { assigned, usable } = yield* this.#coverage(scope)
    const configs = q.selectFrom('backup_configs').where('org_id', '=', scope.orgId)
    return {
      totals: {
        configs: db.one(configs.select((select) => select.fn.countAll<number>().as('total'))).total,
        policies: assigned,
        jobs: yield* this.#jobCount(scope),
        snapshots: storage.snapshots,
      },
      jobsLast24h: yield* this.#lastDay(scope),
      storage,
      coverage: { protectedDevices: usable },
      latestJobs: yield* this.#latest(scope),
      ...(yield* this.#attention(scope)),
    }
  }

  *#attention(scope: Scope): Steps<Pick<BackupDashboard, 'attentionItems' | 'attentionCount' | 'attentionError'>> {
    const { db, log } = this.#services
    try {
      return { ...(yield* attentionItems(db, scope)), attentionError: false }
    } catch (error) {
      log.error({ err: error, orgId: scope.orgId }, 'What backups need attention could not be found out')
      return { attentionItems: [], attentionCount: 0, attentionError: true }
    }
  }

  *#coverage({ orgId, reach }: Scope): Steps<{ assigned: number; usable: number }> {
    const { db, backupPolicies } = this.#services
    const seen = new Set<string>()
    yield* devicesIn(db, { orgId, reach }, ({ id }) => void seen.add(id))
    let assigned = 0
    let usable = 0
    const found = (backup: DeviceBackup) => {
      if (!backup.plan || !seen.has(backup.device.id)) return
      assigned++
      if (isUsable(backup)) usable++
    }
    yield* backupPolicies.inOrganization(orgId, found)
    return { assigned, usable }
  }

  #jobCount(scope: Scope): Steps<number> {
    const { db, clock } = this.#services
    const counted = jobsIn(scope).select((select) => select.fn.countAll<number>().as('total'))
    return this.#jobs.counted(counted.compile(), function* () {
      let total = 0
      for (const { from, to } of daysOf(db, 'backup_jobs', scope.orgId, clock.now())) {
        total += db.one(counted.where('created_at', '>=', from).where('created_at', '<', to)).total
        yield
      }
      return total
    })
  }

  #storage({ orgId, reach }: Scope): Steps<BackupDashboard['storage']> {
    const { db, clock } = this.#services
    const summed = q
      .selectFrom('backup_snapshots')
      .select((select) => [
        select.fn.countAll<number>().as('snapshots'),
        select.fn.coalesce(select.fn.sum<number>('size'), select.lit(0)).as('totalBytes'),
      ])
      .where('org_id', '=', orgId)
      .where('expired_at', 'is', null)
      .where(withinReach(reach, 'backup_snapshots'))
    return this.#snapshots.answered(summed.compile(), function* () {
      const all = { totalBytes: 0, snapshots: 0 }
      for (const { from, to } of daysOf(db, 'backup_snapshots', orgId, clock.now())) {
        const some = db.one(summed.where('timestamp', '>=', from).where('timestamp', '<', to))
        all.totalBytes += some.totalBytes
        all.snapshots += some.snapshots
        yield
      }
      return all
    })
  }

  *#lastDay(scope: Scope): Steps<BackupDashboard['jobsLast24h']> {
    const { db, clock } = this.#services
    const counts = { completed: 0, failed: 0, partial: 0, running: 0, queued: 0 }
    const now = clock.now()
    for (let from = now - day; from < now; from += hour) {
      const rows = db.all(
        jobsIn(scope)
          .select(['status', (select) => select.fn.countAll<number>().as('total')])
          .where('created_at', '>', iso(from))
          .where('created_at', '<=', iso(from + hour))
          .groupBy('status'),
      )
      for (const { status, total } of rows) {
        if (status === 'cancelled') continue
        counts[status === 'pending' ? 'queued' : status] += total
      }
      yield
    }
    return counts
  }

  *#latest(scope: Scope): Steps<BackupDashboard['latestJobs']> {
    const { db, clock } = this.#services
    const now = clock.now()
    const found: BackupDashboard['latestJobs'] = []
    for (const { from, to } of daysBetween(now - latestWithinMs, now).toReversed()) {
      const rows = db.all(
        jobsIn(scope)
          .innerJoin('devices', 'devices.id', 'backup_jobs.device_id')
          .leftJoin('backup_configs', 'backup_configs.id', 'backup_jobs.config_id')
          .selectAll('backup_jobs')
          .select(['hostname', 'display_name', 'backup_configs.name as config_name'])
          .where('backup_jobs.created_at', '>=', from)
          .where('backup_jobs.created_at', '<', to)
          .orderBy('backup_jobs.created_at', 'desc')
          .orderBy('backup_jobs.started_at', 'desc')
          .orderBy('backup_jobs.id', 'desc')
          .limit(latestJobs - found.length),
      )
      found.push(
        ...rows.map((row) => ({
          id: row.id,
          type: row.type,
          deviceId: row.device_id,
          deviceName: row.display_name ?? row.hostname,
          configId: row.config_id,
          configName: row.config_name,
          status: row.status,
          startedAt: row.started_at,
          completedAt: row.completed_at,
          createdAt: row.created_at,
          totalSize: row.total_size,
          errorCount: row.error_count,
          errorLog: row.error_log,
        })),
      )
      if (found.length === latestJobs) break
      yield
    }
    return found
  }
}

const jobsIn = ({ orgId, reach }: Scope) =>
  q.selectFrom('backup_jobs').where('backup_jobs.org_id', '=', orgId).where(withinReach(reach, 'backup_jobs'))
