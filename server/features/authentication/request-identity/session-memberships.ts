import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { TenantMembership } from '../../access/index.ts'
import type { Session } from '../sessions/store.ts'

/**
 * The membership a session was begun for or has moved to, whether or not its tenant is open; none once it was removed.
 * Sessions older than multiple memberships do not name one: for these, all memberships of the user.
 */
export function sessionMemberships(
  db: Database,
  { membership_id: id, user_id }: Pick<Session, 'membership_id' | 'user_id'>,
): TenantMembership[] {
  const ofPartners = db.all(
    q
      .selectFrom('partner_users')
      .selectAll()
      .where('user_id', '=', user_id)
      .$if(id !== null, (query) => query.where('id', '=', id)),
  )
  const ofOrganizations = db.all(
    q
      .selectFrom('organization_users')
      .innerJoin('organizations', 'organizations.id', 'organization_users.org_id')
      .selectAll('organization_users')
      .select('organizations.partner_id')
      .where('user_id', '=', user_id)
      .$if(id !== null, (query) => query.where('organization_users.id', '=', id)),
  )
  return [
    ...ofPartners.map((row) => ({ kind: 'partner' as const, ...row })),
    ...ofOrganizations.map((row) => ({ kind: 'organization' as const, ...row })),
  ]
}
