import type { listInvitations } from '../../../../shared/api/invitations.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import type { PersonActor, SystemActor, UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { aboutOwner, ownerOf } from '../factors/owner.ts'
import { placeOffered } from '../memberships/places.ts'
import { mayGoOver } from '../policy/sso-enforcement.ts'
import { aboutPerson } from '../sign-in/person.ts'
import { findHomePartner, findSession, type Membership, membershipIdOf, orgIdOf, type User } from '../store.ts'
import {
  acceptOffer,
  dropInvitation,
  findOpenInvitation,
  type Invitation,
  offeredMembership,
  openInvitationsOf,
} from './invitation-store.ts'
import type { InviteLinks } from './invite-links.ts'

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
      return [{ id, scope, partnerName, orgName, roleName, inviterName, isUsable, createdAt, expiresAt }]
    })
    return { data: rows }
  }

  /**
   * The tenant counts for the account from now on; the session stays where it is. `token` is that of the mailed link:
   * who comes through an identity provider that has no say there shows it, to prove that they read the account's mail.
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
      const membership = acceptOffer(db, invitation, now)
      audit(actor, { ...aboutOwner(actor), ...placeOf(membership), action: 'user.invite.accepted' })
      return membership.id
    })
  }

  /** @throws AppError `invitation_not_found` */
  decline(actor: UserActor, id: string): void {
    const { db, clock, audit, inviteLinks } = this.#parts
    db.transaction(() => {
      const invitation = findOpenInvitation(db, actor.userId, id, isoNow(clock))
      if (!invitation) throw new AppError('invitation_not_found')
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

  /** An organization's identity provider may not accept what others offer to the people it vouches for. */
  #assertOwnWord(actor: UserActor, invitation: Invitation, token: string | undefined): void {
    const { db, inviteLinks } = this.#parts
    const session = findSession(db, actor.sessionId)
    if (!session) throw new AppError('invalid_token')
    if (session.sso_provider_id === null || mayGoOver(db, session, offeredMembership(invitation))) return
    const shown = token === undefined ? undefined : inviteLinks.findInvitation(token, actor.userId)
    if (shown?.id !== invitation.id || !shown.isMailed) throw new AppError('invitation_by_mail')
  }
}

const appliance: SystemActor = { kind: 'system', task: 'invitations' }

const placeOf = (membership: Exclude<Membership, { kind: 'system' }>) => ({
  orgId: orgIdOf(membership),
  partnerId: membership.partner_id,
})
