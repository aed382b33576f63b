import { sql } from 'kysely'
import type { archiveOrganization, restoreOrganization } from '../../../shared/api/lifecycle.ts'
import type { AuditAction } from '../../../shared/audit-actions/index.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, day, iso, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { openStatuses } from '../commands/index.ts'
import { assertNotFrozen, grantedOrganization, type OrganizationRow } from '../organization-access/index.ts'
import type { OrganizationLife } from './organization-life.ts'
import type { PurgeWarnings } from './purge-warnings.ts'

interface ArchiveServices {
  db: Database
  clock: Clock
  audit: Audit
  life: OrganizationLife
  warnings: PurgeWarnings
  defaultRetentionDays: number
}

type Archivable = 'active' | 'trial' | 'suspended'
const isArchivable = (status: string): status is Archivable => ['active', 'trial', 'suspended'].includes(status)

/** Archives organizations and restores them. */
export class Archive {
  readonly #services: ArchiveServices

  constructor(services: ArchiveServices) {
    this.#services = services
  }

  archive(
    actor: UserActor,
    id: string,
    { retentionDays }: BodyOf<typeof archiveOrganization>,
  ): ReplyOf<typeof archiveOrganization> {
    const { db, clock, life, defaultRetentionDays } = this.#services
    return db.transaction(() => {
      const org = this.#granted(actor, id)
      assertNotFrozen(org)
      const { status } = org
      if (!isArchivable(status)) throw new AppError('org_not_archivable', { currentStatus: status })
      const days = retentionDays === undefined ? defaultRetentionDays : retentionDays
      const purgeAt = days === null ? null : iso(clock.now() + days * day)
      const columns = { purge_at: purgeAt, archive_prior_status: status }
      // Agents of a suspended organization get no commands, so there is no drain to wait for.
      if (status === 'suspended')
        life.become(org, { ...columns, status: 'archived', archived_at: isoNow(clock) }, 'sever')
      else life.become(org, { ...columns, status: 'offboarding', offboarding_target: 'archive' }, 'drain')
      this.#record(actor, org, 'org.archive.requested', {
        priorStatus: status,
        retentionDays: retentionDays === undefined ? 'default' : retentionDays,
        purgeAt,
      })
      return { status: status === 'suspended' ? 'archived' : 'offboarding', purgeAt }
    })
  }

  restore(actor: UserActor, id: string): ReplyOf<typeof restoreOrganization> {
    const { db, life, warnings } = this.#services
    return db.transaction(() => {
      const org = this.#granted(actor, id)
      if (org.status === 'purging') throw new AppError('org_already_purging')
      if (org.status === 'merging') assertNotFrozen(org)
      const aborted = org.status === 'offboarding' && org.offboarding_target === 'archive'
      if (!aborted && org.status !== 'archived') throw new AppError('org_not_archived', { currentStatus: org.status })
      // Archiving and restoring must not lift a suspension.
      const status = org.archive_prior_status === 'suspended' ? 'suspended' : 'active'
      const reply = {
        recreateRequired: recreateRequired(status),
        aborted,
        uninstallsCancelled: aborted ? this.#pendingUninstalls(id) : 0,
      }
      const fresh = { purge_warn_14_sent_at: null, purge_warn_1_sent_at: null, purge_recovery_attempts: 0 }
      life.become(org, { ...fresh, status }, status === 'active' ? 'reopen' : 'restrict')
      warnings.withdraw(id)
      this.#record(actor, org, 'org.archive.restored', { ...reply, restoredStatus: status })
      return { status, ...reply }
    })
  }

  /** In the raw selection of the actor: a user who may archive an organization still finds it afterwards. */
  #granted(actor: UserActor, id: string): OrganizationRow {
    if (!actor.partnerId) throw new AppError('partner_required_to_archive')
    const org = grantedOrganization(this.#services.db, actor, id)
    if (!org) throw new AppError('organization_not_found')
    return org
  }

  #pendingUninstalls(orgId: string): number {
    const pending = this.#services.db.first(
      q
        .selectFrom('device_commands')
        .innerJoin('devices', 'devices.id', 'device_commands.device_id')
        .select(sql<number>`count(*)`.as('count'))
        .where('devices.org_id', '=', orgId)
        .where('device_commands.status', 'in', openStatuses)
        .where('device_commands.type', '=', 'self_uninstall')
        .where('device_commands.reasons', '<>', '[]'),
    )
    return pending?.count ?? 0
  }

  /** Twice: in the log of the organization, which a purge takes along, and where it stays for good. */
  #record(actor: UserActor, org: OrganizationRow, action: AuditAction, details: Record<string, unknown>): void {
    const { id: orgId, name: orgName, partner_id: partnerId } = org
    const event = { action, resourceType: 'organization', resourceId: orgId, resourceName: orgName, partnerId }
    this.#services.audit(actor, { ...event, orgId, details })
    this.#services.audit(actor, { ...event, details: { ...details, durable: true, orgId, orgName, partnerId } })
  }
}

/** Texts for the reply. Agents of a suspended organization were not uninstalled. */
const recreateRequired = (status: 'active' | 'suspended'): string[] => [
  ...(status === 'active' ? ['Re-enroll the devices whose agent was removed'] : []),
  'Create new enrollment keys; all old ones have expired',
]
