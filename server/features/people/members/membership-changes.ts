import type { z } from 'zod'
import type { assignRole, tenantChoice } from '../../../../shared/api/people.ts'
import type { BodyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { changeOf, differing } from '../../../platform/updates.ts'
import { assertNotLastAdmin, isEverything } from '../../access/roles/powers.ts'
import type { Sessions } from '../../authentication/sessions/sessions.ts'
import { findGrants, type TenantMembership } from '../../access/users/store.ts'
import { roleToAssign } from './assignable-roles.ts'
import { assertMayManage } from './management-rules.ts'
import type { Invitation } from '../../access/invitations/store.ts'
import type { InviteLinks } from '../../authentication/invitation-links/invitation-links.ts'
import { aboutMember, type People } from './people.ts'
import { organizationReach, partnerReach, reachIn, toldReach } from './reach.ts'
import { tenantOf } from '../tenants/tenant-of-call.ts'

type Choice = z.output<typeof tenantChoice>
type Wanted = BodyOf<typeof assignRole>

interface Parts {
  db: Database
  clock: Clock
  audit: Audit
  people: People
  sessions: Sessions
  inviteLinks: InviteLinks
}

/** What an administrator does with the membership of somebody in their tenant; the account itself is not theirs. */
export class MembershipChanges {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Ends a membership with the sessions that work in it, or takes back an invitation. Work in other tenants goes on. */
  remove(actor: UserActor, id: string, query: Choice): void {
    const { db, audit, people, sessions, inviteLinks } = this.#parts
    db.transaction(() => {
      const { user, role, membership, invitation } = people.findToWrite(actor, id, query)
      assertMayManage(db, actor, user, membership)
      if (invitation === null && membership.kind === 'partner') assertNotLastAdmin(db, membership)
      db.run(q.deleteFrom(tableOf(membership, invitation)).where('id', '=', membership.id))
      sessions.revokeIn(membership.id, 'membership-removed')
      inviteLinks.voidOf(membership.id, membership.user_id)
      audit(actor, {
        ...aboutMember(user, membership),
        action: 'user.remove',
        details: { roleId: role.id, roleName: role.name },
      })
    })
  }

  /** Sessions go on: what they may is asked anew with every request. */
  assign(actor: UserActor, id: string, query: Choice, wanted: Wanted): void {
    if (id === actor.userId) throw new AppError('own_role_change')
    const { db, audit, people } = this.#parts
    db.transaction(() => {
      const { user, role: former, membership, invitation } = people.findToWrite(actor, id, query)
      assertMayManage(db, actor, user, membership)
      const role = roleToAssign(db, actor, tenantOf(db, actor, query, 'write'), wanted.roleId)
      const next = { ...this.#reach(actor, membership, wanted), role_id: role.id }
      const told = toldReach(db, membership)
      if (invitation === null && next.kind === 'partner' && !isFullAdmin(db, next)) assertNotLastAdmin(db, next)
      this.#save(next, tableOf(next, invitation))
      const after = reachIn(next)
      const changed = [...(former.id === role.id ? [] : ['roleId']), ...differing(reachIn(membership), after)]
      audit(actor, {
        ...aboutMember(user, next),
        action: 'user.role.assign',
        details: {
          ...changeOf(changed, told, toldReach(db, next)),
          previousRoleId: former.id,
          previousRoleName: former.name,
          roleId: role.id,
          roleName: role.name,
          ...after,
        },
      })
    })
  }

  #reach(actor: UserActor, membership: TenantMembership, wanted: Wanted): TenantMembership {
    const { db } = this.#parts
    const { partner_id: partnerId } = membership
    if (membership.kind === 'partner') {
      const tenant = { kind: 'partner', partnerId, isWhole: false } as const
      return { ...membership, ...partnerReach(db, tenant, wanted, membership) }
    }
    const tenant = { kind: 'organization', partnerId, orgId: membership.org_id } as const
    return { ...membership, ...organizationReach(db, actor, tenant, wanted, membership) }
  }

  #save(next: TenantMembership, table: MembershipTable): void {
    const reach =
      next.kind === 'partner'
        ? { org_access: next.org_access, org_ids: next.org_ids }
        : { site_ids: next.site_ids, device_group_ids: next.device_group_ids }
    this.#parts.db.run(
      q
        .updateTable(table)
        .set({ role_id: next.role_id, ...reach, updated_at: isoNow(this.#parts.clock) })
        .where('id', '=', next.id),
    )
  }
}

type MembershipTable = 'partner_users' | 'organization_users' | 'invitations'

const tableOf = ({ kind }: TenantMembership, invitation: Invitation | null): MembershipTable => {
  if (invitation) return 'invitations'
  return kind === 'partner' ? 'partner_users' : 'organization_users'
}

const isFullAdmin = (db: Database, { role_id, org_access }: Extract<TenantMembership, { kind: 'partner' }>): boolean =>
  org_access === 'all' && findGrants(db, role_id).some(isEverything)
