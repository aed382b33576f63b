import type { Selectable } from 'kysely'
import type { Grant } from '../../../shared/permissions.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { orLookupUnavailable } from '../partners/index.ts'
import type { OrganizationUserTable, PartnerUserTable, RoleTable, SessionTable, UserTable } from './tables.ts'

export type User = Selectable<UserTable>
export type Session = Selectable<SessionTable>
export type Role = Selectable<RoleTable>

export const findUserByEmail = (db: Database, email: string): User | undefined =>
  db.first(q.selectFrom('users').selectAll().where('email', '=', email))

export const findUser = (db: Database, id: string): User | undefined =>
  db.first(q.selectFrom('users').selectAll().where('id', '=', id))

export const anyUserExists = (db: Database): boolean =>
  db.first(q.selectFrom('users').select('id').limit(1)) !== undefined

export const findSession = (db: Database, id: string): Session | undefined =>
  db.first(q.selectFrom('sessions').selectAll().where('id', '=', id))

export const findRole = (db: Database, id: string): Role | undefined =>
  db.first(q.selectFrom('roles').selectAll().where('id', '=', id))

export type TenantMembership =
  | (Selectable<PartnerUserTable> & { kind: 'partner' })
  | (Selectable<OrganizationUserTable> & { kind: 'organization'; partner_id: string })
export type Membership = TenantMembership | { kind: 'system' }

/**
 * Where a session works: in `preferredId`, the membership it was begun for or has gone over to, while that is usable.
 * Else, and where a sign-in lands: the first usable one that `mayLandIn`; a platform admin without any membership is a
 * system operator. Null: nowhere, so no sign-in.
 */
export function findMembership(
  db: Database,
  user: Pick<User, 'id' | 'is_platform_admin'>,
  preferredId: string | null = null,
  mayLandIn: (membership: TenantMembership) => boolean = () => true,
): Membership | null {
  return orLookupUnavailable(() => {
    const usable = usableMemberships(db, user.id)
    const first = usable.find(({ id }) => id === preferredId) ?? usable.find(mayLandIn)
    return first ?? (user.is_platform_admin && findHomePartner(db, user.id) === undefined ? { kind: 'system' } : null)
  })
}

/**
 * Those whose company and organization are open, in the order in which a sign-in prefers them: the last one used, then
 * the oldest first, so that a tenant that comes later never takes the place of one that was there. `of`: in this
 * organization or its company.
 */
export function usableMemberships(
  db: Database,
  userId: string,
  of?: { id: string; partner_id: string },
): TenantMembership[] {
  const ofPartners = db.all(
    q
      .selectFrom('partner_users')
      .innerJoin('partners', 'partners.id', 'partner_users.partner_id')
      .selectAll('partner_users')
      .where('user_id', '=', userId)
      .where('partners.deleted_at', 'is', null)
      .where('partners.status', 'in', enterablePartner)
      .$if(of !== undefined, (query) => query.where('partners.id', '=', of?.partner_id as string)),
  )
  const ofOrganizations = db.all(
    q
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
      .$if(of !== undefined, (query) => query.where('org_id', '=', of?.id as string)),
  )
  const usable = [
    ...ofPartners.map((row) => ({ kind: 'partner' as const, ...row })),
    ...ofOrganizations.map((row) => ({ kind: 'organization' as const, ...row })),
  ]
  return usable.length < 2 ? usable : inOrderOfPreference(usable, findUser(db, userId)?.last_membership_id ?? null)
}

const enterablePartner = ['active', 'pending'] as const
const openOrganization = ['active', 'trial'] as const

/** Of two that were made at the same moment the company comes first, then the one with the lower id. */
function inOrderOfPreference(memberships: TenantMembership[], lastId: string | null): TenantMembership[] {
  const rank = ({ id, kind, created_at }: TenantMembership) =>
    `${id === lastId ? 0 : 1} ${created_at} ${kind === 'partner' ? 0 : 1} ${id}`
  return memberships.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

/** Whether somebody could work there now; `orgId` null for the company itself. */
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

/** Null for operators. */
export const membershipIdOf = (membership: Membership): string | null =>
  membership.kind === 'system' ? null : membership.id

/** The organization of a membership there; null for members of the partner and for operators. */
export const orgIdOf = (membership: Membership): string | null =>
  membership.kind === 'organization' ? membership.org_id : null

/** The company somebody belonged to first, usable or not; undefined for those who belong nowhere. */
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

const grantsOfChain = `WITH RECURSIVE chain (id) AS (
    SELECT +? UNION SELECT roles.parent_role_id FROM chain JOIN roles ON roles.id = chain.id
  ) SELECT resource, action FROM permissions
    WHERE id IN (SELECT permission_id FROM role_permissions WHERE role_id IN (SELECT id FROM chain))
    ORDER BY resource, action`

/** Grants of a role and of its whole chain of parents; a cycle ends where it closes. */
export const findGrants = (db: Database, roleId: string): Grant[] => db.statement(grantsOfChain).all(roleId) as Grant[]

/**
 * Makes those of the named accounts platform admins whose owners showed that they read its mail: anyone may invite an
 * address and choose the password of its account. Never unmakes one.
 * @returns the addresses of accounts that have yet to show it
 */
export function promotePlatformAdmins(db: Database, emails: readonly string[]): string[] {
  if (emails.length === 0) return []
  db.run(
    q
      .updateTable('users')
      .set({ is_platform_admin: 1 })
      .where('email', 'in', emails)
      .where('status', '=', 'active')
      .where('email_verified_at', 'is not', null),
  )
  const rest = q.selectFrom('users').select('email').where('email', 'in', emails).where('is_platform_admin', '=', 0)
  return db.all(rest).map(({ email }) => email)
}
