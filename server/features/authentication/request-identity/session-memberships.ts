import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Session, TenantMembership } from '../../access/users/store.ts'

/**
 * What a session was begun for or has gone over to, whether or not it is open; none once it is no more. Sessions from
 * before several memberships were possible do not say which of their user's it is.
 */
export function ownMemberships(
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
