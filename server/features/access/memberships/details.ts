import { byName } from '../../../db/by-name.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { usableMemberships } from './usable.ts'

/** A membership with the names of its tenant and role. */
export interface MembershipDetails {
  id: string
  scope: 'partner' | 'organization'
  partnerId: string
  partnerName: string
  orgId: string | null
  orgName: string | null
  roleName: string
  createdAt: string
  updatedAt: string
  /** Its partner and organization are open. */
  isUsable: boolean
}

/** All memberships of a user, usable or not, except in deleted tenants; partners first, each by name. */
export function membershipDetailsOf(db: Database, userId: string): MembershipDetails[] {
  const usable = new Set(usableMemberships(db, userId).map(({ id }) => id))
  return [...inPartners(db, userId), ...inOrganizations(db, userId)].map((membership) => ({
    ...membership,
    isUsable: usable.has(membership.id),
  }))
}

const inPartners = (db: Database, userId: string) =>
  db
    .all(
      q
        .selectFrom('partner_users')
        .innerJoin('partners', 'partners.id', 'partner_users.partner_id')
        .innerJoin('roles', 'roles.id', 'partner_users.role_id')
        .select([
          'partner_users.id',
          'partners.id as partnerId',
          'partners.name as partnerName',
          'roles.name as roleName',
          'partner_users.created_at as createdAt',
          'partner_users.updated_at as updatedAt',
        ])
        .where('user_id', '=', userId)
        .where('partners.deleted_at', 'is', null)
        .orderBy(byName('partners.name'))
        .orderBy('partner_users.id'),
    )
    .map((row) => ({ ...row, scope: 'partner' as const, orgId: null, orgName: null }))

const inOrganizations = (db: Database, userId: string) =>
  db
    .all(
      q
        .selectFrom('organization_users')
        .innerJoin('organizations', 'organizations.id', 'organization_users.org_id')
        .innerJoin('partners', 'partners.id', 'organizations.partner_id')
        .innerJoin('roles', 'roles.id', 'organization_users.role_id')
        .select([
          'organization_users.id',
          'partners.id as partnerId',
          'partners.name as partnerName',
          'organizations.id as orgId',
          'organizations.name as orgName',
          'roles.name as roleName',
          'organization_users.created_at as createdAt',
          'organization_users.updated_at as updatedAt',
        ])
        .where('user_id', '=', userId)
        .where('organizations.deleted_at', 'is', null)
        .where('partners.deleted_at', 'is', null)
        .orderBy(byName('organizations.name'))
        .orderBy('organization_users.id'),
    )
    .map((row) => ({ ...row, scope: 'organization' as const }))
