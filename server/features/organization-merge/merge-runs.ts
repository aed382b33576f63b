import { sql } from 'kysely'
import type { MergeRun } from '../../../shared/api/organization-merge.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, day, iso } from '../../platform/clock.ts'
import { tenantTaskState } from '../lifecycle/index.ts'

/** How long one that is over is still told of. */
const shownMs = 7 * day

/** Those of a partner that are not over, or not for long; newest first. The loser of one may be gone already. */
export function recentRuns(db: Database, clock: Clock, partnerId: string | null): MergeRun[] {
  const runs = db.all(
    q
      .selectFrom('tasks as job')
      .innerJoin('organizations as survivor', (join) =>
        join.on('survivor.id', '=', sql<string>`job.input ->> 'survivorId'`),
      )
      .leftJoin('organizations as loser', 'loser.id', 'job.org_id')
      .leftJoin('org_merge_events as event', 'event.loser_org_id', 'job.org_id')
      .leftJoin('tasks as erasure', (join) =>
        join.onRef('erasure.org_id', '=', 'job.org_id').on('erasure.kind', '=', 'organization.erase'),
      )
      .select([
        'job.id as jobId',
        sql<string>`job.org_id`.as('loserId'),
        sql<string>`coalesce(loser.name, event.loser_org_name, '')`.as('loserName'),
        sql<string | null>`coalesce(loser.slug, erasure.input ->> 'orgSlug')`.as('loserSlug'),
        'survivor.id as survivorId',
        'survivor.name as survivorName',
        'survivor.slug as survivorSlug',
        'job.state',
        'job.created_at as createdAt',
        'job.finished_at as finishedAt',
      ])
      .where('job.kind', '=', 'organization.merge')
      .where('job.partner_id', '=', partnerId)
      .where(({ or, eb }) =>
        or([eb('job.finished_at', 'is', null), eb('job.finished_at', '>', iso(clock.now() - shownMs))]),
      )
      .orderBy('job.created_at', 'desc')
      .orderBy('job.id'),
  )
  return runs.map((run) => ({ ...run, state: tenantTaskState(run.state) }))
}
