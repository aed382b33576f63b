import type { Updateable } from 'kysely'
import type { AuditAction } from '../../../shared/audit-actions/index.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { systemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, day, isoNow, minute } from '../../platform/clock.ts'
import type { Tasks } from '../../platform/tasks/index.ts'
import type { Tables } from '../../tables.ts'
import type { OrganizationRow } from '../organization-access/index.ts'
import { type Erasure, erasureJobId } from './erasure.ts'
import { snapshotsOnHold } from './legal-hold.ts'

interface PurgeServices {
  db: Database
  clock: Clock
  audit: Audit
  tasks: Tasks
  erasure: Erasure
}

/** How long a purge may be without an erasure at work, and how often it is given another one. */
const patienceMs = 15 * minute
const maxRecoveries = 5
const actor = systemActor('tenants.purge')

/** What begins and repairs the purge of archived organizations. */
export class Purge {
  readonly #services: PurgeServices
  readonly #refusedAt = new Map<string, number>()

  constructor(services: PurgeServices) {
    this.#services = services
  }

  /** Archived organizations whose retention is over. */
  due(): OrganizationRow[] {
    const { db, clock } = this.#services
    return db.all(
      q
        .selectFrom('organizations')
        .selectAll()
        .where('status', '=', 'archived')
        .where('deleted_at', 'is', null)
        .where('purge_at', '<=', isoNow(clock)),
    )
  }

  /**
   * Only if it still is what `due` said: a restore may have come first. As long as one of its snapshots is on legal hold or
   * immutable, the organization stays archived, where it can be restored.
   */
  begin(due: OrganizationRow): void {
    const { db, clock, erasure } = this.#services
    const { id } = due
    db.transaction(() => {
      const held = snapshotsOnHold(db, id, isoNow(clock))
      if (held > 0) {
        this.#refuse(due, held)
        return
      }
      const [org] = db.write(
        q
          .updateTable('organizations')
          .set({ status: 'purging', updated_at: isoNow(clock) })
          .where('id', '=', id)
          .where('status', '=', 'archived')
          .where('purge_at', '<=', isoNow(clock))
          .returningAll(),
      )
      if (!org) return
      erasure.enqueue(org)
      this.#record(org, 'org.archive.purge_enqueued', { purgeAt: org.purge_at })
    })
  }

  /** Those being purged that nobody works on any more. */
  stranded(): OrganizationRow[] {
    const { db } = this.#services
    const purging = q
      .selectFrom('organizations')
      .selectAll()
      .where('status', '=', 'purging')
      .where('deleted_at', 'is', null)
    return db.all(purging).filter((org) => org.purge_recovery_attempts <= maxRecoveries && this.#isStranded(org))
  }

  recover(org: OrganizationRow): void {
    const { db, erasure } = this.#services
    db.transaction(() => {
      if (!this.#isStranded(org)) return
      const attempt = org.purge_recovery_attempts + 1
      this.#set(org, { purge_recovery_attempts: attempt })
      if (attempt > maxRecoveries) {
        this.#record(org, 'org.archive.purge_recovery_exhausted', { attempts: maxRecoveries })
        return
      }
      erasure.enqueue(org)
      this.#record(org, 'org.archive.purge_recovery_reenqueued', { attempt })
    })
  }

  /** Recorded once a day: the sweep asks every few minutes. */
  #refuse(org: OrganizationRow, heldSnapshots: number): void {
    const now = this.#services.clock.now()
    if (now - (this.#refusedAt.get(org.id) ?? Number.NEGATIVE_INFINITY) < day) return
    this.#refusedAt.set(org.id, now)
    this.#record(org, 'tenant.erasure.refused_legal_hold', { heldSnapshots }, 'denied')
  }

  #isStranded({ id, updated_at }: OrganizationRow): boolean {
    const { clock, tasks } = this.#services
    const task = tasks.find(erasureJobId(id))
    if (task && !task.finishedAt) return false
    return Date.parse(task?.finishedAt ?? updated_at) < clock.now() - patienceMs
  }

  #set({ id }: OrganizationRow, values: Updateable<Tables['organizations']>): void {
    this.#services.db.run(q.updateTable('organizations').set(values).where('id', '=', id))
  }

  #record(
    org: OrganizationRow,
    action: AuditAction,
    details: Record<string, unknown>,
    result: 'success' | 'denied' = 'success',
  ): void {
    const { id: orgId, name: orgName, partner_id: partnerId } = org
    this.#services.audit(actor, {
      action,
      resourceType: 'organization',
      resourceId: orgId,
      resourceName: orgName,
      partnerId,
      result,
      details: { ...details, orgId, orgName, partnerId, erasureJobId: erasureJobId(orgId) },
    })
  }
}
