import type { previewInvite } from '../../../../shared/api/invitations.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import type { Origin, PersonActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { type Clock, iso, isoNow, second } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import {
  aboutPerson,
  acceptInvitation,
  enforcesSso,
  invitationLifeSeconds,
  type Membership,
  type MembershipDetails,
  offeredMembership,
  personActor,
  type SsoOwner,
  ssoLoginOf,
  type TenantMembership,
  turnMembershipsIntoInvitations,
  type User,
  updateUser,
  usableMemberships,
} from '../../access/index.ts'
import type { InvitationLinks, OpenInvitationLink } from '../invitation-links/invitation-links.ts'
import { hashPassword } from '../passwords/hashing.ts'
import { personalWords } from '../passwords/personal-words.ts'
import { assertStrong } from '../passwords/strength.ts'
import type { SignedIn, SignIn } from '../sign-in/sign-in.ts'

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  signIn: SignIn
  invitationLinks: InvitationLinks
}

/** What the holder of an invitation link can do without being signed in: preview it, and activate a new account. */
export class InvitationAcceptance {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  preview(token: string, origin: Origin): ReplyOf<typeof previewInvite> {
    const { db, limits, invitationLinks } = this.#dependencies
    limits.consume('invite_preview', limitKey(origin.ip))
    const {
      user,
      details,
      expiresAt,
      invitation,
      needsSignIn: hasAccount,
    } = invitationLinks.open(token, {
      invalid: 'invalid_or_expired',
      used: 'already_accepted',
    })
    const { partnerName, orgName } = details
    // Name and address as the inviter entered them: those of an existing account must not be disclosed.
    const { email, name } = invitation ?? user
    return {
      email,
      name,
      hasAccount,
      ...(hasAccount && invitation && { invitationId: invitation.id }),
      partnerName,
      ...(orgName !== null && { orgName }),
      expiresAt,
      ...(!hasAccount && this.#isClosed(details) && { sso: ssoLoginOf(db, ssoOwnerFor(details)) }),
      // Without their other memberships: where no mail is sent, the holder of the link may be somebody else.
      about: hasAccount ? [] : [email, name, partnerName, ...(orgName === null ? [] : [orgName])],
    }
  }

  /**
   * Sets the password and signs in to the tenant of the link. A refused password does not use the link up.
   * @returns `signedIn` null where the account is activated but cannot be signed in to now
   * @throws AppError `invite_invalid`, `invite_used`, `invite_needs_sign_in`, `sso_invite_closed`, `validation_failed`
   */
  async accept(token: string, password: string, origin: Origin): Promise<{ user: User; signedIn: SignedIn | null }> {
    const { db, limits, signIn } = this.#dependencies
    limits.consume('invite_accept', limitKey(origin.ip))
    const opened = this.#open(token)
    const { user } = opened
    assertStrong(password, personalWords(db, user))
    const passwordHash = await hashPassword(password)
    const next = this.#activated(opened, passwordHash)
    const membership = membershipOf(db, opened)
    const activate = (actor: PersonActor) => this.#activate(token, next, membership, actor)
    // An account that has a second factor already signs in with it.
    if (membership && !user.mfa_enabled)
      try {
        const method = { method: 'invitation', source: null } as const
        return { user: next, signedIn: await signIn.complete(next, membership, origin, method, activate) }
      } catch (error) {
        const isRefused = error instanceof AppError && (error.status === 401 || error.status === 403)
        if (!isRefused) throw error
      }
    db.transaction(() => activate(personActor(next, membership, origin)))
    return { user: next, signedIn: null }
  }

  /** @throws AppError `invite_invalid`, `invite_used`, `invite_needs_sign_in`, `sso_invite_closed` */
  #open(token: string): OpenInvitationLink {
    const opened = this.#dependencies.invitationLinks.open(token, { invalid: 'invite_invalid', used: 'invite_used' })
    if (opened.needsSignIn) throw new AppError('invite_needs_sign_in')
    if (this.#isClosed(opened.details)) throw new AppError('sso_invite_closed')
    return opened
  }

  /** The tenant enforces single sign-on, so the account is activated by signing in through its identity provider. */
  #isClosed(details: MembershipDetails): boolean {
    return enforcesSso(this.#dependencies.db, ssoOwnerFor(details))
  }

  #activated({ user, isMailed }: OpenInvitationLink, passwordHash: string): User {
    const now = isoNow(this.#dependencies.clock)
    return {
      ...user,
      status: 'active',
      password_hash: passwordHash,
      password_changed_at: now,
      // A link that was not mailed proves nothing about the address.
      email_verified_at: user.email_verified_at ?? (isMailed ? now : null),
      auth_epoch: user.auth_epoch + 1,
      password_reset_epoch: user.password_reset_epoch + 1,
      updated_at: now,
    }
  }

  /** Opens the link again, because of several concurrent requests only the first may use it. */
  #activate(token: string, next: User, membership: Membership | null, actor: PersonActor): void {
    const { db, clock, audit } = this.#dependencies
    const { user, invitation } = this.#open(token)
    if (invitation) {
      const expiresAt = iso(clock.now() + invitationLifeSeconds * second)
      if (user.last_login_at === null && user.password_hash === null)
        turnMembershipsIntoInvitations(db, user, next.updated_at, expiresAt)
      acceptInvitation(db, invitation, next.updated_at)
    }
    const { status, password_hash, password_changed_at, email_verified_at, updated_at } = next
    const { auth_epoch, password_reset_epoch } = next
    const columns = { status, password_hash, password_changed_at, email_verified_at, updated_at }
    updateUser(db, next.id, { ...columns, auth_epoch, password_reset_epoch })
    for (const action of ['user.invite.accepted', 'user.password.set'] as const)
      audit(actor, { ...aboutPerson(next, membership), action })
  }
}

/** The membership of the link; null while its tenant is not open. */
function membershipOf(
  db: Database,
  { user, membershipId, details, invitation }: OpenInvitationLink,
): TenantMembership | null {
  if (invitation) return details.isUsable ? offeredMembership(invitation) : null
  return usableMemberships(db, user.id).find(({ id }) => id === membershipId) ?? null
}

const ssoOwnerFor = ({ partnerId, orgId }: MembershipDetails): SsoOwner =>
  orgId === null ? { orgId, partnerId } : { orgId, partnerId: null }
