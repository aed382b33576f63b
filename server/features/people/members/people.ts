import { sql } from 'kysely'
import type { z } from 'zod'
import type { AssignableRole, tenantChoice, UserRow } from '../../../../shared/api/people.ts'
import type { Database } from '../../../db/database.ts'
import { isFrozen } from '../../../db/org-status.ts'
import { madeInPieces } from '../../../lib/pieces.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import {
  heldCodeFactors,
  type MfaPolicy,
  type MfaRequirement,
  orgIdOf,
  type TenantMembership,
} from '../../access/index.ts'
import { assertNotFrozen } from '../../organization-access/index.ts'
import { type Selector, tenantOf } from '../tenants/tenant-of-call.ts'
import { assignableRoles } from './assignable-roles.ts'
import type { MemberAccount } from './member-account.ts'
import {
  countPasskeys,
  findMembers,
  invitationLinkEnds,
  type Member,
  type MemberRow,
  memberIdsOf,
} from './member-store.ts'
import { reachView } from './reach.ts'

/** What the rows of a list need beside the members. */
interface ListFacts {
  /** Number of passkeys by user id. */
  passkeys: Map<string, number>
  /** Expiry of the invitation link by membership id. */
  inviteEnds: Map<string, string>
  requirementOf: (membership: MemberRow) => MfaRequirement
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
    return madeInPieces(memberIdsOf(this.#db, tenant), (ids) => this.#rows(findMembers(this.#db, tenant, ids)))
  }

  read(actor: UserActor, id: string, selector: Selector): UserRow {
    const [row] = this.#rows(findMembers(this.#db, tenantOf(this.#db, actor, selector, 'read'), [id]).slice(0, 1))
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
    const members = findMembers(this.#db, tenantOf(this.#db, actor, selector, 'write'), [id], sql`deleted_at is null`)
    const [first] = members
    if (!first) throw new AppError('user_not_found')
    const free = members.find(({ membership }) => membership.kind === 'partner' || !isFrozen(membership.org_status))
    if (!free && first.membership.kind === 'organization') assertNotFrozen({ status: first.membership.org_status })
    return free ?? first
  }

  #rows(members: Member[]): UserRow[] {
    const ids = members.map(({ user }) => user.id)
    const facts = {
      passkeys: countPasskeys(this.#db, ids),
      inviteEnds: invitationLinkEnds(this.#db, ids),
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

/** The subject of an audit event about a member. */
export const aboutMember = (user: Pick<MemberAccount, 'id' | 'email'>, membership: TenantMembership) => ({
  resourceType: 'user',
  resourceId: user.id,
  resourceName: user.email,
  orgId: orgIdOf(membership),
  partnerId: membership.partner_id,
})
