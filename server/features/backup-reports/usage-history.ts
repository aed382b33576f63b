import type { BackupUsage } from '../../../shared/api/backup-reports.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type Clock, day, iso, isoNow } from '../../platform/clock.ts'
import { backupOrganization } from '../backup-storage/index.ts'
import { daysBetween, type Scope, scopeOf, startOfDay } from './windows.ts'

interface UsageServices {
  db: Database
  clock: Clock
}

/** How much backups hold, day by day. */
export class UsageHistory {
  readonly #services: UsageServices

  constructor(services: UsageServices) {
    this.#services = services
  }

  *read(actor: UserActor, named: string | undefined, days: number): Steps<BackupUsage> {
    const { db, clock } = this.#services
    const scope = scopeOf(actor, backupOrganization(db, actor, named))
    const now = clock.now()
    const first = startOfDay(now) - (days - 1) * day
    const bytes = new Map<string, number>()
    const stored = this.#storedByDay(scope, iso(first))
    const points: { timestamp: string; bytes: ReadonlyMap<string, number>; storedBytes: number | null }[] = []
    for (const { from, to } of daysBetween(first, now)) {
      for (const { provider, total } of this.#snapshotsOf(scope, from, to))
        bytes.set(provider, (bytes.get(provider) ?? 0) + total)
      points.push({ timestamp: from, bytes: new Map(bytes), storedBytes: stored.get(from.slice(0, 10)) ?? null })
      yield
    }
    const providers = bytes.size > 0 ? [...bytes.keys()].sort() : ['local']
    return {
      days,
      start: iso(first),
      end: isoNow(clock),
      providers,
      points: points.map(({ timestamp, bytes, storedBytes }) => ({
        timestamp,
        totalBytes: [...bytes.values()].reduce((sum, one) => sum + one, 0),
        providers: providers.map((provider) => ({ provider, bytes: bytes.get(provider) ?? 0 })),
        storedBytes,
      })),
    }
  }

  #snapshotsOf({ orgId, reach }: Scope, from: string, to: string): { provider: string; total: number }[] {
    const byStorage = q
      .selectFrom('backup_snapshots')
      .select(['config_id', (select) => select.fn.sum<number>('size').as('total')])
      .where('org_id', '=', orgId)
      .where('timestamp', '>=', from)
      .where('timestamp', '<', to)
      .where('expired_at', 'is', null)
      .where(withinReach(reach, 'backup_snapshots'))
      .groupBy('config_id')
    return this.#services.db.all(
      q
        .selectFrom(byStorage.as('some'))
        .innerJoin('backup_configs', 'backup_configs.id', 'some.config_id')
        .select(['provider', 'total']),
    )
  }

  /** Today’s is what it is now. Somebody confined to groups has no figures of other days, which are kept by site. */
  #storedByDay({ orgId, reach }: Scope, first: string): Map<string, number> {
    const { db, clock } = this.#services
    const rows = db.all(
      q
        .selectFrom('backup_usage_days')
        .select(['day', (select) => select.fn.sum<number>('stored_bytes').as('total')])
        .where('org_id', '=', orgId)
        .where('day', '>=', first.slice(0, 10))
        .where(withinReach(reach, 'backup_usage_days'))
        .groupBy('day'),
    )
    const now = db.one(
      q
        .selectFrom('backup_repositories')
        .select((select) => select.fn.coalesce(select.fn.sum<number>('stored_bytes'), select.lit(0)).as('total'))
        .where('org_id', '=', orgId)
        .where(withinReach(reach, 'backup_repositories')),
    )
    const byDay = new Map(rows.map(({ day: one, total }) => [one, total]))
    return byDay.set(isoNow(clock).slice(0, 10), now.total)
  }
}
