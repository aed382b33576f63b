import type { z } from 'zod'
import type { assignRole, tenantChoice } from '../../../../shared/api/people.ts'
import type { BodyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { changeOf, differing } from '../../../platform/updates.ts'
import {
  deleteInvitation,
  deleteMembership,
  findGrants,
  type Invitation,
  isEverything,
  saveMembership,
  type TenantMembership,
  updateInvitation,
} from '../../access/index.ts'
import type { InvitationLinks, Sessions } from '../../authentication/index.ts'
import { assertNotLastAdmin } from '../roles/full-admins.ts'
import { tenantOf } from '../tenants/tenant-of-call.ts'
import { roleToAssign } from './assignable-roles.ts'
import { assertMayManage } from './management-rules.ts'
import { aboutMember, type People } from './people.ts'
import { namedReach, organizationReach, partnerReach, reachView } from './reach.ts'

type Choice = z.output<typeof tenantChoice>
type RoleAssignment = BodyOf<typeof assignRole>

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  people: People
  sessions: Sessions
  invitationLinks: InvitationLinks
}

/** Changes to memberships by an administrator of the tenant. They do not change the account itself. */
export class MembershipChanges {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** Removes a membership and ends the sessions that work in it, or withdraws an invitation. */
  remove(actor: UserActor, id: string, query: Choice): void {
    const { db, audit, people, sessions, invitationLinks } = this.#dependencies
    db.transaction(() => {
      const { user, role, membership, invitation } = people.findToWrite(actor, id, query)
      assertMayManage(db, actor, user, membership)
      if (invitation === null && membership.kind === 'partner') assertNotLastAdmin(db, membership)
      if (invitation) deleteInvitation(db, invitation.id)
      else deleteMembership(db, membership)
      sessions.revokeIn(membership.id, 'membership-removed')
      invitationLinks.voidOf(membership.id, membership.user_id)
      audit(actor, {
        ...aboutMember(user, membership),
        action: 'user.remove',
        details: { roleId: role.id, roleName: role.name },
      })
    })
  }

  /** Sessions stay: what they may do is checked with every request. */
  assign(actor: UserActor, id: string, query: Choice, assignment: RoleAssignment): void {
    if (id === actor.userId) throw new AppError('own_role_change')
    const { db, audit, people } = this.#dependencies
    db.transaction(() => {
      const { user, role: former, membership, invitation } = people.findToWrite(actor, id, query)
      assertMayManage(db, actor, user, membership)
      const role = roleToAssign(db, actor, tenantOf(db, actor, query, 'write'), assignment.roleId)
      const next = { ...this.#reach(actor, membership, assignment), role_id: role.id }
      const before = namedReach(db, membership)
      if (invitation === null && next.kind === 'partner' && !isFullAdmin(db, next)) assertNotLastAdmin(db, next)
      this.#save(next, invitation)
      const after = reachView(next)
      const changed = [...(former.id === role.id ? [] : ['roleId']), ...differing(reachView(membership), after)]
      audit(actor, {
        ...aboutMember(user, next),
        action: 'user.role.assign',
        details: {
          ...changeOf(changed, before, namedReach(db, next)),
          previousRoleId: former.id,
          previousRoleName: former.name,
          roleId: role.id,
          roleName: role.name,
          ...after,
        },
      })
    })
  }

  #reach(actor: UserActor, membership: TenantMembership, assignment: RoleAssignment): TenantMembership {
    const { db } = this.#dependencies
    const { partner_id: partnerId } = membership
    if (membership.kind === 'partner') {
      const tenant = { kind: 'partner', partnerId, isWhole: false } as const
      return { ...membership, ...partnerReach(db, tenant, assignment, membership) }
    }
    const tenant = { kind: 'organization', partnerId, orgId: membership.org_id } as const
    return { ...membership, ...organizationReach(db, actor, tenant, assignment, membership) }
  }

  #save(next: TenantMembership, invitation: Invitation | null): void {
    const { db, clock } = this.#dependencies
    const now = isoNow(clock)
    if (!invitation) {
      saveMembership(db, next, now)
      return
    }
    const reach =
      next.kind === 'partner'
        ? { org_access: next.org_access, org_ids: next.org_ids }
        : { site_ids: next.site_ids, device_group_ids: next.device_group_ids }
    updateInvitation(db, invitation.id, { role_id: next.role_id, ...reach, updated_at: now })
  }
}

const isFullAdmin = (db: Database, { role_id, org_access }: Extract<TenantMembership, { kind: 'partner' }>): boolean =>
  org_access === 'all' && findGrants(db, role_id).some(isEverything)
