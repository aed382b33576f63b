import { setTimeout } from 'node:timers/promises'
import type { MergeProgress, MergeResult } from '../../../shared/api/organization-merge.ts'
import { closeCode } from '../../../shared/device/socket.ts'
import { errorTable } from '../../../shared/errors/index.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces } from '../../lib/pieces.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import type { Log } from '../../platform/log.ts'
import { type Task, type TaskContext, TaskFailure, type TaskQueue } from '../../platform/tasks/index.ts'
import { endSessionsOf } from '../authentication/index.ts'
import type { Connections } from '../device-connections/index.ts'
import { removeForeignMemberships } from '../device-groups/index.ts'
import { tenantOf } from '../lifecycle/index.ts'
import { Journal, type Parties } from './journal.ts'
import type { MergeEnd } from './merge-end.ts'
import { findLiveOrganization, findOrganization, isMergeable, objectionTo } from './pair.ts'
import { performerProblem } from './performer.ts'
import { previewOf } from './preview.ts'
import { stepsOf, tablesThatMove } from './steps.ts'

/** As the run says it and the audit log. */
export const interrupted = 'The appliance was restarted during the merge'

const organizationGone = 'One of the organizations is gone'

export const mergeJobId = (loserId: string): string => `org-merge-${loserId}`

interface MergeInput {
  survivorId: string
}
export type MergeTask = Task<MergeInput, MergeProgress, MergeResult>
export type MergeQueue = TaskQueue<MergeInput, MergeProgress, MergeResult>

interface MergeJobServices {
  db: Database
  clock: Clock
  log: Log
  live: LiveEvents
  connections: Connections
  end: MergeEnd
  fenceDrainMs: number
}

type Report = (progress: MergeProgress) => void
type Tally = MergeResult['tables']

/**
 * One merge, from fencing the loser to its end. SQLite has one writer, so rows move in small transactions between which
 * other requests run; their former values are journaled until the last transaction, which makes the merge final.
 */
export class MergeJob {
  readonly #services: MergeJobServices

  constructor(services: MergeJobServices) {
    this.#services = services
  }

  async run(job: MergeTask, { progress: report, signal }: TaskContext<MergeProgress>): Promise<MergeResult> {
    const { end, log } = this.#services
    const parties = this.#partiesOf(job)
    const journal = new Journal(this.#services.db, parties)
    // A merge that became final stays; one that a crash cut off before is undone.
    const done = end.resultOf(job) ?? (await this.#fresh(job, parties, journal, report, signal))
    await this.#inPieces(signal, (maxRows) => journal.forget(maxRows)).catch((error) => {
      if (signal.aborted) throw error
      log.warn({ err: error, job: job.id }, 'A merge is complete, but not what it kept for taking it back')
    })
    return done
  }

  /** Takes back whatever a failed merge has moved; it may be left at any point and begun anew. */
  async undo(job: MergeTask, signal: AbortSignal, report: Report = () => {}): Promise<void> {
    const { db } = this.#services
    const parties = this.#partiesOf(job)
    const journal = new Journal(db, parties)
    const totalRows = journal.size
    let movedRows = totalRows
    await this.#inPieces(signal, (maxRows) => {
      const rows = journal.undo(maxRows)
      movedRows -= rows
      if (rows > 0) report({ phase: 'undoing', movedRows, totalRows })
      return rows
    })
    await this.#inPieces(signal, (maxRows) => removeForeignMemberships(db, [parties.loser, parties.survivor], maxRows))
  }

  async #fresh(job: MergeTask, parties: Parties, journal: Journal, report: Report, signal: AbortSignal) {
    try {
      if (job.attempts > 1) throw new TaskFailure(interrupted)
      return await this.#merge(job, parties, journal, report, signal)
    } catch (error) {
      if (!signal.aborted) await this.undo(job, signal, report)
      throw error
    }
  }

  async #merge(job: MergeTask, parties: Parties, journal: Journal, report: Report, signal: AbortSignal) {
    const { db, end, fenceDrainMs } = this.#services
    this.#fence(job, parties, report)
    await this.#closeSockets(parties.loser, signal)
    await setTimeout(fenceDrainMs, undefined, { signal })
    const loser = findOrganization(db, parties.loser)
    if (!loser) throw new TaskFailure(organizationGone)
    const { tables, warnings } = await previewOf(db, loser, parties, 0)
    const totalRows = tables.reduce(
      (sum, { policy, loserRows }) => sum + (policy === 'leave-for-erasure' ? 0 : loserRows),
      0,
    )
    const tally: Tally = {}
    report({ phase: 'moving', movedRows: 0, totalRows })
    for (;;) {
      await this.#move(journal, tally, totalRows, report, signal)
      const result = db.transaction(() => end.complete(job, parties, tally, warnings))
      if (result) return result
    }
  }

  #fence(job: MergeTask, { loser: loserId, survivor: survivorId, now }: Parties, report: Report): void {
    const { db, clock, live } = this.#services
    db.transaction(() => {
      const [loser, survivor] = [findLiveOrganization(db, loserId), findLiveOrganization(db, survivorId)]
      if (!loser || !survivor) throw new TaskFailure(organizationGone)
      const problem = performerProblem(db, job.requestedBy ?? '', tenantOf(job).partnerId, [loserId, survivorId])
      if (problem) throw new TaskFailure(problem)
      const objection = objectionTo(loser, survivor)
      if (objection) throw new TaskFailure(errorTable[objection].error)
      const { status } = loser
      if (!isMergeable(status)) throw new TaskFailure(errorTable.merge_loser_status.error)
      db.run(
        q
          .updateTable('organizations')
          .set({ status: 'merging', merge_prior_status: status, updated_at: now })
          .where('id', '=', loserId),
      )
      endSessionsOf(db, clock, { kind: 'organization', id: loserId }, 'tenant-merging')
      report({ phase: 'fencing', movedRows: 0, totalRows: 0 })
      db.afterCommit(() => live.organizationChanged(loserId))
    })
  }

  /** The agents reconnect under the survivor; until then they are refused. */
  async #closeSockets(loserId: string, signal: AbortSignal): Promise<void> {
    const { db, connections } = this.#services
    const orgOf = db.statement('SELECT org_id FROM devices WHERE id = ?').pluck()
    const left = [...connections]
    await inPieces(signal, (maxRows) => {
      const some = left.splice(-maxRows)
      for (const [deviceId, connection] of some)
        if (orgOf.get(deviceId) === loserId) connection.close(closeCode.moved, 'the organization is being merged')
      return some.length
    })
  }

  async #move(journal: Journal, tally: Tally, totalRows: number, report: Report, signal: AbortSignal): Promise<void> {
    let movedRows = 0
    for (const table of tablesThatMove)
      for (const { outcome, run } of stepsOf(table))
        await this.#inPieces(signal, (maxRows) => {
          const rows = run(journal, maxRows)
          if (rows === 0 || outcome === 'changed') return rows
          tally[table] ??= { moved: 0, dropped: 0 }
          tally[table][outcome] += rows
          movedRows += rows
          report({ phase: 'moving', movedRows, totalRows })
          return rows
        })
  }

  /** Between two pieces a device may be in another organization than its site. */
  #inPieces(signal: AbortSignal, step: (maxRows: number) => number): Promise<number> {
    const { db } = this.#services
    return inPieces(signal, (maxRows) => db.transactionUnchecked(() => step(maxRows)))
  }

  #partiesOf(job: MergeTask): Parties {
    return {
      job: job.id,
      loser: tenantOf(job).orgId,
      survivor: job.input.survivorId,
      now: isoNow(this.#services.clock),
    }
  }
}
