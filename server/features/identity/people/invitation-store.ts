import type { Selectable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { AppError } from '../../../platform/errors.ts'
import type { TenantMembership, User } from '../store.ts'
import type { InvitationTable } from '../tables.ts'

/** A membership that was offered to an account that exists; nothing of it counts before its owner accepts. */
export type Invitation = Selectable<InvitationTable>

/** Open ones of an account, newest first, whether or not their tenants can be entered now. */
export const openInvitationsOf = (db: Database, userId: string, now: string): Invitation[] =>
  db.all(
    q
      .selectFrom('invitations')
      .selectAll()
      .where('user_id', '=', userId)
      .where('expires_at', '>', now)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc'),
  )

/** Only what was offered to this account and has not expired. */
export const findOpenInvitation = (db: Database, userId: string, id: string, now: string): Invitation | undefined =>
  openInvitationsOf(db, userId, now).find((one) => one.id === id)

/** The open one of an account to this tenant; `orgId` null for the company itself. */
export const findOfferAt = (
  db: Database,
  userId: string,
  { orgId, partnerId }: { orgId: string | null; partnerId: string | null },
  now: string,
): Invitation | undefined =>
  openInvitationsOf(db, userId, now).find((one) =>
    orgId === null ? one.org_id === null && one.partner_id === partnerId : one.org_id === orgId,
  )

export const isInvited = (db: Database, userId: string, partnerId: string, orgId: string | null): boolean =>
  db.first(
    q
      .selectFrom('invitations')
      .select('id')
      .where('user_id', '=', userId)
      .where('partner_id', '=', partnerId)
      .where('org_id', orgId === null ? 'is' : '=', orgId),
  ) !== undefined

/** What accepting makes of it. */
export function offeredMembership(invitation: Invitation): TenantMembership {
  const { id, user_id, partner_id, role_id, created_at, updated_at } = invitation
  const shared = { id, user_id, partner_id, role_id, created_at, updated_at }
  if (invitation.org_id === null) {
    const { org_access, org_ids } = invitation
    return { kind: 'partner', ...shared, org_access: org_access ?? 'none', org_ids }
  }
  const { org_id, site_ids, device_group_ids } = invitation
  return { kind: 'organization', ...shared, org_id, site_ids, device_group_ids }
}

/** What a list of people shows of an account. */
export type MemberAccount = Pick<
  User,
  | 'id'
  | 'email'
  | 'name'
  | 'status'
  | 'avatar_url'
  | 'is_platform_admin'
  | 'last_login_at'
  | 'mfa_enabled'
  | 'mfa_secret'
  | 'mfa_method'
  | 'phone_number'
  | 'phone_verified'
  | 'mfa_epoch'
  | 'mfa_enrollment_deadline'
  | 'mfa_enrollment_grace_granted_at'
  | 'mfa_reset_at'
>

/**
 * What an inviter sees in place of the account before it accepts: the same as if nobody had had that address. Nothing of
 * the real account shows, not even its id.
 */
export const unknownAccount = ({ id, email, name }: Invitation): MemberAccount => ({
  id,
  email,
  name,
  status: 'invited',
  avatar_url: null,
  is_platform_admin: 0,
  last_login_at: null,
  mfa_enabled: 0,
  mfa_secret: null,
  mfa_method: null,
  phone_number: null,
  phone_verified: 0,
  mfa_epoch: 1,
  mfa_enrollment_deadline: null,
  mfa_enrollment_grace_granted_at: null,
  mfa_reset_at: null,
})

/**
 * Makes the offered membership, as old as its acceptance, under the id of the invitation. Inside the transaction of what
 * its owner proved themselves by.
 * @throws AppError `user_in_scope` for somebody who became a member there meanwhile
 */
export function acceptOffer(db: Database, invitation: Invitation, now: string): TenantMembership {
  const membership = { ...offeredMembership(invitation), created_at: now, updated_at: now }
  if (findHeld(db, membership)) throw new AppError('user_in_scope')
  dropInvitation(db, invitation.id)
  if (membership.kind === 'partner') {
    const { kind: _, ...row } = membership
    db.run(q.insertInto('partner_users').values(row))
  } else {
    const { kind: _, partner_id: __, ...row } = membership
    db.run(q.insertInto('organization_users').values(row))
  }
  return membership
}

/**
 * Turns the memberships that wait for an account which was never used into invitations: its owner makes the account by
 * another link, and has accepted only what that one offers.
 */
export function offerInstead(db: Database, { id: userId, email, name }: User, now: string, expiresAt: string): void {
  const shared = { user_id: userId, email, name, expires_at: expiresAt, created_at: now, updated_at: now }
  for (const { id, partner_id, role_id, org_access, org_ids, inviter_name } of db.all(
    q
      .selectFrom('partner_users')
      .innerJoin('partners', 'partners.id', 'partner_users.partner_id')
      .selectAll('partner_users')
      .select('partners.name as inviter_name')
      .where('user_id', '=', userId),
  )) {
    db.run(q.deleteFrom('partner_users').where('id', '=', id))
    db.run(
      q.insertInto('invitations').values({ id, partner_id, role_id, org_access, org_ids, inviter_name, ...shared }),
    )
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
    db.run(q.deleteFrom('organization_users').where('id', '=', id))
    db.run(q.insertInto('invitations').values({ id, partner_id, org_id, role_id, inviter_name, ...reach, ...shared }))
  }
}

export const dropInvitation = (db: Database, id: string): void =>
  void db.run(q.deleteFrom('invitations').where('id', '=', id))

/** The membership that somebody has already in the tenant they are invited to; a merge brings that about. */
export const findHeld = (db: Database, membership: TenantMembership): { id: string } | undefined =>
  db.first(
    membership.kind === 'partner'
      ? q
          .selectFrom('partner_users')
          .select('id')
          .where('partner_id', '=', membership.partner_id)
          .where('user_id', '=', membership.user_id)
      : q
          .selectFrom('organization_users')
          .select('id')
          .where('org_id', '=', membership.org_id)
          .where('user_id', '=', membership.user_id),
  )
