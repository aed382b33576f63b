import type { resendInvite } from '../../../../shared/api/people.ts'
import type { MailDelivery } from '../../../../shared/api/registration.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { invitationLifeSeconds, type TenantMembership, type User } from '../../access/index.ts'
import type { InvitationLinks } from '../../authentication/index.ts'
import type { Mailer, MailWriter } from '../../messaging/index.ts'
import { isInvitedByOthers, isWithinCallerPowers } from '../members/management-rules.ts'
import type { MemberAccount } from '../members/member-account.ts'

export type Delivery = Pick<ReplyOf<typeof resendInvite>, 'inviteEmailSent' | 'inviteUrl' | 'warning'>

export interface Invited {
  /** As the inviter sees it. */
  account: Pick<MemberAccount, 'id' | 'email' | 'name' | 'status'>
  /** The account itself. */
  owner: User
  membership: TenantMembership
  /** The account existed before and has to accept. */
  isOffer: boolean
}

/** Why the inviter has to hand over the link. */
const reasons = {
  file: 'This appliance writes mail to files instead of sending it.',
  none: 'This appliance sends no mail.',
} as const

interface Dependencies {
  db: Database
  clock: Clock
  limits: RateLimits
  mailer: Mailer
  mailDelivery: () => MailDelivery
  mailWriter: Pick<MailWriter, 'linkTo'>
  invitationLinks: InvitationLinks
  /** Addresses whose accounts become platform admins (`PLATFORM_ADMINS`). */
  platformAdmins: readonly string[]
}

/** Gets the link of an invitation to the invited user, by mail or through the inviter. */
export class InvitationDelivery {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** Mails the link, or returns one to the caller where no mail leaves the appliance. */
  deliver(actor: UserActor, invited: Invited): Delivery {
    const delivery = this.#dependencies.mailDelivery()
    if (delivery === 'none') return this.#handOver(actor, invited, delivery)
    this.#mail(actor, invited)
    return delivery === 'server' ? { inviteEmailSent: true } : this.#handOver(actor, invited, delivery)
  }

  #mail(actor: UserActor, { account, owner, membership }: Invited): void {
    if (!this.#mayMail(account.email)) return
    const needsSignIn = owner.status === 'active'
    const payload = { membershipId: membership.id, isMailed: true, needsSignIn }
    const linkId = this.#dependencies.invitationLinks.issue(owner.id, payload)
    this.#queue(actor, { account, owner, membership }, needsSignIn, linkId)
  }

  /**
   * A link for the caller to hand over. It cannot set a password where the account may give access to more than the caller
   * has: they could take the account over. There is none for the address of a platform admin to be; a link sent before
   * stays valid then.
   */
  #handOver(actor: UserActor, invited: Invited, delivery: keyof typeof reasons): Delivery {
    const { mailWriter, invitationLinks } = this.#dependencies
    const { owner, membership, isOffer } = invited
    const inviteEmailSent = false
    const mayOpen = this.#mayHandOver(actor, owner, isOffer)
    if (this.#isFuturePlatformAdmin(owner) || !(mayOpen || isOffer)) {
      const warning = `${reasons[delivery]} No link is shown for this address. If they have an account, they accept on their profile.`
      return { inviteEmailSent, warning }
    }
    const needsSignIn = owner.status === 'active' || !mayOpen
    const payload = { membershipId: membership.id, isMailed: false, needsSignIn }
    // The file has a link of its own, which its reader may use as well.
    const linkId =
      delivery === 'file' ? invitationLinks.issueAnother(owner.id, payload) : invitationLinks.issue(owner.id, payload)
    if (delivery === 'none') this.#queue(actor, invited, needsSignIn, linkId)
    const warning = needsSignIn
      ? `${reasons[delivery]} The address has an account already: make sure that it is theirs, and give them the link. They open it and sign in to accept.`
      : `${reasons[delivery]} Give them the link yourself: it lets anyone who has it choose the password.`
    return { inviteEmailSent, inviteUrl: mailWriter.linkTo('invitation', linkId), warning }
  }

  #queue(
    actor: UserActor,
    { account, owner, membership }: Omit<Invited, 'isOffer'>,
    needsSignIn: boolean,
    linkId: string,
  ): void {
    if (owner.status === 'disabled') return
    const data = { name: account.name, inviter: actor.name, place: this.#nameOf(membership), linkId }
    const kind = needsSignIn ? 'invitation-existing' : 'invitation'
    this.#dependencies.mailer.send({ kind, to: account.email, data, lifeSeconds: invitationLifeSeconds })
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
