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
import type { Mailer, MailWriter } from '../../messaging/index.ts'
import { placesOf } from '../../access/memberships/details.ts'
import { findUser, findUserByEmail, type TenantMembership, type User } from '../../access/users/store.ts'
import { roleToAssign } from '../members/assignable-roles.ts'
import { assertMayManage, isInvitedElsewhere, isOperator, opensNoMoreThan } from '../members/management-rules.ts'
import {
  type Invitation,
  isInvited,
  type MemberAccount,
  offeredMembership,
  unknownAccount,
} from '../../access/invitations/store.ts'
import { type InviteLinks, inviteLife } from '../../authentication/invitation-links/invitation-links.ts'
import { dropLapsed } from '../../access/invitations/expired.ts'
import { aboutMember, type People } from '../members/people.ts'
import { organizationReach, partnerReach, reachIn } from '../members/reach.ts'
import { type Tenant, tenantMeant, tenantOf } from '../tenants/tenant-of-call.ts'

type Choice = z.output<typeof tenantChoice>
type Wanted = BodyOf<typeof inviteUser>
type Delivery = Pick<ReplyOf<typeof resendInvite>, 'inviteEmailSent' | 'inviteUrl' | 'warning'>

const noMail = 'This appliance sends no mail.'

interface Parts {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  mailer: Mailer
  /** Whether mail leaves the appliance at all. */
  canSendMail: () => boolean
  linkTo: MailWriter['linkTo']
  inviteLinks: InviteLinks
  people: People
  /** Addresses whose accounts are to look after the appliance. */
  platformAdmins: readonly string[]
}

interface Invited {
  /** As the inviter sees it. */
  account: Pick<MemberAccount, 'id' | 'email' | 'name' | 'status'>
  /** The account itself. */
  owner: User
  membership: TenantMembership
  /** The account exists and is asked to accept. */
  isOffer: boolean
}

/**
 * Inviting people to a tenant. An address without an account gets one, which is its owner's to finish. An account that
 * exists is offered the membership: nothing about it changes, and nothing of it shows, before its owner accepts.
 */
export class Invitations {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  invite(actor: UserActor, query: Choice, wanted: Wanted): ReplyOf<typeof inviteUser> {
    const { db, clock, audit, limits } = this.#parts
    return db.transaction(() => {
      const tenant = tenantOf(db, actor, tenantMeant(actor, query, wanted), 'let-in')
      const role = roleToAssign(db, actor, tenant, wanted.roleId)
      const user = findUserByEmail(db, wanted.email)
      if (user) {
        dropLapsed(db, clock, { userId: user.id, tenant })
        assertNotIn(db, tenant, user.id)
      }
      limits.consume('invite_address', `${tenant.partnerId} ${wanted.email}`)
      // Each time there is a mail, also after an invitation that was withdrawn; whether there is an account or not.
      limits.consume('invite_resend', `${idOf(tenant)} ${wanted.email}`)
      const invited = user ? this.#offer(actor, tenant, user, wanted) : this.#create(actor, tenant, wanted)
      const delivery = this.#deliver(actor, invited)
      const { account, membership } = invited
      audit(actor, {
        ...aboutMember(account, membership),
        action: 'user.invite',
        details: { roleId: role.id, roleName: role.name, ...reachIn(membership), ...howSent(account, delivery) },
      })
      const { id, email, name, status } = account
      return { id, email, name, status, roleId: role.id, ...delivery }
    })
  }

  resend(actor: UserActor, query: Choice, userId: string): ReplyOf<typeof resendInvite> {
    const { db, audit, limits, people } = this.#parts
    return db.transaction(() => {
      tenantOf(db, actor, query, 'let-in')
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
        details: howSent(account, delivery),
      })
      return { success: true as const, ...delivery }
    })
  }

  #create(actor: UserActor, tenant: Tenant, wanted: Wanted): Invited {
    const { db, clock } = this.#parts
    const now = isoNow(clock)
    const { email, name } = wanted
    const account = { id: randomUUIDv7(), email, name, status: 'invited', created_at: now, updated_at: now } as const
    db.run(q.insertInto('users').values(account))
    const row = { id: randomUUIDv7(), user_id: account.id, role_id: wanted.roleId, created_at: now, updated_at: now }
    const owner = findUser(db, account.id) as User
    if (tenant.kind === 'partner') {
      const partnerUser = { ...row, partner_id: tenant.partnerId, ...partnerReach(db, tenant, wanted) }
      db.run(q.insertInto('partner_users').values(partnerUser))
      return { account, owner, membership: { kind: 'partner', ...partnerUser }, isOffer: false }
    }
    const organizationUser = { ...row, org_id: tenant.orgId, ...organizationReach(db, actor, tenant, wanted) }
    db.run(q.insertInto('organization_users').values(organizationUser))
    const membership = { kind: 'organization', partner_id: tenant.partnerId, ...organizationUser } as const
    return { account, owner, membership, isOffer: false }
  }

  #offer(actor: UserActor, tenant: Tenant, owner: User, wanted: Wanted): Invited {
    const { db, clock } = this.#parts
    // Those who administer one tenant are not told about accounts of others; those of the appliance look after them.
    if (owner.status === 'disabled' && isOperator(actor)) throw new AppError('user_disabled')
    const reach =
      tenant.kind === 'partner' ? partnerReach(db, tenant, wanted) : organizationReach(db, actor, tenant, wanted)
    const now = isoNow(clock)
    const invitation: Invitation = {
      id: randomUUIDv7(),
      user_id: owner.id,
      partner_id: tenant.partnerId,
      org_id: tenant.kind === 'partner' ? null : tenant.orgId,
      role_id: wanted.roleId,
      org_access: null,
      org_ids: null,
      site_ids: null,
      device_group_ids: null,
      ...reach,
      email: wanted.email,
      name: wanted.name,
      inviter_name: actor.name,
      expires_at: this.#expiry(),
      created_at: now,
      updated_at: now,
    }
    db.run(q.insertInto('invitations').values(invitation))
    return { account: unknownAccount(invitation), owner, membership: offeredMembership(invitation), isOffer: true }
  }

  #extend(actor: UserActor, { id }: Invitation): void {
    const next = { inviter_name: actor.name, expires_at: this.#expiry(), updated_at: isoNow(this.#parts.clock) }
    this.#parts.db.run(q.updateTable('invitations').set(next).where('id', '=', id))
  }

  readonly #expiry = () => iso(this.#parts.clock.now() + inviteLife * second)

  /**
   * By mail. Where none leaves, the caller hands the link over. Where the account may open more than they may, that link
   * accepts what they offer and sets no password: it would make the account theirs. No link at all is shown for an
   * address that is to look after the appliance; the one that is out then stays good.
   */
  #deliver(actor: UserActor, { account, owner, membership, isOffer }: Invited): Delivery {
    const { mailer, canSendMail, linkTo, inviteLinks } = this.#parts
    const inviteEmailSent = canSendMail()
    if (inviteEmailSent && !this.#mayMail(account.email)) return { inviteEmailSent }
    const mayOpen = inviteEmailSent || this.#mayHandOver(actor, owner, isOffer)
    if (!inviteEmailSent && (this.#isToAdminister(owner) || !(mayOpen || isOffer)))
      return {
        inviteEmailSent,
        warning: `${noMail} No link is shown for this address. If they have an account, they accept on their profile.`,
      }
    const needsSignIn = owner.status === 'active' || !mayOpen
    const linkId = inviteLinks.issue(owner.id, { membershipId: membership.id, isMailed: inviteEmailSent, needsSignIn })
    const data = { name: account.name, inviter: actor.name, place: this.#nameOf(membership), linkId }
    const kind = needsSignIn ? 'invitation-existing' : 'invitation'
    if (owner.status !== 'disabled') mailer.send({ kind, to: account.email, data, lifeSeconds: inviteLife })
    if (inviteEmailSent) return { inviteEmailSent }
    const inviteUrl = linkTo('invitation', linkId)
    const warning = needsSignIn
      ? `${noMail} The address has an account already: make sure that it is theirs, and give them the link. They open it and sign in to accept.`
      : `${noMail} Give them the link yourself: it lets anyone who has it choose the password.`
    return { inviteEmailSent, inviteUrl, warning }
  }

  /** A link that sets a password. What others offer the account needs a link of its own, and is not opened by this one. */
  #mayHandOver(actor: UserActor, owner: User, isOffer: boolean): boolean {
    const { db, clock } = this.#parts
    if (this.#isToAdminister(owner) || !opensNoMoreThan(db, actor, owner)) return false
    return !isOffer || !isInvitedElsewhere(db, actor, owner.id, isoNow(clock))
  }

  /** No company can use up what others may send: whoever invites is not told, and a link that is out stays good. */
  #mayMail(email: string): boolean {
    const { limits } = this.#parts
    if (limits.retryAfterMs('invite_mail', email) > 0) return false
    limits.count('invite_mail', email)
    return true
  }

  #isToAdminister({ email }: User): boolean {
    return this.#parts.platformAdmins.includes(email)
  }

  #nameOf(membership: TenantMembership): string {
    const { db } = this.#parts
    const table = membership.kind === 'partner' ? 'partners' : 'organizations'
    const id = membership.kind === 'partner' ? membership.partner_id : membership.org_id
    return db.first(q.selectFrom(table).select('name').where('id', '=', id))?.name ?? ''
  }
}

const idOf = (tenant: Tenant): string => (tenant.kind === 'partner' ? tenant.partnerId : tenant.orgId)

const howSent = ({ status }: Invited['account'], { inviteEmailSent }: Delivery) => ({ status, inviteEmailSent })

/** @throws AppError `user_in_scope` for a member, and for somebody who is invited already. */
function assertNotIn(db: Database, tenant: Tenant, userId: string): void {
  const orgId = tenant.kind === 'partner' ? null : tenant.orgId
  const isMember = placesOf(db, userId).some((place) => place.partnerId === tenant.partnerId && place.orgId === orgId)
  if (isMember || isInvited(db, userId, tenant.partnerId, orgId)) throw new AppError('user_in_scope')
}
