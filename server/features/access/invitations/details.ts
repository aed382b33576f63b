import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { MembershipDetails } from '../memberships/details.ts'
import { isEnterable } from '../memberships/usable.ts'
import type { Invitation } from './store.ts'

/** The membership an invitation offers, as details of a membership; undefined where its tenant was deleted. */
export function invitationDetails(db: Database, invitation: Invitation): MembershipDetails | undefined {
  const { id, partner_id, org_id, role_id, created_at: createdAt, updated_at: updatedAt } = invitation
  const named = db.first(
    q
      .selectFrom('partners')
      .innerJoin('roles', (join) => join.on('roles.id', '=', role_id))
      .leftJoin('organizations', (join) =>
        join.on('organizations.id', '=', org_id).on('organizations.deleted_at', 'is', null),
      )
      .select(['partners.name as partnerName', 'organizations.name as orgName', 'roles.name as roleName'])
      .where('partners.id', '=', partner_id)
      .where('partners.deleted_at', 'is', null),
  )
  if (!named || (org_id !== null && named.orgName === null)) return undefined
  const scope = org_id === null ? 'partner' : 'organization'
  const isUsable = isEnterable(db, partner_id, org_id)
  return { id, scope, partnerId: partner_id, orgId: org_id, ...named, isUsable, createdAt, updatedAt }
}
