import { randomUUIDv7 } from 'node:crypto'
import type { z } from 'zod'
import type { inviteUser, resendInvite, tenantChoice } from '../../../../shared/api/people.ts'
import type { BodyOf, ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, iso, isoNow, second } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import {
  deleteExpiredInvitations,
  findUser,
  findUserByEmail,
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
  type TenantMembership,
  type User,
  updateInvitation,
} from '../../access/index.ts'
import type { InvitationLinks } from '../../authentication/index.ts'
import type { Mailer, MailWriter } from '../../messaging/index.ts'
import { roleToAssign } from '../members/assignable-roles.ts'
import { assertMayManage, isInvitedByOthers, isWithinCallerPowers } from '../members/management-rules.ts'
import { type MemberAccount, placeholderAccount } from '../members/member-account.ts'
import { aboutMember, type People } from '../members/people.ts'
import { organizationReach, partnerReach, reachView } from '../members/reach.ts'
import { type Tenant, tenantNamedBy, tenantOf } from '../tenants/tenant-of-call.ts'

type Choice = z.output<typeof tenantChoice>
type InvitationRequest = BodyOf<typeof inviteUser>
type Delivery = Pick<ReplyOf<typeof resendInvite>, 'inviteEmailSent' | 'inviteUrl' | 'warning'>

const noMail = 'This appliance sends no mail.'

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  mailer: Mailer
  /** Whether mail can leave the appliance. */
  canSendMail: () => boolean
  mailWriter: Pick<MailWriter, 'linkTo'>
  invitationLinks: InvitationLinks
  people: People
  /** Addresses whose accounts become platform admins (`PLATFORM_ADMINS`). */
  platformAdmins: readonly string[]
}

interface Invited {
  /** As the inviter sees it. */
  account: Pick<MemberAccount, 'id' | 'email' | 'name' | 'status'>
  /** The account itself. */
  owner: User
  membership: TenantMembership
  /** The account existed before and has to accept. */
  isOffer: boolean
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
    const { db, clock, audit, limits } = this.#dependencies
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
      const delivery = this.#deliver(actor, invited)
      const { account, membership } = invited
      audit(actor, {
        ...aboutMember(account, membership),
        action: 'user.invite',
        details: {
          roleId: role.id,
          roleName: role.name,
          ...reachView(membership),
          ...deliveryDetails(account, delivery),
        },
      })
      const { id, email, name, status } = account
      return { id, email, name, status, roleId: role.id, ...delivery }
    })
  }

  resend(actor: UserActor, query: Choice, userId: string): ReplyOf<typeof resendInvite> {
    const { db, audit, limits, people } = this.#dependencies
    return db.transaction(() => {
      tenantOf(db, actor, query, 'invite')
      const { user: account, membership, invitation } = people.findToWrite(actor, userId, query)
      if (account.status !== 'invited') throw new AppError('user_not_invited')
      assertMayManage(db, actor, account, membership)
      limits.consume('invite_resend', account.id)
      limits.consume('invite_address', `${membership.partner_id} ${account.email}`)
      const owner = findUser(db, invitation?.user_id ?? account.id) as User
      if (invitation) this.#extend(actor, invitation)
      const delivery = this.#deliver(actor, { account, owner, membership, isOffer: invitation !== null })
      audit(actor, {
        ...aboutMember(account, membership),
        action: 'user.invite.resend',
        details: deliveryDetails(account, delivery),
      })
      return { success: true as const, ...delivery }
    })
  }

  #create(actor: UserActor, tenant: Tenant, request: InvitationRequest): Invited {
    const { db, clock } = this.#dependencies
    const now = isoNow(clock)
    const { email, name } = request
    const account = { id: randomUUIDv7(), email, name, status: 'invited', created_at: now, updated_at: now } as const
    insertUser(db, account)
    const row = { id: randomUUIDv7(), user_id: account.id, role_id: request.roleId, created_at: now, updated_at: now }
    const owner = findUser(db, account.id) as User
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

  /**
   * Mails the link, or returns it to the caller where no mail is sent. A link that is returned cannot set a password where
   * the account may give access to more than the caller has: they could take the account over. No link is returned for the
   * address of a platform admin to be; a link sent before stays valid then.
   */
  #deliver(actor: UserActor, { account, owner, membership, isOffer }: Invited): Delivery {
    const { mailer, canSendMail, mailWriter, invitationLinks } = this.#dependencies
    const inviteEmailSent = canSendMail()
    if (inviteEmailSent && !this.#mayMail(account.email)) return { inviteEmailSent }
    const mayOpen = inviteEmailSent || this.#mayHandOver(actor, owner, isOffer)
    if (!inviteEmailSent && (this.#isFuturePlatformAdmin(owner) || !(mayOpen || isOffer)))
      return {
        inviteEmailSent,
        warning: `${noMail} No link is shown for this address. If they have an account, they accept on their profile.`,
      }
    const needsSignIn = owner.status === 'active' || !mayOpen
    const linkId = invitationLinks.issue(owner.id, {
      membershipId: membership.id,
      isMailed: inviteEmailSent,
      needsSignIn,
    })
    const data = { name: account.name, inviter: actor.name, place: this.#nameOf(membership), linkId }
    const kind = needsSignIn ? 'invitation-existing' : 'invitation'
    if (owner.status !== 'disabled') mailer.send({ kind, to: account.email, data, lifeSeconds: invitationLifeSeconds })
    if (inviteEmailSent) return { inviteEmailSent }
    const inviteUrl = mailWriter.linkTo('invitation', linkId)
    const warning = needsSignIn
      ? `${noMail} The address has an account already: make sure that it is theirs, and give them the link. They open it and sign in to accept.`
      : `${noMail} Give them the link yourself: it lets anyone who has it choose the password.`
    return { inviteEmailSent, inviteUrl, warning }
  }

  /** Whether the caller may be given a link that sets the password of this account. */
  #mayHandOver(actor: UserActor, owner: User, isOffer: boolean): boolean {
    const { db, clock } = this.#dependencies
    if (this.#isFuturePlatformAdmin(owner) || !isWithinCallerPowers(db, actor, owner)) return false
    return !isOffer || !isInvitedByOthers(db, actor, owner.id, isoNow(clock))
  }

  /** Limits the mails to one address. The inviter is not told, and a link sent before stays valid. */
  #mayMail(email: string): boolean {
    const { limits } = this.#dependencies
    if (limits.retryAfterMs('invite_mail', email) > 0) return false
    limits.count('invite_mail', email)
    return true
  }

  #isFuturePlatformAdmin({ email }: User): boolean {
    return this.#dependencies.platformAdmins.includes(email)
  }

  #nameOf(membership: TenantMembership): string {
    const { db } = this.#dependencies
    const table = membership.kind === 'partner' ? 'partners' : 'organizations'
    const id = membership.kind === 'partner' ? membership.partner_id : membership.org_id
    return db.first(q.selectFrom(table).select('name').where('id', '=', id))?.name ?? ''
  }
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
