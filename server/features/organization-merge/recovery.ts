import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, hour } from '../../platform/clock.ts'
import type { Tasks } from '../../platform/tasks/index.ts'
import { erasureJobId, type SweepStep, sweepStep } from '../lifecycle/index.ts'
import type { OrganizationRow } from '../organization-access/index.ts'
import type { MergeEnd } from './merge-end.ts'
import { type MergeJob, type MergeQueue, mergeJobId } from './merge-job.ts'

interface RecoveryServices {
  db: Database
  clock: Clock
  tasks: Tasks
  queue: MergeQueue
  work: MergeJob
  end: MergeEnd
}

/** How often the erasure of a shell is tried that has failed. */
const eraseAgainAfterMs = hour

/**
 * Organizations that are `merging` while nobody works on it: there is one process, so a job that is not open is not
 * alive, and none of them has to be left alone for a while first.
 */
export const mergeRecovery = (services: RecoveryServices): SweepStep =>
  sweepStep({
    name: 'merge',
    due: () => stranded(services),
    run: (org, signal) => recover(services, org, signal),
  })

function stranded({ db, clock, tasks }: RecoveryServices): OrganizationRow[] {
  const isDue = ({ id, deleted_at, updated_at }: OrganizationRow) =>
    !tasks.isOpen(mergeJobId(id)) &&
    (deleted_at === null ||
      (!tasks.isOpen(erasureJobId(id)) && Date.parse(updated_at) + eraseAgainAfterMs <= clock.now()))
  return db.all(q.selectFrom('organizations').selectAll().where('status', '=', 'merging')).filter(isDue)
}

async function recover(
  { db, queue, work, end }: RecoveryServices,
  org: OrganizationRow,
  signal: AbortSignal,
): Promise<void> {
  if (org.deleted_at) return db.transaction(() => end.retire(org, 'org.merge.erasure_enqueued'))
  // Once there is an event the rows are the survivor's; there is no way back.
  if (end.isFinal(org.id)) return db.transaction(() => end.retire(org, 'org.merge.stamped_by_sweeper'))
  const job = queue.find(mergeJobId(org.id))
  if (job) await work.undo(job, signal)
  db.transaction(() => {
    end.unfence(org.id, 'org.merge.unfenced_by_sweeper', 'nobody was at work on it')
  })
}
