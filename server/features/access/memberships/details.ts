import { byName } from '../../../db/by-name.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Invitation } from '../invitations/store.ts'
import { isEnterable, usableMemberships } from '../users/store.ts'

/** A membership as its holder knows it. */
export interface Place {
  id: string
  scope: 'partner' | 'organization'
  partnerId: string
  partnerName: string
  orgId: string | null
  orgName: string | null
  roleName: string
  createdAt: string
  updatedAt: string
  /** Its company and organization are open. */
  isUsable: boolean
}

/** Everywhere somebody is a member, open or not, but for what is deleted: partners first, by name. */
export function placesOf(db: Database, userId: string): Place[] {
  const usable = new Set(usableMemberships(db, userId).map(({ id }) => id))
  return [...inPartners(db, userId), ...inOrganizations(db, userId)].map((place) => ({
    ...place,
    isUsable: usable.has(place.id),
  }))
}

/** The place that somebody is invited to; undefined where it was deleted. */
export function placeOffered(db: Database, invitation: Invitation): Place | undefined {
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
