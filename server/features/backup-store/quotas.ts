import type { BackupStoreUsage } from '../../../shared/api/backup-quotas.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { isConfined, reachesOrg, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { changeOf } from '../../platform/updates.ts'
import { grantedOrganization, resolveOrganization, writableOrganization } from '../organization-access/index.ts'
import type { RepositoryFiles } from './repository-files.ts'
import type { StoreUsage } from './usage.ts'

interface QuotaServices {
  db: Database
  clock: Clock
  audit: Audit
  usage: StoreUsage
  files: Pick<RepositoryFiles, 'freeBytes'>
  reservedBytes: number
}

/** How much organizations may store on the appliance. Their company says so: none of them raises its own. */
export class StoreQuotas {
  readonly #services: QuotaServices

  constructor(services: QuotaServices) {
    this.#services = services
  }

  /** Bytes; null without a limit. */
  of(orgId: string): number | null {
    return (
      this.#services.db.first(q.selectFrom('backup_quotas').select('bytes').where('org_id', '=', orgId))?.bytes ?? null
    )
  }

  /**
   * The store belongs to the whole organization: somebody who sees a part of it does not see how full it is.
   * @throws AppError `backup_org_required`, `permission_denied`
   */
  async read(actor: UserActor, named: string | undefined): Promise<BackupStoreUsage> {
    const { db } = this.#services
    const orgId = resolveOrganization(db, actor, named, 'backup_org_required')
    if (!reachesOrg(actor, orgId) || !grantedOrganization(db, actor, orgId)) throw new AppError('backup_org_required')
    if (isConfined(actor)) throw new AppError('permission_denied')
    return this.#view(orgId)
  }

  async set(actor: UserActor, orgId: string, quotaBytes: number | null): Promise<BackupStoreUsage> {
    const { db, clock, audit } = this.#services
    db.transaction(() => {
      const org = writableOrganization(db, actor, orgId)
      const before = { quotaBytes: this.of(orgId) }
      const row = quotaBytes === null ? null : { org_id: orgId, bytes: quotaBytes, updated_at: isoNow(clock) }
      if (row === null) db.run(q.deleteFrom('backup_quotas').where('org_id', '=', orgId))
      else
        db.run(
          q
            .insertInto('backup_quotas')
            .values(row)
            .onConflict((conflict) => conflict.column('org_id').doUpdateSet(row)),
        )
      audit(actor, {
        action: 'backup.quota.update',
        resourceType: 'organization',
        resourceId: orgId,
        resourceName: org.name,
        orgId,
        details: changeOf(['quotaBytes'], before, { quotaBytes }),
      })
    })
    return this.#view(orgId)
  }

  async #view(orgId: string): Promise<BackupStoreUsage> {
    const { usage, files, reservedBytes } = this.#services
    const [usedBytes, quotaBytes] = [usage.ofOrganization(orgId), this.of(orgId)]
    const freeBytes = Math.max(0, (await files.freeBytes()) - reservedBytes)
    return { usedBytes, quotaBytes, freeBytes }
  }
}
