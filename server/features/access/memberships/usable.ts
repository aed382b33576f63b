import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { orLookupUnavailable } from '../../partners/index.ts'
import { findUser, type User } from '../users/store.ts'
import type { Membership, TenantMembership } from './membership.ts'

/**
 * The membership a session works in: `preferredId` while that is usable, else the first usable one that `isAllowed`
 * accepts. A platform admin who is a member of nothing works as system operator.
 * @returns null where the user cannot work anywhere, and so cannot sign in
 */
export function findMembership(
  db: Database,
  user: Pick<User, 'id' | 'is_platform_admin'>,
  preferredId: string | null = null,
  isAllowed: (membership: TenantMembership) => boolean = () => true,
): Membership | null {
  return orLookupUnavailable(() => {
    const usable = usableMemberships(db, user.id)
    const first = usable.find(({ id }) => id === preferredId) ?? usable.find(isAllowed)
    return first ?? (user.is_platform_admin && findHomePartner(db, user.id) === undefined ? { kind: 'system' } : null)
  })
}

/**
 * Memberships whose partner and organization are open, in the order a sign-in prefers them: the one used last, then the
 * oldest first, so that a membership added later never changes where a user lands.
 * @param of only memberships in this organization or its partner
 */
export function usableMemberships(
  db: Database,
  userId: string,
  of?: { id: string; partner_id: string },
): TenantMembership[] {
  let inPartners = q
    .selectFrom('partner_users')
    .innerJoin('partners', 'partners.id', 'partner_users.partner_id')
    .selectAll('partner_users')
    .where('user_id', '=', userId)
    .where('partners.deleted_at', 'is', null)
    .where('partners.status', 'in', enterablePartner)
  let inOrganizations = q
    .selectFrom('organization_users')
    .innerJoin('organizations', 'organizations.id', 'organization_users.org_id')
    .innerJoin('partners', 'partners.id', 'organizations.partner_id')
    .selectAll('organization_users')
    .select('organizations.partner_id')
    .where('user_id', '=', userId)
    .where('organizations.deleted_at', 'is', null)
    .where('organizations.status', 'in', openOrganization)
    .where('partners.deleted_at', 'is', null)
    .where('partners.status', '=', 'active')
  if (of) {
    inPartners = inPartners.where('partners.id', '=', of.partner_id)
    inOrganizations = inOrganizations.where('org_id', '=', of.id)
  }
  const usable = [
    ...db.all(inPartners).map((row) => ({ kind: 'partner' as const, ...row })),
    ...db.all(inOrganizations).map((row) => ({ kind: 'organization' as const, ...row })),
  ]
  return usable.length < 2 ? usable : inOrderOfPreference(usable, findUser(db, userId)?.last_membership_id ?? null)
}
const enterablePartner = ['active', 'pending'] as const
const openOrganization = ['active', 'trial'] as const

/** Of two made at the same instant the one in a partner comes first, then the one with the lower id. */
function inOrderOfPreference(memberships: TenantMembership[], lastId: string | null): TenantMembership[] {
  const rank = ({ id, kind, created_at }: TenantMembership) =>
    `${id === lastId ? 0 : 1} ${created_at} ${kind === 'partner' ? 0 : 1} ${id}`
  return memberships.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

/** Whether members could work in this tenant now; `orgId` null for the partner itself. */
export function isEnterable(db: Database, partnerId: string, orgId: string | null): boolean {
  const partner = db.first(
    q.selectFrom('partners').select(['status']).where('id', '=', partnerId).where('deleted_at', 'is', null),
  )
  if (orgId === null) return isOneOf(enterablePartner, partner?.status)
  const organization = db.first(
    q.selectFrom('organizations').select('status').where('id', '=', orgId).where('deleted_at', 'is', null),
  )
  return partner?.status === 'active' && isOneOf(openOrganization, organization?.status)
}
const isOneOf = (statuses: readonly string[], status: string | undefined): boolean =>
  status !== undefined && statuses.includes(status)

/** The partner of a user's oldest membership, usable or not; undefined for a user without any. */
export const findHomePartner = (db: Database, userId: string): string | undefined =>
  (
    db.first(
      q
        .selectFrom('partner_users')
        .select('partner_id')
        .where('user_id', '=', userId)
        .orderBy('created_at')
        .orderBy('id')
        .limit(1),
    ) ??
    db.first(
      q
        .selectFrom('organization_users')
        .innerJoin('organizations', 'organizations.id', 'organization_users.org_id')
        .select('organizations.partner_id')
        .where('user_id', '=', userId)
        .orderBy('organization_users.created_at')
        .orderBy('organization_users.id')
        .limit(1),
    )
  )?.partner_id
