import type { Database } from '../../db/database.ts'
import { isOperable } from '../../db/org-status.ts'
import { q } from '../../db/query.ts'
import type { OrganizationRow } from '../organizations/index.ts'

/** What an organization may be merged away from; the column that remembers it takes nothing else. */
export type PriorStatus = 'active' | 'trial' | 'suspended'
const isMergeable = (status: string): status is PriorStatus => ['active', 'trial', 'suspended'].includes(status)

/** Deleted ones too: a merge says so. */
export const findOrganization = (db: Database, id: string): OrganizationRow | undefined =>
  db.first(q.selectFrom('organizations').selectAll().where('id', '=', id))

/** Why one can not be merged into the other, in words for people; null when it can. */
export function objectionTo(loser: OrganizationRow, survivor: OrganizationRow): string | null {
  if (loser.id === survivor.id) return 'An organization can not be merged into itself'
  if (loser.deleted_at) return 'The organization to be merged away is deleted'
  if (survivor.deleted_at) return 'The surviving organization is deleted'
  if (!isMergeable(loser.status)) return `An organization can not be merged away while it is ${loser.status}`
  if (loser.unsettled !== null) return 'Its devices do not follow its last change of status yet; try again in a moment'
  return objectionToSurvivor(survivor)
}

export const objectionToSurvivor = ({ status }: OrganizationRow): string | null =>
  isOperable(status) ? null : `Nothing can be merged into an organization that is ${status}`
