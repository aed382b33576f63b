import { type RawBuilder, sql } from 'kysely'
import { byName, sortedByName } from '../../../db/by-name.ts'
import type { Database } from '../../../db/database.ts'
import { isShown } from '../../../db/org-status.ts'
import { q } from '../../../db/query.ts'
import { type Invitation, offeredMembership, type Role, type TenantMembership } from '../../access/index.ts'
import type { OrganizationRow } from '../../organization-access/index.ts'
import type { Tenant } from '../tenants/tenant-of-call.ts'
import { type MemberAccount, placeholderAccount } from './member-account.ts'

/** A user as a member of one tenant, or as invited to it. */
export interface Member extends MemberRole {
  user: MemberAccount
}

interface MemberRole {
  role: Pick<Role, 'id' | 'name'>
  membership: MemberRow
  /** The invitation that was not accepted yet; null for a member. */
  invitation: Invitation | null
}

export type MemberRow =
  | Extract<TenantMembership, { kind: 'partner' }>
  | (Extract<TenantMembership, { kind: 'organization' }> & MemberOrganization)

interface MemberOrganization {
  org_name: string
  org_status: OrganizationRow['status']
}

/** Ids of all users and invitations of a tenant, by name. */
export function memberIdsOf(db: Database, tenant: Tenant): string[] {
  const inPartner = q.selectFrom('partner_users').select('user_id').where('partner_id', '=', tenant.partnerId)
  const inOrganizations = ofOrganizations(tenant, isShown())
    .select('user_id')
    .where('organizations.partner_id', '=', tenant.partnerId)
  const both = inPartner.unionAll(inOrganizations)
  const members = tenant.kind === 'organization' ? inOrganizations : tenant.isWhole ? both : inPartner
  const people = q.selectFrom('users').select(['id', 'name']).where('id', 'in', members)
  const invited = invitationsTo(tenant, isShown()).select(['invitations.id', 'invitations.name'])
  return sortedByName([...db.all(people), ...db.all(invited)]).map(({ id }) => id)
}

/** Those of these ids that belong to the tenant, in their order; a user of several organizations once for each. */
export function findMembers(db: Database, tenant: Tenant, ids: readonly string[], organizations = isShown()): Member[] {
  const memberships = [
    ...(tenant.kind === 'partner' ? findInPartner(db, tenant, ids) : []),
    ...(tenant.kind === 'organization' || tenant.isWhole ? findInOrganizations(db, tenant, ids, organizations) : []),
  ]
  const byUser = Map.groupBy(memberships, ({ membership }) => membership.user_id)
  const users = db.all(q.selectFrom('users').selectAll().where('id', 'in', listed(ids)))
  const byId = new Map(users.map((user) => [user.id, user]))
  const invited = new Map(findInvited(db, tenant, ids, organizations).map((member) => [member.user.id, member]))
  return ids.flatMap((id) => {
    const user = byId.get(id)
    const offered = invited.get(id)
    if (offered) return [offered]
    return user ? (byUser.get(id) ?? []).map((role) => ({ user, ...role })) : []
  })
}

/** Invitations of existing accounts, found by the id of the invitation. */
function findInvited(
  db: Database,
  tenant: Tenant,
  ids: readonly string[],
  organizations: RawBuilder<boolean>,
): Member[] {
  const rows = db.all(
    invitationsTo(tenant, organizations)
      .innerJoin('roles', 'roles.id', 'invitations.role_id')
      .selectAll('invitations')
      .select(['organizations.name as org_name', 'organizations.status as org_status', 'roles.name as role_name'])
      .where('invitations.id', 'in', listed(ids)),
  )
  return rows.map(({ role_name, org_name, org_status, ...invitation }) => {
    const user = placeholderAccount(invitation)
    const membership = offeredRow(invitation, org_name, org_status)
    return { user, ...memberRole(role_name, membership, invitation) }
  })
}

/** The membership an invitation offers; the organization is null in an invitation to a partner. */
function offeredRow(
  invitation: Invitation,
  org_name: string | null,
  org_status: OrganizationRow['status'] | null,
): MemberRow {
  const membership = offeredMembership(invitation)
  if (membership.kind === 'partner') return membership
  if (org_name === null || org_status === null) throw new Error('The organization of an invitation is missing')
  return { ...membership, org_name, org_status }
}

function findInPartner(db: Database, { partnerId }: Tenant, ids: readonly string[]): MemberRole[] {
  const rows = db.all(
    q
      .selectFrom('partner_users')
      .innerJoin('roles', 'roles.id', 'partner_users.role_id')
      .selectAll('partner_users')
      .select('roles.name as role_name')
      .where('partner_users.partner_id', '=', partnerId)
      .where('user_id', 'in', listed(ids)),
  )
  return rows.map(({ role_name, ...row }) => memberRole(role_name, { kind: 'partner', ...row }))
}

function findInOrganizations(
  db: Database,
  tenant: Tenant,
  ids: readonly string[],
  counts: RawBuilder<boolean>,
): MemberRole[] {
  const rows = db.all(
    ofOrganizations(tenant, counts)
      .innerJoin('roles', 'roles.id', 'organization_users.role_id')
      .selectAll('organization_users')
      .select(['organizations.partner_id', 'organizations.name as org_name', 'organizations.status as org_status'])
      .select('roles.name as role_name')
      .where('user_id', 'in', listed(ids))
      // The unary plus keeps SQLite from looking up each of these users in each organization of the partner.
      .where(sql<boolean>`+organizations.partner_id = ${tenant.partnerId}`)
      .orderBy(byName('organizations.name')),
  )
  return rows.map(({ role_name, ...row }) => memberRole(role_name, { kind: 'organization', ...row }))
}

/** Numbers of passkeys by user id. */
export function countPasskeys(db: Database, userIds: string[]): Map<string, number> {
  const counts = db.all(
    q
      .selectFrom('user_passkeys')
      .select(({ fn }) => ['user_id', fn.countAll<number>().as('count')])
      .where('user_id', 'in', listed(userIds))
      .where('disabled_at', 'is', null)
      .groupBy('user_id'),
  )
  return new Map(counts.map(({ user_id, count }) => [user_id, count]))
}

/** When the invitation links of accounts that are not activated expire. */
export function invitationLinkEnds(db: Database, userIds: string[]): Map<string, string> {
  const links = db.all(
    q
      .selectFrom('one_time_secrets')
      .select([sql<string>`payload ->> 'membershipId'`.as('membership_id'), 'expires_at'])
      .where('kind', '=', 'invite')
      .where('user_id', 'in', listed(userIds)),
  )
  return new Map(links.map(({ membership_id, expires_at }) => [membership_id, expires_at]))
}

const memberRole = (name: string, membership: MemberRow, invitation: Invitation | null = null): MemberRole => ({
  role: { id: membership.role_id, name },
  membership,
  invitation,
})

/** Invitations to a tenant; where all of a partner is meant, also to its organizations for which `counts` is true. */
export const invitationsTo = (tenant: Tenant, counts: RawBuilder<boolean>) =>
  q
    .selectFrom('invitations')
    .leftJoin('organizations', 'organizations.id', 'invitations.org_id')
    .where('invitations.partner_id', '=', tenant.partnerId)
    .where(
      tenant.kind === 'organization'
        ? sql<boolean>`invitations.org_id = ${tenant.orgId} and ${counts}`
        : tenant.isWhole
          ? sql<boolean>`(invitations.org_id is null or ${counts})`
          : sql<boolean>`invitations.org_id is null`,
    )

/** Memberships in an organization; where more is meant, in organizations for which `counts` is true, of any partner. */
export function ofOrganizations(tenant: Tenant | null, counts: RawBuilder<boolean>) {
  const ofAll = q
    .selectFrom('organization_users')
    .innerJoin('organizations', 'organizations.id', 'organization_users.org_id')
    .where(counts)
  return tenant?.kind === 'organization' ? ofAll.where('organization_users.org_id', '=', tenant.orgId) : ofAll
}

/** One parameter for any number of ids. */
const listed = (ids: readonly string[]) => sql<string>`(select value from json_each(${JSON.stringify(ids)}))`
