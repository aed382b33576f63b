import { randomUUIDv7 } from 'node:crypto'
import type { z } from 'zod'
import type { inviteUser, resendInvite, tenantChoice } from '../../../../shared/api/people.ts'
import type { BodyOf, ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, iso, isoNow, second } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import {
  deleteExpiredInvitations,
  findUserByEmail,
  getUser,
  type Invitation,
  insertInvitation,
  insertOrganizationMembership,
  insertPartnerMembership,
  insertUser,
  invitationLifeSeconds,
  isInvited,
  isOperator,
  membershipDetailsOf,
  offeredMembership,
  type User,
  updateInvitation,
} from '../../access/index.ts'
import { roleToAssign } from '../members/assignable-roles.ts'
import { assertMayManage } from '../members/management-rules.ts'
import { placeholderAccount } from '../members/member-account.ts'
import { aboutMember, type People } from '../members/people.ts'
import { organizationReach, partnerReach, reachView } from '../members/reach.ts'
import { type Tenant, tenantNamedBy, tenantOf } from '../tenants/tenant-of-call.ts'
import type { Delivery, InvitationDelivery, Invited } from './invitation-delivery.ts'

type Choice = z.output<typeof tenantChoice>
type InvitationRequest = BodyOf<typeof inviteUser>

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  people: People
  delivery: InvitationDelivery
}

/**
 * Inviting users to a tenant. For an address without an account one is created, which its owner activates. An existing
 * account is offered the membership: nothing about it changes, and nothing of it is disclosed, before its owner accepts.
 */
export class Invitations {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  invite(actor: UserActor, query: Choice, request: InvitationRequest): ReplyOf<typeof inviteUser> {
    const { db, clock, audit, limits, delivery } = this.#dependencies
    return db.transaction(() => {
      const tenant = tenantOf(db, actor, tenantNamedBy(actor, query, request), 'invite')
      const role = roleToAssign(db, actor, tenant, request.roleId)
      const user = findUserByEmail(db, request.email)
      if (user) {
        deleteExpiredInvitations(db, clock, { userId: user.id, partnerId: tenant.partnerId, orgId: orgIdIn(tenant) })
        assertNotIn(db, tenant, user.id)
      }
      limits.consume('invite_address', `${tenant.partnerId} ${request.email}`)
      // Each invitation sends a mail, also one after an earlier one was withdrawn, and whether or not there is an account.
      limits.consume('invite_resend', `${orgIdIn(tenant) ?? tenant.partnerId} ${request.email}`)
      const invited = user ? this.#offer(actor, tenant, user, request) : this.#create(actor, tenant, request)
      const delivered = delivery.deliver(actor, invited)
      const { account, membership } = invited
      audit(actor, {
        ...aboutMember(account, membership),
        action: 'user.invite',
        details: {
          roleId: role.id,
          roleName: role.name,
          ...reachView(membership),
          ...deliveryDetails(account, delivered),
        },
      })
      const { id, email, name, status } = account
      return { id, email, name, status, roleId: role.id, ...delivered }
    })
  }

  resend(actor: UserActor, query: Choice, userId: string): ReplyOf<typeof resendInvite> {
    const { db, audit, limits, people, delivery } = this.#dependencies
    return db.transaction(() => {
      tenantOf(db, actor, query, 'invite')
      const { user: account, membership, invitation } = people.findToWrite(actor, userId, query)
      if (account.status !== 'invited') throw new AppError('user_not_invited')
      assertMayManage(db, actor, account, membership)
      limits.consume('invite_resend', account.id)
      limits.consume('invite_address', `${membership.partner_id} ${account.email}`)
      const owner = getUser(db, invitation?.user_id ?? account.id)
      if (invitation) this.#extend(actor, invitation)
      const delivered = delivery.deliver(actor, { account, owner, membership, isOffer: invitation !== null })
      audit(actor, {
        ...aboutMember(account, membership),
        action: 'user.invite.resend',
        details: deliveryDetails(account, delivered),
      })
      return { success: true as const, ...delivered }
    })
  }

  #create(actor: UserActor, tenant: Tenant, request: InvitationRequest): Invited {
    const { db, clock } = this.#dependencies
    const now = isoNow(clock)
    const { email, name } = request
    const account = { id: randomUUIDv7(), email, name, status: 'invited', created_at: now, updated_at: now } as const
    insertUser(db, account)
    const row = { id: randomUUIDv7(), user_id: account.id, role_id: request.roleId, created_at: now, updated_at: now }
    const owner = getUser(db, account.id)
    if (tenant.kind === 'partner') {
      const partnerUser = { ...row, partner_id: tenant.partnerId, ...partnerReach(db, tenant, request) }
      insertPartnerMembership(db, partnerUser)
      return { account, owner, membership: { kind: 'partner', ...partnerUser }, isOffer: false }
    }
    const organizationUser = { ...row, org_id: tenant.orgId, ...organizationReach(db, actor, tenant, request) }
    insertOrganizationMembership(db, organizationUser)
    const membership = { kind: 'organization', partner_id: tenant.partnerId, ...organizationUser } as const
    return { account, owner, membership, isOffer: false }
  }

  #offer(actor: UserActor, tenant: Tenant, owner: User, request: InvitationRequest): Invited {
    const { db, clock } = this.#dependencies
    // Operators are told that the account is disabled; administrators of a tenant learn nothing about existing accounts.
    if (owner.status === 'disabled' && isOperator(actor)) throw new AppError('user_disabled')
    const reach =
      tenant.kind === 'partner' ? partnerReach(db, tenant, request) : organizationReach(db, actor, tenant, request)
    const now = isoNow(clock)
    const invitation: Invitation = {
      id: randomUUIDv7(),
      user_id: owner.id,
      partner_id: tenant.partnerId,
      org_id: tenant.kind === 'partner' ? null : tenant.orgId,
      role_id: request.roleId,
      org_access: null,
      org_ids: null,
      site_ids: null,
      device_group_ids: null,
      ...reach,
      email: request.email,
      name: request.name,
      inviter_name: actor.name,
      expires_at: this.#expiresAt(),
      created_at: now,
      updated_at: now,
    }
    insertInvitation(db, invitation)
    return { account: placeholderAccount(invitation), owner, membership: offeredMembership(invitation), isOffer: true }
  }

  #extend(actor: UserActor, { id }: Invitation): void {
    const next = {
      inviter_name: actor.name,
      expires_at: this.#expiresAt(),
      updated_at: isoNow(this.#dependencies.clock),
    }
    updateInvitation(this.#dependencies.db, id, next)
  }

  readonly #expiresAt = () => iso(this.#dependencies.clock.now() + invitationLifeSeconds * second)
}

const orgIdIn = (tenant: Tenant): string | null => (tenant.kind === 'partner' ? null : tenant.orgId)

const deliveryDetails = ({ status }: Invited['account'], { inviteEmailSent }: Delivery) => ({ status, inviteEmailSent })

/** @throws AppError `user_in_scope` for a user who is a member or invited already */
function assertNotIn(db: Database, tenant: Tenant, userId: string): void {
  const orgId = orgIdIn(tenant)
  const isMember = membershipDetailsOf(db, userId).some(
    (one) => one.partnerId === tenant.partnerId && one.orgId === orgId,
  )
  if (isMember || isInvited(db, userId, tenant.partnerId, orgId)) throw new AppError('user_in_scope')
}
