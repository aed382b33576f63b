import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { AppError } from '../../../platform/errors.ts'
import type { TenantMembership } from '../memberships/membership.ts'
import { deleteMembership, findExistingMembership, insertMembership } from '../memberships/store.ts'
import type { User } from '../users/store.ts'
import { deleteInvitation, type Invitation, insertInvitation, offeredMembership } from './store.ts'

/**
 * Turns an invitation into a membership with the same id. Call it inside the transaction in which the owner of the
 * account is authenticated.
 * @throws AppError `user_in_scope` for a user who became a member there meanwhile
 */
export function acceptInvitation(db: Database, invitation: Invitation, now: string): TenantMembership {
  const membership = { ...offeredMembership(invitation), created_at: now, updated_at: now }
  if (findExistingMembership(db, membership)) throw new AppError('user_in_scope')
  deleteInvitation(db, invitation.id)
  insertMembership(db, membership)
  return membership
}

/**
 * Turns the memberships of an account that was never used back into invitations. Its owner activates the account by the
 * link of one tenant, and so accepts only what that tenant offers.
 */
export function turnMembershipsIntoInvitations(
  db: Database,
  { id: userId, email, name }: User,
  now: string,
  expiresAt: string,
): void {
  const shared = { user_id: userId, email, name, expires_at: expiresAt, created_at: now, updated_at: now }
  for (const { id, partner_id, role_id, org_access, org_ids, inviter_name } of db.all(
    q
      .selectFrom('partner_users')
      .innerJoin('partners', 'partners.id', 'partner_users.partner_id')
      .selectAll('partner_users')
      .select('partners.name as inviter_name')
      .where('user_id', '=', userId),
  )) {
    deleteMembership(db, { kind: 'partner', id })
    insertInvitation(db, { id, partner_id, role_id, org_access, org_ids, inviter_name, ...shared })
  }
  for (const { id, partner_id, org_id, role_id, site_ids, device_group_ids, inviter_name } of db.all(
    q
      .selectFrom('organization_users')
      .innerJoin('organizations', 'organizations.id', 'organization_users.org_id')
      .selectAll('organization_users')
      .select(['organizations.partner_id', 'organizations.name as inviter_name'])
      .where('user_id', '=', userId),
  )) {
    const reach = { site_ids, device_group_ids }
    deleteMembership(db, { kind: 'organization', id })
    insertInvitation(db, { id, partner_id, org_id, role_id, inviter_name, ...reach, ...shared })
  }
}
