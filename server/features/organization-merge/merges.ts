import type { MergePreview, MergeRun, mergeOrganization } from '../../../shared/api/organization-merge.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Tasks } from '../../platform/tasks/index.ts'
import { tenantTaskState } from '../lifecycle/index.ts'
import { assertNoMergeInto, isGranted, type OrganizationRow } from '../organization-access/index.ts'
import { type MergeQueue, type MergeTask, mergeJobId } from './merge-job.ts'
import { recentRuns } from './merge-runs.ts'
import { findLiveOrganization, objectionTo } from './pair.ts'
import { previewOf } from './preview.ts'

interface MergeServices {
  db: Database
  clock: Clock
  audit: Audit
  tasks: Tasks
  queue: MergeQueue
  maxRows: number
}

type MergeRequest = BodyOf<typeof mergeOrganization>

/** What people ask of merges; the work itself is a `MergeJob`. */
export class Merges {
  readonly #services: MergeServices

  constructor(services: MergeServices) {
    this.#services = services
  }

  preview(actor: UserActor, loserId: string, wanted: MergeRequest): Promise<MergePreview> {
    const { loser, survivor } = this.#pairFor(actor, loserId, wanted.survivorId)
    this.#assertMergeable(loser, survivor)
    return this.#preview(loser, survivor)
  }

  /** Answers with the merge under way when there is one. */
  async start(actor: UserActor, loserId: string, wanted: MergeRequest): Promise<{ jobId: string }> {
    const jobId = mergeJobId(loserId)
    const { loser, survivor, isUnderWay } = this.#askedFor(actor, loserId, wanted)
    if (isUnderWay) return { jobId }
    const { verdict, totalMovableRows } = await this.#preview(loser, survivor)
    if (verdict === 'too-large') throw new AppError('ORG_MERGE_TOO_LARGE', { totalMovableRows })
    this.#services.db.transaction(() => {
      // Other requests ran while rows were counted.
      const asked = this.#askedFor(actor, loserId, wanted)
      if (!asked.isUnderWay) this.#enqueue(actor, asked.loser, asked.survivor)
    })
    return { jobId }
  }

  read(actor: UserActor, jobId: string) {
    const job = this.#services.queue.find(jobId)
    if (!job || job.partnerId !== actor.partnerId || !this.#mayRead(actor, job))
      throw new AppError('merge_run_not_found')
    const { state, progress, result, error } = job
    return {
      state: tenantTaskState(state),
      ...(progress && { progress }),
      ...(result && { result }),
      ...(error !== null && { failedReason: error }),
    }
  }

  list(actor: UserActor): MergeRun[] {
    const { db, clock } = this.#services
    return recentRuns(db, clock, actor.partnerId).filter(
      ({ survivorId }) => actor.orgAccess === 'all' || isGranted(db, actor, { id: survivorId }),
    )
  }

  /** A user who sees only some organizations sees the merges between those. */
  #mayRead(actor: UserActor, job: MergeTask): boolean {
    return actor.orgAccess === 'all' || isGranted(this.#services.db, actor, { id: job.input.survivorId })
  }

  #enqueue(actor: UserActor, loser: OrganizationRow, survivor: OrganizationRow): void {
    const { audit, queue } = this.#services
    const [jobId, partnerId] = [mergeJobId(loser.id), loser.partner_id]
    queue.add({
      id: jobId,
      orgId: loser.id,
      partnerId,
      requestedBy: actor.userId,
      input: { survivorId: survivor.id },
    })
    audit(actor, {
      action: 'org.merge.requested',
      resourceType: 'organization',
      resourceId: loser.id,
      resourceName: loser.name,
      orgId: survivor.id,
      partnerId,
      details: { survivorId: survivor.id, survivorName: survivor.name, partnerId, jobId },
    })
  }

  /** Every refusal but that for the size; clients rely on their order. */
  #askedFor(actor: UserActor, loserId: string, { survivorId, confirmName }: MergeRequest) {
    const { loser, survivor } = this.#pairFor(actor, loserId, survivorId)
    if (confirmName !== undefined && confirmName !== loser.name) throw new AppError('merge_name_mismatch')
    const isUnderWay = this.#services.tasks.isOpen(mergeJobId(loser.id))
    if (!isUnderWay) this.#assertMergeable(loser, survivor)
    return { loser, survivor, isUnderWay }
  }

  #pairFor(actor: UserActor, loserId: string, survivorId: string) {
    if (!actor.partnerId) throw new AppError('partner_required_to_merge')
    const { db } = this.#services
    const [loser, survivor] = [findLiveOrganization(db, loserId), findLiveOrganization(db, survivorId)]
    if (!loser || !isGranted(db, actor, loser)) throw new AppError('organization_not_found')
    if (!survivor || !isGranted(db, actor, survivor)) throw new AppError('survivor_not_found')
    return { loser, survivor }
  }

  #assertMergeable(loser: OrganizationRow, survivor: OrganizationRow): void {
    const objection = objectionTo(loser, survivor)
    if (objection) throw new AppError(objection)
    assertNoMergeInto(this.#services.db, loser)
    if (this.#services.tasks.isOpen(mergeJobId(survivor.id))) throw new AppError('merge_survivor_leaving')
  }

  #preview(loser: OrganizationRow, survivor: OrganizationRow): Promise<MergePreview> {
    const { db, clock, maxRows } = this.#services
    const pair = { loser: loser.id, survivor: survivor.id, now: isoNow(clock) }
    return previewOf(db, loser, pair, maxRows)
  }
}
