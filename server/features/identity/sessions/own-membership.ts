import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Session, TenantMembership } from '../store.ts'

/** What a session was begun for or has gone over to, whether or not it is open; undefined once it is no more. */
export function findOwnMembership(
  db: Database,
  { membership_id, user_id }: Pick<Session, 'membership_id' | 'user_id'>,
): TenantMembership | undefined {
  if (membership_id === null) return undefined
  const ofPartner = db.first(
    q.selectFrom('partner_users').selectAll().where('id', '=', membership_id).where('user_id', '=', user_id),
  )
  if (ofPartner) return { kind: 'partner', ...ofPartner }
  const ofOrganization = db.first(
    q
      .selectFrom('organization_users')
      .innerJoin('organizations', 'organizations.id', 'organization_users.org_id')
      .selectAll('organization_users')
      .select('organizations.partner_id')
      .where('organization_users.id', '=', membership_id)
      .where('user_id', '=', user_id),
  )
  return ofOrganization && { kind: 'organization', ...ofOrganization }
}
