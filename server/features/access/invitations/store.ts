import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { TenantMembership } from '../memberships/membership.ts'
import type { InvitationTable } from '../tables.ts'

/** A membership offered to an existing account; it grants nothing before the owner of the account accepts. */
export type Invitation = Selectable<InvitationTable>

/** How long an invitation and the link to it are good. */
export const invitationLifeSeconds = 7 * 24 * 3600

/** Invitations of an account that have not expired, newest first, whether or not their tenants are open now. */
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

export const findOpenInvitation = (db: Database, userId: string, id: string, now: string): Invitation | undefined =>
  openInvitationsOf(db, userId, now).find((one) => one.id === id)

/** The open invitation of an account to this tenant; `orgId` null for the partner itself. */
export const findInvitationTo = (
  db: Database,
  userId: string,
  { orgId, partnerId }: { orgId: string | null; partnerId: string | null },
  now: string,
): Invitation | undefined =>
  openInvitationsOf(db, userId, now).find((one) =>
    orgId === null ? one.org_id === null && one.partner_id === partnerId : one.org_id === orgId,
  )

/** Whether an account has an invitation to this tenant, expired ones included. */
export const isInvited = (db: Database, userId: string, partnerId: string, orgId: string | null): boolean =>
  db.first(
    q
      .selectFrom('invitations')
      .select('id')
      .where('user_id', '=', userId)
      .where('partner_id', '=', partnerId)
      .where('org_id', orgId === null ? 'is' : '=', orgId),
  ) !== undefined

/** The membership that accepting the invitation would make. */
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

export const insertInvitation = (db: Database, invitation: Insertable<InvitationTable>): void =>
  void db.run(q.insertInto('invitations').values(invitation))

export const updateInvitation = (db: Database, id: string, change: Updateable<InvitationTable>): void =>
  void db.run(q.updateTable('invitations').set(change).where('id', '=', id))

export const deleteInvitation = (db: Database, id: string): void =>
  void db.run(q.deleteFrom('invitations').where('id', '=', id))
