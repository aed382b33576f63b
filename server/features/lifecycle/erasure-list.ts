import { type NotNull, sql } from 'kysely'
import type { ErasureView } from '../../../shared/api/lifecycle.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type Clock, day, iso } from '../../platform/clock.ts'
import { type TaskRow, taskOf } from '../../platform/tasks/index.ts'
import type { ErasureTask } from './erasure.ts'
import { tenantOf, tenantTaskState } from './tenant-tasks.ts'

/** How long a finished erasure is listed. */
const shownMs = 7 * day

/** What was deleted of the actor's organizations, newest first. They themselves are hidden, or gone. */
export function listErasures(db: Database, clock: Clock, actor: UserActor): ErasureView[] {
  const since = iso(clock.now() - shownMs)
  return [...erased(db, actor, since), ...deletedOnly(db, actor, since)].sort(
    (one, other) => other.createdAt.localeCompare(one.createdAt) || one.orgId.localeCompare(other.orgId),
  )
}

function erased(db: Database, actor: UserActor, since: string): ErasureView[] {
  const tasks = q
    .selectFrom('tasks as task')
    .leftJoin('org_merge_events as merge', 'merge.loser_org_id', 'task.org_id')
    .leftJoin('organizations as survivor', 'survivor.id', 'merge.survivor_org_id')
    .selectAll('task')
    .select([
      'survivor.id as survivor_id',
      'survivor.name as survivor_name',
      'survivor.slug as survivor_slug',
      'merge.created_at as merged_at',
    ])
    .where('task.kind', '=', 'organization.erase')
    .where(({ or, eb }) => or([eb('task.state', '<>', 'completed'), eb('task.finished_at', '>', since)]))
  return db
    .all(actor.scope === 'system' ? tasks : tasks.where(isOf(actor, 'task.partner_id', 'task.org_id')))
    .map(erasureView)
}

/** Organizations that were deleted and not erased. */
function deletedOnly(db: Database, actor: UserActor, since: string): ErasureView[] {
  const rows = q
    .selectFrom('organizations')
    .select(['id', 'name', 'slug', 'partner_id', 'deleted_at'])
    .where('deleted_at', '>', since)
    .$narrowType<{ deleted_at: NotNull }>()
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('tasks')
            .select('id')
            .whereRef('tasks.org_id', '=', 'organizations.id')
            .where('kind', '=', 'organization.erase'),
        ),
      ),
    )
  return db
    .all(actor.scope === 'system' ? rows : rows.where(isOf(actor, 'organizations.partner_id', 'organizations.id')))
    .map(({ id, name, slug, partner_id, deleted_at }) => ({
      orgId: id,
      orgName: name,
      orgSlug: slug,
      partnerId: partner_id,
      state: 'completed',
      done: 0,
      total: null,
      createdAt: deleted_at,
      finishedAt: deleted_at,
      isKept: true,
      mergedInto: null,
    }))
}

/** Of the partner, and among the organizations somebody was granted: once it is gone, that is all or nothing. */
function isOf({ partnerId, userId, orgAccess }: UserActor, partnerColumn: string, orgColumn: string) {
  if (orgAccess === 'all') return sql<boolean>`${sql.ref(partnerColumn)} = ${partnerId}`
  return sql<boolean>`${sql.ref(partnerColumn)} = ${partnerId} and ${orgAccess} = 'selected' and ${sql.ref(orgColumn)} in (
    select value from partner_users, json_each(partner_users.org_ids)
    where partner_users.user_id = ${userId} and partner_users.partner_id = ${partnerId})`
}

interface Merged {
  survivor_id: string | null
  survivor_name: string | null
  survivor_slug: string | null
  merged_at: string | null
}

function erasureView({
  survivor_id: id,
  survivor_name: name,
  survivor_slug: slug,
  merged_at: at,
  ...row
}: TaskRow & Merged): ErasureView {
  const task: ErasureTask = taskOf(row)
  const { orgName, orgSlug } = task.input
  const isMerged = id !== null && name !== null && slug !== null && at !== null
  return {
    ...tenantOf(task),
    orgName,
    orgSlug: orgSlug ?? null,
    state: tenantTaskState(task.state),
    done: task.progress?.done ?? 0,
    total: task.progress?.total ?? null,
    createdAt: task.createdAt,
    finishedAt: task.finishedAt,
    isKept: false,
    mergedInto: isMerged ? { id, name, slug, at } : null,
  }
}
