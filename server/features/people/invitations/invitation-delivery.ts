import type { resendInvite } from '../../../../shared/api/people.ts'
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

const noMail = 'This appliance sends no mail.'

interface Dependencies {
  db: Database
  clock: Clock
  limits: RateLimits
  mailer: Mailer
  /** Whether mail can leave the appliance. */
  canSendMail: () => boolean
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

  /**
   * Mails the link, or returns it to the caller where no mail is sent. A link that is returned cannot set a password where
   * the account may give access to more than the caller has: they could take the account over. No link is returned for the
   * address of a platform admin to be; a link sent before stays valid then.
   */
  deliver(actor: UserActor, { account, owner, membership, isOffer }: Invited): Delivery {
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
