import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import type { AssignableRole, tenantChoice, UserRow } from '../../../../shared/api/people.ts'
import { byName, sortedByName } from '../../../db/by-name.ts'
import type { Database } from '../../../db/database.ts'
import { isFrozen, isShown } from '../../../db/org-status.ts'
import { q } from '../../../db/query.ts'
import { madeInPieces } from '../../../lib/pieces.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import {
  heldCodeFactors,
  type Invitation,
  type MfaPolicy,
  type MfaRequirement,
  offeredMembership,
  orgIdOf,
  type Role,
  type TenantMembership,
} from '../../access/index.ts'
import { assertNotFrozen, type OrganizationRow } from '../../organization-access/index.ts'
import { type Selector, type Tenant, tenantOf } from '../tenants/tenant-of-call.ts'
import { assignableRoles } from './assignable-roles.ts'
import { type MemberAccount, placeholderAccount } from './member-account.ts'
import { reachView } from './reach.ts'

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

type MemberRow =
  | Extract<TenantMembership, { kind: 'partner' }>
  | (Extract<TenantMembership, { kind: 'organization' }> & MemberOrganization)
interface ListFacts {
  /** Number of passkeys by user id. */
  passkeys: Map<string, number>
  /** Expiry of the invitation link by membership id. */
  inviteEnds: Map<string, string>
  requirementOf: (membership: MemberRow) => MfaRequirement
}
interface MemberOrganization {
  org_name: string
  org_status: OrganizationRow['status']
}

/** The users of a tenant. A user without a membership or an invitation there does not exist for the caller. */
export class People {
  readonly #db: Database
  readonly #policy: MfaPolicy

  constructor(db: Database, policy: MfaPolicy) {
    this.#db = db
    this.#policy = policy
  }

  /** By name, read in pieces: members added or removed meanwhile may be included or not. */
  async list(actor: UserActor, selector: Selector): Promise<UserRow[]> {
    const tenant = tenantOf(this.#db, actor, selector, 'read')
    return madeInPieces(this.#parseIdList(tenant), (ids) => this.#rows(this.#members(tenant, ids)))
  }

  read(actor: UserActor, id: string, selector: Selector): UserRow {
    const [row] = this.#rows(this.#members(tenantOf(this.#db, actor, selector, 'read'), [id]).slice(0, 1))
    if (!row) throw new AppError('user_not_found')
    return row
  }

  roles(actor: UserActor, choice: z.output<typeof tenantChoice>): AssignableRole[] {
    return assignableRoles(this.#db, actor, choice)
  }

  /**
   * Inside the transaction that changes the member.
   * @throws AppError `user_not_found`; 409 for a member of frozen organizations only
   */
  findToWrite(actor: UserActor, id: string, selector: Selector): Member {
    const members = this.#members(tenantOf(this.#db, actor, selector, 'write'), [id], sql`deleted_at is null`)
    const [first] = members
    if (!first) throw new AppError('user_not_found')
    const free = members.find(({ membership }) => membership.kind === 'partner' || !isFrozen(membership.org_status))
    if (!free && first.membership.kind === 'organization') assertNotFrozen({ status: first.membership.org_status })
    return free ?? first
  }

  /** Ids of all users and invitations of a tenant, by name. */
  #parseIdList(tenant: Tenant): string[] {
    const inPartner = q.selectFrom('partner_users').select('user_id').where('partner_id', '=', tenant.partnerId)
    const inOrganizations = ofOrganizations(tenant, isShown())
      .select('user_id')
      .where('organizations.partner_id', '=', tenant.partnerId)
    const both = inPartner.unionAll(inOrganizations)
    const members = tenant.kind === 'organization' ? inOrganizations : tenant.isWhole ? both : inPartner
    const people = q.selectFrom('users').select(['id', 'name']).where('id', 'in', members)
    const invited = invitationsTo(tenant, isShown()).select(['invitations.id', 'invitations.name'])
    return sortedByName([...this.#db.all(people), ...this.#db.all(invited)]).map(({ id }) => id)
  }

  /** Those of these ids that belong to the tenant, in their order; a user of several organizations once for each. */
  #members(tenant: Tenant, ids: readonly string[], organizations = isShown()): Member[] {
    const memberships = [
      ...(tenant.kind === 'partner' ? this.#inPartner(tenant, ids) : []),
      ...(tenant.kind === 'organization' || tenant.isWhole ? this.#inOrganizations(tenant, ids, organizations) : []),
    ]
    const byUser = Map.groupBy(memberships, ({ membership }) => membership.user_id)
    const users = this.#db.all(q.selectFrom('users').selectAll().where('id', 'in', listed(ids)))
    const byId = new Map(users.map((user) => [user.id, user]))
    const invited = new Map(this.#invited(tenant, ids, organizations).map((member) => [member.user.id, member]))
    return ids.flatMap((id) => {
      const user = byId.get(id)
      const offered = invited.get(id)
      if (offered) return [offered]
      return user ? (byUser.get(id) ?? []).map((placed) => ({ user, ...placed })) : []
    })
  }

  /** Invitations of existing accounts, found by the id of the invitation. */
  #invited(tenant: Tenant, ids: readonly string[], organizations: RawBuilder<boolean>): Member[] {
    const rows = this.#db.all(
      invitationsTo(tenant, organizations)
        .innerJoin('roles', 'roles.id', 'invitations.role_id')
        .selectAll('invitations')
        .select(['organizations.name as org_name', 'organizations.status as org_status', 'roles.name as role_name'])
        .where('invitations.id', 'in', listed(ids)),
    )
    return rows.map(({ role_name, org_name, org_status, ...invitation }) => {
      const user = placeholderAccount(invitation)
      const membership = { ...offeredMembership(invitation), org_name, org_status } as MemberRow
      return { user, ...placed(role_name, membership, invitation) }
    })
  }

  #inPartner({ partnerId }: Tenant, ids: readonly string[]): MemberRole[] {
    const rows = this.#db.all(
      q
        .selectFrom('partner_users')
        .innerJoin('roles', 'roles.id', 'partner_users.role_id')
        .selectAll('partner_users')
        .select('roles.name as role_name')
        .where('partner_users.partner_id', '=', partnerId)
        .where('user_id', 'in', listed(ids)),
    )
    return rows.map(({ role_name, ...row }) => placed(role_name, { kind: 'partner', ...row }))
  }

  #inOrganizations(tenant: Tenant, ids: readonly string[], counts: RawBuilder<boolean>): MemberRole[] {
    const rows = this.#db.all(
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
    return rows.map(({ role_name, ...row }) => placed(role_name, { kind: 'organization', ...row }))
  }

  #passkeys(userIds: string[]): Map<string, number> {
    const counts = this.#db.all(
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
  #inviteEnds(userIds: string[]): Map<string, string> {
    const links = this.#db.all(
      q
        .selectFrom('one_time_secrets')
        .select([sql<string>`payload ->> 'membershipId'`.as('membership_id'), 'expires_at'])
        .where('kind', '=', 'invite')
        .where('user_id', 'in', listed(userIds)),
    )
    return new Map(links.map(({ membership_id, expires_at }) => [membership_id, expires_at]))
  }

  #rows(members: Member[]): UserRow[] {
    const ids = members.map(({ user }) => user.id)
    const facts = {
      passkeys: this.#passkeys(ids),
      inviteEnds: this.#inviteEnds(ids),
      requirementOf: this.#requirements(),
    }
    return members.map((member) => this.#row(member, facts))
  }

  /** The requirement on a member, looked up once for all members with the same role in the same tenant. */
  #requirements(): ListFacts['requirementOf'] {
    const known = new Map<string, MfaRequirement>()
    return (membership) => {
      const key = `${membership.partner_id} ${orgIdOf(membership)} ${membership.role_id}`
      const requirement = known.get(key) ?? this.#policy.requirementOf(membership)
      known.set(key, requirement)
      return requirement
    }
  }

  #row({ user, role, membership, invitation }: Member, { passkeys, inviteEnds, requirementOf }: ListFacts): UserRow {
    const { status, deadline } = this.#policy.statusOf(user, requirementOf(membership))
    return {
      id: user.id,
      email: user.email,
      name: user.name,
      avatarUrl: user.avatar_url,
      status: user.status,
      inviteExpiresAt: invitation?.expires_at ?? ((user.status === 'invited' && inviteEnds.get(membership.id)) || null),
      lastLoginAt: user.last_login_at,
      mfaEnabled: user.mfa_enabled === 1,
      factors: { ...heldCodeFactors(user), passkeys: passkeys.get(user.id) ?? 0 },
      mfaStatus: status,
      mfaEnrollmentDeadline: deadline,
      roleId: role.id,
      roleName: role.name,
      membershipCreatedAt: membership.created_at,
      membershipUpdatedAt: membership.updated_at,
      ...reachView(membership),
      ...(membership.kind === 'organization' && { orgId: membership.org_id, orgName: membership.org_name }),
    }
  }
}

const placed = (name: string, membership: MemberRow, invitation: Invitation | null = null): MemberRole => ({
  role: { id: membership.role_id, name },
  membership,
  invitation,
})

/** Invitations to a tenant; where all of a partner is meant, also to its organizations for which `counts` is true. */
const invitationsTo = (tenant: Tenant, counts: RawBuilder<boolean>) =>
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

/** Memberships in an organization; where a partner is meant, in its organizations for which `counts` is true. */
const ofOrganizations = (tenant: Tenant, counts: RawBuilder<boolean>) =>
  q
    .selectFrom('organization_users')
    .innerJoin('organizations', 'organizations.id', 'organization_users.org_id')
    .where(counts)
    .$if(tenant.kind === 'organization', (query) =>
      query.where('organization_users.org_id', '=', (tenant as Extract<Tenant, { kind: 'organization' }>).orgId),
    )

/** The subject of an audit event about a member. */
export const aboutMember = (user: Pick<MemberAccount, 'id' | 'email'>, membership: TenantMembership) => ({
  resourceType: 'user',
  resourceId: user.id,
  resourceName: user.email,
  orgId: orgIdOf(membership),
  partnerId: membership.partner_id,
})

/** One parameter for any number of ids. */
const listed = (ids: readonly string[]) => sql<string>`(select value from json_each(${JSON.stringify(ids)}))`
