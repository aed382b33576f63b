import type { listInvitations } from '../../../../shared/api/invitations.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import type { SystemActor, UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import {
  acceptInvitation,
  deleteInvitation,
  findExistingMembership,
  findHomePartner,
  findOpenInvitation,
  type Invitation,
  invitationDetails,
  type Membership,
  maySwitchTo,
  offeredMembership,
  openInvitationsOf,
  orgIdOf,
} from '../../access/index.ts'
import {
  aboutOwnAccount,
  findSession,
  type InvitationLinks,
  type Session,
  signedInUser,
} from '../../authentication/index.ts'

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  invitationLinks: InvitationLinks
}

/** The invitations of the caller to further tenants: listing, accepting and declining them. */
export class InvitationReplies {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  list(actor: UserActor): ReplyOf<typeof listInvitations> {
    const { db, clock } = this.#dependencies
    const rows = openInvitationsOf(db, actor.userId, isoNow(clock)).flatMap((invitation) => {
      const details = invitationDetails(db, invitation)
      if (!details) return []
      const { id, inviter_name: inviterName, created_at: createdAt, expires_at: expiresAt } = invitation
      const { scope, partnerName, orgName, roleName, isUsable } = details
      const needsLink = !this.#isProvenBySession(actor, invitation)
      return [{ id, scope, partnerName, orgName, roleName, inviterName, isUsable, needsLink, createdAt, expiresAt }]
    })
    return { data: rows }
  }

  /**
   * Accepts an invitation; the session stays in its present tenant.
   * @param token of the invitation's link, which proves that the inviter meant the holder of this account
   * @returns the id of the membership
   * @throws AppError `invitation_not_found`, `membership_unusable`, `operator_without_tenant`, `invitation_by_mail`
   */
  accept(actor: UserActor, id: string, token: string | undefined): string {
    const { db, clock, audit } = this.#dependencies
    return db.transaction(() => {
      const now = isoNow(clock)
      const invitation = findOpenInvitation(db, actor.userId, id, now)
      const details = invitation && invitationDetails(db, invitation)
      if (!invitation || !details) throw new AppError('invitation_not_found')
      if (!details.isUsable) throw new AppError('membership_unusable')
      const user = signedInUser(db, actor)
      // An operator is a platform admin without a membership, so accepting would end that.
      if (user.is_platform_admin && findHomePartner(db, user.id) === undefined)
        throw new AppError('operator_without_tenant')
      this.#assertProven(actor, invitation, token)
      const offered = offeredMembership(invitation)
      const existing = findExistingMembership(db, offered)
      // An existing membership is kept as it is.
      if (existing) deleteInvitation(db, id)
      else acceptInvitation(db, invitation, now)
      audit(actor, { ...aboutOwnAccount(actor), ...tenantOf(offered), action: 'user.invite.accepted' })
      return (existing ?? offered).id
    })
  }

  /**
   * Needs the same proof as accepting, because it also invalidates the link, which may have been meant for somebody else.
   * @throws AppError `invitation_not_found`, `invitation_by_mail`
   */
  decline(actor: UserActor, id: string, token: string | undefined): void {
    const { db, clock, audit, invitationLinks } = this.#dependencies
    db.transaction(() => {
      const invitation = findOpenInvitation(db, actor.userId, id, isoNow(clock))
      if (!invitation) throw new AppError('invitation_not_found')
      this.#assertProven(actor, invitation, token)
      deleteInvitation(db, id)
      invitationLinks.voidOf(id, actor.userId)
      // With the address the inviter entered: the account itself must not be disclosed to that tenant.
      audit(appliance, {
        action: 'user.invite.declined',
        resourceType: 'user',
        resourceId: id,
        resourceName: invitation.email,
        ...tenantOf(offeredMembership(invitation)),
      })
    })
  }

  /**
   * An account with an unconfirmed address may belong to somebody else than the invited person, and an identity provider
   * vouches for its own tenant only. In both cases the token of the invitation is needed; in a session of an identity
   * provider, that of a mailed link.
   * @throws AppError `invitation_by_mail`
   */
  #assertProven(actor: UserActor, invitation: Invitation, token: string | undefined): void {
    if (this.#isProvenBySession(actor, invitation)) return
    const shown =
      token === undefined ? undefined : this.#dependencies.invitationLinks.findInvitation(token, actor.userId)
    const isEnough = shown?.id === invitation.id && (shown.isMailed || this.#sessionOf(actor).sso_provider_id === null)
    if (!isEnough) throw new AppError('invitation_by_mail')
  }

  #isProvenBySession(actor: UserActor, invitation: Invitation): boolean {
    const { db } = this.#dependencies
    const session = this.#sessionOf(actor)
    return session.sso_provider_id === null
      ? signedInUser(db, actor).email_verified_at !== null
      : maySwitchTo(db, session, offeredMembership(invitation))
  }

  #sessionOf(actor: UserActor): Session {
    const session = findSession(this.#dependencies.db, actor.sessionId)
    if (!session) throw new AppError('invalid_token')
    return session
  }
}

const appliance: SystemActor = { kind: 'system', task: 'invitations' }

const tenantOf = (membership: Exclude<Membership, { kind: 'system' }>) => ({
  orgId: orgIdOf(membership),
  partnerId: membership.partner_id,
})
