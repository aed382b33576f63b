import { sql } from 'kysely'
import type { readBackupMaintenance } from '../../../shared/api/backup-maintenance.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Jobs } from '../../platform/jobs.ts'
import { backupOrganization } from '../backup-storage/index.ts'

interface StatusServices {
  db: Database
  clock: Clock
  jobs: Jobs
  /** The restic of the appliance; null when there is none. */
  findRestic: () => Promise<string | null>
}

export const jobName = 'backup.maintain'

const expired = sql<number>`(
  SELECT count(*) FROM backup_snapshots AS snapshot
  WHERE snapshot.repository_id = backup_repositories.id AND snapshot.expired_at IS NOT NULL)`

/** How the maintenance of an organization’s repositories goes, for people. */
export class MaintenanceStatus {
  readonly #services: StatusServices

  constructor(services: StatusServices) {
    this.#services = services
  }

  async read(
    actor: UserActor,
    { orgId: named, page, limit }: QueryOf<typeof readBackupMaintenance>,
  ): Promise<ReplyOf<typeof readBackupMaintenance>> {
    const { db, clock, jobs, findRestic } = this.#services
    const engineAvailable = (await findRestic()) !== null
    const orgId = backupOrganization(db, actor, named)
    const seen = q
      .selectFrom('backup_repositories')
      .where('backup_repositories.org_id', '=', orgId)
      .where(withinReach(actor, 'backup_repositories'))
    const sums = db.one(
      seen.select(({ fn, eb }) => [
        fn.countAll<number>().as('total'),
        fn.coalesce(fn.sum<number>('stored_bytes'), eb.lit(0)).as('storedBytes'),
        fn.count<number>('maintenance_error').as('failing'),
      ]),
    )
    const { expiredSnapshots } = db.one(
      q
        .selectFrom('backup_snapshots')
        .select(({ fn }) => fn.countAll<number>().as('expiredSnapshots'))
        .where('org_id', '=', orgId)
        .where('expired_at', 'is not', null)
        .where('repository_id', 'is not', null)
        .where(withinReach(actor, 'backup_snapshots')),
    )
    // Found before anything is joined: an organization may have thousands.
    const ids = db.all(
      seen
        .select('backup_repositories.id')
        .orderBy((order) => order('maintenance_error', 'is', null))
        .orderBy('backup_repositories.id')
        .limit(limit)
        .offset((page - 1) * limit),
    )
    const rows = db.all(
      q
        .selectFrom('backup_repositories')
        .innerJoin('devices', 'devices.id', 'backup_repositories.device_id')
        .innerJoin('backup_configs', 'backup_configs.id', 'backup_repositories.config_id')
        .selectAll('backup_repositories')
        .select(['devices.display_name', 'devices.hostname', 'backup_configs.name as config_name'])
        .select(expired.as('expired'))
        .where(
          'backup_repositories.id',
          'in',
          ids.map(({ id }) => id),
        )
        .orderBy((order) => order('maintenance_error', 'is', null))
        .orderBy('backup_repositories.id'),
    )
    const now = isoNow(clock)
    const run = jobs.list().find(({ name }) => name === jobName)
    const { total, ...totals } = sums
    return {
      data: {
        engineAvailable,
        isRunning: run?.isRunning ?? false,
        lastRunAt: run?.lastFinishedAt ?? null,
        nextRunAt: run?.nextRunAt ?? null,
        ...totals,
        expiredSnapshots,
        repositories: rows.map((row) => ({
          id: row.id,
          deviceId: row.device_id,
          deviceName: row.display_name ?? row.hostname,
          configId: row.config_id,
          configName: row.config_name,
          storedBytes: row.stored_bytes,
          expiredSnapshots: row.expired,
          isRunning: row.lock_until !== null && row.lock_until > now,
          maintainedAt: row.last_prune_at,
          triedAt: row.maintained_at,
          error: row.maintenance_error,
        })),
      },
      pagination: { page, limit, total },
    }
  }
}
