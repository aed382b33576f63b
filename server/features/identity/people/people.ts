import { sql } from 'kysely'
import type { z } from 'zod'
import type { tenantSelector, UserRow } from '../../../../shared/api/people.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import type { MfaPolicy } from '../policy/mfa-policy.ts'
import type { Membership, Role, User } from '../store.ts'
import { type Tenant, tenantOf } from './tenants.ts'

export type Selector = z.output<typeof tenantSelector>

/** Somebody as a member of one tenant. */
export interface Member {
  user: User
  role: Pick<Role, 'id' | 'name'>
  membership: Exclude<Membership, { kind: 'system' }>
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
    return this.#members(tenantOf(this.#db, actor, selector)).map((member) => this.#row(member))
  }

  read(actor: UserActor, id: string, selector: Selector): UserRow {
    return this.#row(this.find(actor, id, selector))
  }

  find(actor: UserActor, id: string, selector: Selector): Member {
    const [member] = this.#members(tenantOf(this.#db, actor, selector), id)
    if (!member) throw new AppError('user_not_found')
    return member
  }

  #members(tenant: Tenant, userId?: string): Member[] {
    const memberships =
      tenant.kind === 'partner' ? this.#ofPartner(tenant, userId) : this.#ofOrganization(tenant, userId)
    const members = new Map(memberships.map((membership) => [membership.user_id, membership]))
    const users = this.#db.all(
      q
        .selectFrom('users')
        .selectAll()
        .where('id', 'in', sql<string>`(select value from json_each(${JSON.stringify([...members.keys()])}))`)
        .orderBy(sql`name collate nocase`)
        .orderBy('id'),
    )
    const roles = new Map(this.#db.all(q.selectFrom('roles').select(['id', 'name'])).map((role) => [role.id, role]))
    return users.flatMap((user) => {
      const membership = members.get(user.id)
      const role = membership && roles.get(membership.role_id)
      return membership && role ? [{ user, role, membership }] : []
    })
  }

  #ofPartner({ partnerId }: Extract<Tenant, { kind: 'partner' }>, userId?: string) {
    const rows = this.#db.all(
      q
        .selectFrom('partner_users')
        .selectAll()
        .where('partner_id', '=', partnerId)
        .$if(userId !== undefined, (query) => query.where('user_id', '=', userId as string)),
    )
    return rows.map((row) => ({ kind: 'partner' as const, ...row }))
  }

  #ofOrganization({ orgId, partnerId }: Extract<Tenant, { kind: 'organization' }>, userId?: string) {
    const rows = this.#db.all(
      q
        .selectFrom('organization_users')
        .selectAll()
        .where('org_id', '=', orgId)
        .$if(userId !== undefined, (query) => query.where('user_id', '=', userId as string)),
    )
    return rows.map((row) => ({ kind: 'organization' as const, ...row, partner_id: partnerId }))
  }

  #row({ user, role, membership }: Member): UserRow {
    const { status, deadline } = this.#policy.standingOf(user, this.#policy.demandOn(membership))
    return {
      id: user.id,
      email: user.email,
      name: user.name,
      status: user.status,
      lastLoginAt: user.last_login_at,
      mfaEnabled: user.mfa_enabled === 1,
      mfaStatus: status,
      mfaEnrollmentDeadline: deadline,
      roleId: role.id,
      roleName: role.name,
      ...reachOf(membership),
    }
  }
}

function reachOf(membership: Member['membership']): Partial<UserRow> {
  const listed = (ids: string | null) => (ids === null ? null : (JSON.parse(ids) as string[]))
  return membership.kind === 'partner'
    ? { orgAccess: membership.org_access, orgIds: listed(membership.org_ids) }
    : { siteIds: listed(membership.site_ids), deviceGroupIds: listed(membership.device_group_ids) }
}
