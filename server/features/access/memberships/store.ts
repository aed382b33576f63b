import type { Insertable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { OrganizationUserTable, PartnerUserTable } from '../tables.ts'
import type { TenantMembership } from './membership.ts'

export const insertPartnerMembership = (db: Database, row: Insertable<PartnerUserTable>): void =>
  void db.run(q.insertInto('partner_users').values(row))

export const insertOrganizationMembership = (db: Database, row: Insertable<OrganizationUserTable>): void =>
  void db.run(q.insertInto('organization_users').values(row))

export function insertMembership(db: Database, membership: TenantMembership): void {
  if (membership.kind === 'partner') {
    const { kind: _, ...row } = membership
    insertPartnerMembership(db, row)
  } else {
    const { kind: _, partner_id: __, ...row } = membership
    insertOrganizationMembership(db, row)
  }
}

/** Saves role and reach of a membership; the rest of a membership never changes. */
export function saveMembership(db: Database, membership: TenantMembership, now: string): void {
  const role = { role_id: membership.role_id, updated_at: now }
  if (membership.kind === 'partner') {
    const { org_access, org_ids } = membership
    db.run(
      q
        .updateTable('partner_users')
        .set({ ...role, org_access, org_ids })
        .where('id', '=', membership.id),
    )
  } else {
    const { site_ids, device_group_ids } = membership
    db.run(
      q
        .updateTable('organization_users')
        .set({ ...role, site_ids, device_group_ids })
        .where('id', '=', membership.id),
    )
  }
}

export const deleteMembership = (db: Database, { kind, id }: Pick<TenantMembership, 'kind' | 'id'>): void =>
  void db.run(q.deleteFrom(kind === 'partner' ? 'partner_users' : 'organization_users').where('id', '=', id))

/** The membership that a user has already in the tenant of another membership; a merge of organizations can lead there. */
export const findExistingMembership = (db: Database, membership: TenantMembership): { id: string } | undefined =>
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
