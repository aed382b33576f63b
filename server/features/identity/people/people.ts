import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import type { tenantSelector, UserRow } from '../../../../shared/api/people.ts'
import type { Database } from '../../../db/database.ts'
import { isFrozen, isShown } from '../../../db/org-status.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import { assertNotFrozen, type OrganizationRow } from '../../organizations/index.ts'
import { heldByCode } from '../factors/held.ts'
import type { MfaPolicy } from '../policy/mfa-policy.ts'
import type { Membership, Role, User } from '../store.ts'
import { type Tenant, tenantOf } from './tenants.ts'

export type Selector = z.output<typeof tenantSelector>

/** Somebody as a member of one tenant. */
export interface Member {
  user: User
  role: Pick<Role, 'id' | 'name'>
  membership: TenantMembership
}

type TenantMembership =
  | Extract<Membership, { kind: 'partner' }>
  | (Extract<Membership, { kind: 'organization' }> & OrgFacts)
interface OrgFacts {
  org_name: string
  org_status: OrganizationRow['status']
}

/** The people of a tenant. Nobody is reached but through a membership there; anybody else does not exist. */
export class People {
  readonly #db: Database
  readonly #policy: MfaPolicy

  constructor(db: Database, policy: MfaPolicy) {
    this.#db = db
    this.#policy = policy
  }

  list(actor: UserActor, selector: Selector): UserRow[] {
    const members = this.#members(tenantOf(this.#db, actor, selector, 'read'))
    const passkeys = this.#passkeys(members.map(({ user }) => user.id))
    return members.map((member) => this.#row(member, passkeys))
  }

  read(actor: UserActor, id: string, selector: Selector): UserRow {
    const [member] = this.#members(tenantOf(this.#db, actor, selector, 'read'), id)
    if (!member) throw new AppError('user_not_found')
    return this.#row(member, this.#passkeys([id]))
  }

  /** Inside the transaction that changes them: 409 for whoever belongs to a frozen organization only. */
  findToWrite(actor: UserActor, id: string, selector: Selector): Member {
    const members = this.#members(tenantOf(this.#db, actor, selector, 'write'), id, sql`deleted_at is null`)
    const [first] = members
    if (!first) throw new AppError('user_not_found')
    const free = members.find(({ membership }) => membership.kind === 'partner' || !isFrozen(membership.org_status))
    if (!free && first.membership.kind === 'organization') assertNotFrozen({ status: first.membership.org_status })
    return free ?? first
  }

  #members(tenant: Tenant, userId?: string, organizations = isShown()): Member[] {
    const memberships = [
      ...(tenant.kind === 'partner' ? this.#ofPartner(tenant.partnerId, userId) : []),
      ...(tenant.kind === 'organization' || tenant.isWhole ? this.#ofOrganizations(tenant, organizations, userId) : []),
    ]
    const byUser = Map.groupBy(memberships, (membership) => membership.user_id)
    const users = this.#db.all(
      q
        .selectFrom('users')
        .selectAll()
        .where('id', 'in', listed([...byUser.keys()]))
        .orderBy(sql`name collate nocase`)
        .orderBy('id'),
    )
    const roles = new Map(this.#db.all(q.selectFrom('roles').select(['id', 'name'])).map((role) => [role.id, role]))
    return users.flatMap((user) =>
      (byUser.get(user.id) ?? []).flatMap((membership) => {
        const role = roles.get(membership.role_id)
        return role ? [{ user, role, membership }] : []
      }),
    )
  }

  #ofPartner(partnerId: string, userId?: string): TenantMembership[] {
    const rows = this.#db.all(
      q
        .selectFrom('partner_users')
        .selectAll()
        .where('partner_id', '=', partnerId)
        .$if(userId !== undefined, (query) => query.where('user_id', '=', userId as string)),
    )
    return rows.map((row) => ({ kind: 'partner', ...row }))
  }

  /** The one that is meant, or every one of the partner that counts. */
  #ofOrganizations(tenant: Tenant, counts: RawBuilder<boolean>, userId?: string): TenantMembership[] {
    const orgId = tenant.kind === 'organization' ? tenant.orgId : null
    const rows = this.#db.all(
      q
        .selectFrom('organization_users')
        .innerJoin('organizations', 'organizations.id', 'organization_users.org_id')
        .selectAll('organization_users')
        .select(['organizations.partner_id', 'organizations.name as org_name', 'organizations.status as org_status'])
        .where('organizations.partner_id', '=', tenant.partnerId)
        .where(counts)
        .$if(orgId !== null, (query) => query.where('org_id', '=', orgId as string))
        .$if(userId !== undefined, (query) => query.where('user_id', '=', userId as string))
        .orderBy(sql`organizations.name collate nocase`),
    )
    return rows.map((row) => ({ kind: 'organization', ...row }))
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

  #row({ user, role, membership }: Member, passkeys: Map<string, number>): UserRow {
    const { status, deadline } = this.#policy.standingOf(user, this.#policy.demandOn(membership))
    return {
      id: user.id,
      email: user.email,
      name: user.name,
      status: user.status,
      inviteExpiresAt: null,
      lastLoginAt: user.last_login_at,
      mfaEnabled: user.mfa_enabled === 1,
      factors: { ...heldByCode(user), passkeys: passkeys.get(user.id) ?? 0 },
      mfaStatus: status,
      mfaEnrollmentDeadline: deadline,
      roleId: role.id,
      roleName: role.name,
      ...reachOf(membership),
    }
  }
}

function reachOf(membership: TenantMembership): Partial<UserRow> {
  const parsed = (ids: string | null) => (ids === null ? null : (JSON.parse(ids) as string[]))
  if (membership.kind === 'partner') return { orgAccess: membership.org_access, orgIds: parsed(membership.org_ids) }
  const { org_id, org_name, site_ids, device_group_ids } = membership
  return { orgId: org_id, orgName: org_name, siteIds: parsed(site_ids), deviceGroupIds: parsed(device_group_ids) }
}

/** However many there are, they are one parameter. */
const listed = (ids: string[]) => sql<string>`(select value from json_each(${JSON.stringify(ids)}))`
