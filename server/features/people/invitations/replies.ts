import type { listInvitations } from '../../../../shared/api/invitations.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import type { PersonActor, SystemActor, UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { aboutOwner, ownerOf } from '../../authentication/sessions/account-owner.ts'
import { placeOffered } from '../../access/memberships/details.ts'
import { mayGoOver } from '../../access/sso/enforcement.ts'
import { aboutPerson } from '../../access/memberships/person.ts'
import {
  findHomePartner,
  findSession,
  type Membership,
  membershipIdOf,
  orgIdOf,
  type Session,
  type User,
} from '../../access/users/store.ts'
import {
  acceptOffer,
  dropInvitation,
  findHeld,
  findOpenInvitation,
  type Invitation,
  offeredMembership,
  openInvitationsOf,
} from '../../access/invitations/store.ts'
import type { InviteLinks } from '../../authentication/invitation-links/invitation-links.ts'

interface Parts {
  db: Database
  clock: Clock
  audit: Audit
  inviteLinks: InviteLinks
}

/** What the owner of an account does about invitations to more tenants: sees, accepts or declines them. */
export class InvitationReplies {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  list(actor: UserActor): ReplyOf<typeof listInvitations> {
    const { db, clock } = this.#parts
    const rows = openInvitationsOf(db, actor.userId, isoNow(clock)).flatMap((invitation) => {
      const place = placeOffered(db, invitation)
      if (!place) return []
      const { id, inviter_name: inviterName, created_at: createdAt, expires_at: expiresAt } = invitation
      const { scope, partnerName, orgName, roleName, isUsable } = place
      const needsLink = !this.#isOwnWord(actor, invitation)
      return [{ id, scope, partnerName, orgName, roleName, inviterName, isUsable, needsLink, createdAt, expiresAt }]
    })
    return { data: rows }
  }

  /**
   * The tenant counts for the account from now on; the session stays where it is. `token` is that of the
   * invitation's link, and shows that those who invite mean the holder of this account.
   * @returns the id of the membership
   * @throws AppError `invitation_not_found`, `membership_unusable`, `operator_without_tenant`, `invitation_by_mail`
   */
  accept(actor: UserActor, id: string, token: string | undefined): string {
    const { db, clock, audit } = this.#parts
    return db.transaction(() => {
      const now = isoNow(clock)
      const invitation = findOpenInvitation(db, actor.userId, id, now)
      const place = invitation && placeOffered(db, invitation)
      if (!invitation || !place) throw new AppError('invitation_not_found')
      if (!place.isUsable) throw new AppError('membership_unusable')
      const user = ownerOf(db, actor)
      // A member of anything is no operator any more.
      if (user.is_platform_admin && findHomePartner(db, user.id) === undefined)
        throw new AppError('operator_without_tenant')
      this.#assertOwnWord(actor, invitation, token)
      const offered = offeredMembership(invitation)
      const held = findHeld(db, offered)
      // What they are there already stays as it is.
      if (held) dropInvitation(db, id)
      else acceptOffer(db, invitation, now)
      audit(actor, { ...aboutOwner(actor), ...placeOf(offered), action: 'user.invite.accepted' })
      return (held ?? offered).id
    })
  }

  /**
   * As for accepting: it ends the link of the invitation, too, and whom that was meant for would never know.
   * @throws AppError `invitation_not_found`, `invitation_by_mail`
   */
  decline(actor: UserActor, id: string, token: string | undefined): void {
    const { db, clock, audit, inviteLinks } = this.#parts
    db.transaction(() => {
      const invitation = findOpenInvitation(db, actor.userId, id, isoNow(clock))
      if (!invitation) throw new AppError('invitation_not_found')
      this.#assertOwnWord(actor, invitation, token)
      dropInvitation(db, id)
      inviteLinks.voidOf(id, actor.userId)
      // Told as the inviter entered it: the account behind the address stays unknown there.
      audit(appliance, {
        action: 'user.invite.declined',
        resourceType: 'user',
        resourceId: id,
        resourceName: invitation.email,
        ...placeOf(offeredMembership(invitation)),
      })
    })
  }

  /** Where a sign-in lands in what an invitation offers, it accepts it. Inside the transaction that begins the session. */
  acceptOffered(user: User, membership: Membership, actor: PersonActor): void {
    const { db, clock, audit } = this.#parts
    const id = membershipIdOf(membership)
    const now = isoNow(clock)
    const invitation = id === null ? undefined : findOpenInvitation(db, user.id, id, now)
    if (!invitation) return
    acceptOffer(db, invitation, now)
    audit(actor, { ...aboutPerson(user, membership), action: 'user.invite.accepted' })
  }

  /**
   * An address may have been taken by somebody who never received its mail. An identity provider answers only for the
   * tenant it belongs to. Both need the link of the invitation; after the latter, the one that was mailed.
   */
  #assertOwnWord(actor: UserActor, invitation: Invitation, token: string | undefined): void {
    if (this.#isOwnWord(actor, invitation)) return
    const shown = token === undefined ? undefined : this.#parts.inviteLinks.findInvitation(token, actor.userId)
    const isEnough = shown?.id === invitation.id && (shown.isMailed || this.#sessionOf(actor).sso_provider_id === null)
    if (!isEnough) throw new AppError('invitation_by_mail')
  }

  #isOwnWord(actor: UserActor, invitation: Invitation): boolean {
    const { db } = this.#parts
    const session = this.#sessionOf(actor)
    return session.sso_provider_id === null
      ? ownerOf(db, actor).email_verified_at !== null
      : mayGoOver(db, session, offeredMembership(invitation))
  }

  #sessionOf(actor: UserActor): Session {
    const session = findSession(this.#parts.db, actor.sessionId)
    if (!session) throw new AppError('invalid_token')
    return session
  }
}

const appliance: SystemActor = { kind: 'system', task: 'invitations' }

const placeOf = (membership: Exclude<Membership, { kind: 'system' }>) => ({
  orgId: orgIdOf(membership),
  partnerId: membership.partner_id,
})
