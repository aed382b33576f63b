import { randomUUIDv7 } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { MergeResult } from '../../../shared/api/organization-merge.ts'
import type { AuditAction } from '../../../shared/audit-actions/index.ts'
import { errorTable } from '../../../shared/errors/index.ts'
import type { Database } from '../../db/database.ts'
import { isOperable } from '../../db/org-status.ts'
import { q } from '../../db/query.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import { systemActor } from '../../platform/actor.ts'
import type { Audit, AuditEvent } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import { type Task, TaskFailure } from '../../platform/tasks/index.ts'
import { replaceSelectedOrganization } from '../access/index.ts'
import { type Erasure, tenantOf } from '../lifecycle/index.ts'
import type { OrganizationRow } from '../organization-access/index.ts'
import type { Parties } from './journal.ts'
import { findOrganization } from './pair.ts'
import { tablesThatMove } from './steps.ts'
import type { OrgMergeEventTable } from './tables.ts'

interface MergeEndServices {
  db: Database
  clock: Clock
  audit: Audit
  live: LiveEvents
  erasure: Erasure
}

const actor = systemActor('organizations.merge')

/** How a merge ends: for good, or as if it had never begun. Every method belongs into one transaction. */
export class MergeEnd {
  readonly #services: MergeEndServices

  constructor(services: MergeEndServices) {
    this.#services = services
  }

  /** What came of it, when it is final. */
  resultOf(job: Task): MergeResult | null {
    const event = this.#eventOf(tenantOf(job).orgId)
    return event ? this.#resultOf(job.id, event) : null
  }

  isFinal(loserId: string): boolean {
    return this.#eventOf(loserId) !== undefined
  }

  /** Makes a merge final and retires the loser; null when something has been written to the loser meanwhile. */
  complete(job: Task, parties: Parties, tally: MergeResult['tables'], warnings: string[]): MergeResult | null {
    const { db, clock, audit, live } = this.#services
    const [loser, survivor] = [findOrganization(db, parties.loser), findOrganization(db, parties.survivor)]
    if (loser?.status !== 'merging' || loser.deleted_at) throw new TaskFailure('The organization is no longer merging')
    if (!survivor || survivor.deleted_at) throw new TaskFailure('The surviving organization is deleted')
    if (!isOperable(survivor.status)) throw new TaskFailure(errorTable.merge_survivor_status.error)
    if (tablesThatMove.some((table) => this.#holds(table, loser.id))) return null
    const moved = replaceSelectedOrganization(db, clock, loser, survivor.id)
    const fixups = { moved, dropped: 0 }
    const tables = { ...tally, __post_pass_fixups: fixups }
    const event = { id: randomUUIDv7(), summary: toJson({ tables, warnings }) }
    db.run(
      q.insertInto('org_merge_events').values({
        ...event,
        partner_id: loser.partner_id,
        loser_org_id: loser.id,
        loser_org_name: loser.name,
        survivor_org_id: survivor.id,
        actor_user_id: job.requestedBy,
        created_at: isoNow(clock),
      }),
    )
    const details = { loserOrgId: loser.id, loserName: loser.name, survivorId: survivor.id, mergeEventId: event.id }
    for (const orgId of [survivor.id, null]) audit(actor, aboutLoser(loser, 'org.merge.completed', { orgId, details }))
    this.retire(loser, 'org.merge.erasure_enqueued')
    db.afterCommit(() => live.organizationChanged(survivor.id))
    return this.#resultOf(job.id, event)
  }

  /** Deletes the empty loser and queues its erasure; its slug stays taken until then. */
  retire(loser: OrganizationRow, action: AuditAction): void {
    const { db, clock, audit, erasure } = this.#services
    const now = isoNow(clock)
    db.run(
      q
        .updateTable('organizations')
        .set({ deleted_at: loser.deleted_at ?? now, updated_at: now })
        .where('id', '=', loser.id),
    )
    erasure.enqueue(loser)
    audit(actor, aboutLoser(loser, action, { details: idsOf(loser) }))
  }

  /** Restores the former status of a fenced loser of which no row has moved. */
  unfence(loserId: string, action: AuditAction, reason: string): void {
    const { db, clock, audit, live } = this.#services
    const loser = findOrganization(db, loserId)
    if (!loser) return
    const isFenced = loser.status === 'merging' && !loser.deleted_at && !this.isFinal(loserId)
    if (isFenced && !this.#hasMoved(loserId))
      db.run(
        q
          .updateTable('organizations')
          .set({
            status: loser.merge_prior_status ?? 'suspended',
            merge_prior_status: null,
            updated_at: isoNow(clock),
          })
          .where('id', '=', loserId),
      )
    audit(actor, aboutLoser(loser, action, { details: { ...idsOf(loser), reason }, result: 'failure' }))
    db.afterCommit(() => live.organizationChanged(loserId))
  }

  #holds(table: string, orgId: string): boolean {
    return this.#services.db.statement(`SELECT 1 FROM ${table} WHERE org_id = +? LIMIT 1`).get(orgId) !== undefined
  }

  #hasMoved(loserId: string): boolean {
    const journaled = q
      .selectFrom('org_merge_undo')
      .innerJoin('tasks', 'tasks.id', 'org_merge_undo.job_id')
      .select('org_merge_undo.seq')
      .where('tasks.org_id', '=', loserId)
    return this.#services.db.first(journaled.limit(1)) !== undefined
  }

  #eventOf(loserId: string) {
    return this.#services.db.first(q.selectFrom('org_merge_events').selectAll().where('loser_org_id', '=', loserId))
  }

  #resultOf(jobId: string, { id, summary }: Pick<Selectable<OrgMergeEventTable>, 'id' | 'summary'>): MergeResult {
    const { tables, warnings } = fromJson(summary)
    return { tables, summary: tables, warnings, mergeEventId: id, jobId }
  }
}

const idsOf = (loser: OrganizationRow) => ({
  loserOrgId: loser.id,
  loserName: loser.name,
  partnerId: loser.partner_id,
})

const aboutLoser = (loser: OrganizationRow, action: AuditAction, event: Partial<AuditEvent>): AuditEvent => ({
  action,
  resourceType: 'organization',
  resourceId: loser.id,
  resourceName: loser.name,
  partnerId: loser.partner_id,
  ...event,
})
