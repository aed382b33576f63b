import type { ErrorCode } from '../../../shared/errors/index.ts'
import type { Database } from '../../db/database.ts'
import { isOperable } from '../../db/org-status.ts'
import { q } from '../../db/query.ts'
import type { OrganizationRow } from '../organization-access/index.ts'

/** What an organization may be merged away from; the column that remembers it takes nothing else. */
export type PriorStatus = 'active' | 'trial' | 'suspended'
export const isMergeable = (status: string): status is PriorStatus => ['active', 'trial', 'suspended'].includes(status)

/** Deleted ones too: a merge under way tells what has become of them. */
export const findOrganization = (db: Database, id: string): OrganizationRow | undefined =>
  db.first(q.selectFrom('organizations').selectAll().where('id', '=', id))

/** One that nobody has deleted. */
export function findLiveOrganization(db: Database, id: string): OrganizationRow | undefined {
  const org = findOrganization(db, id)
  return org?.deleted_at === null ? org : undefined
}

/** Why one can not be merged into the other; null when it can. */
export function objectionTo(loser: OrganizationRow, survivor: OrganizationRow): ErrorCode | null {
  if (loser.id === survivor.id) return 'merge_into_itself'
  if (!isMergeable(loser.status)) return 'merge_loser_status'
  if (!isOperable(survivor.status)) return 'merge_survivor_status'
  return loser.unsettled === null ? null : 'merge_unsettled'
}
