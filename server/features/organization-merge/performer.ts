import { z } from 'zod'
import { grantAllows } from '../../../shared/permissions.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { findGrants } from '../access/index.ts'

export type PerformerProblem =
  | 'performer_not_found'
  | 'performer_inactive'
  | 'performer_not_in_partner'
  | 'performer_lacks_permission'
  | 'performer_lacks_org_access'

const ids = z.array(z.string())

/** A merge may wait its turn: the user who asked for it must still be allowed to when it begins. */
export function performerProblem(
  db: Database,
  userId: string,
  partnerId: string,
  orgIds: readonly string[],
): PerformerProblem | null {
  const user = db.first(q.selectFrom('users').select('status').where('id', '=', userId))
  if (!user) return 'performer_not_found'
  if (user.status !== 'active') return 'performer_inactive'
  const membership = db.first(
    q.selectFrom('partner_users').selectAll().where('user_id', '=', userId).where('partner_id', '=', partnerId),
  )
  if (!membership) return 'performer_not_in_partner'
  if (!findGrants(db, membership.role_id).some((grant) => grantAllows(grant, 'organizations:write')))
    return 'performer_lacks_permission'
  const selected = new Set(ids.parse(JSON.parse(membership.org_ids ?? '[]')))
  const reaches = (id: string) =>
    membership.org_access === 'all' || (membership.org_access === 'selected' && selected.has(id))
  return orgIds.every(reaches) ? null : 'performer_lacks_org_access'
}
