import type { previewInvite } from '../../../../shared/api/invitations.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Origin, PersonActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { type Clock, iso, isoNow, second } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { Place } from '../../access/memberships/details.ts'
import { hashPassword } from '../passwords/hashing.ts'
import { assertStrong } from '../passwords/strength.ts'
import { wordsAbout } from '../passwords/personal-words.ts'
import { enforcesSso, type SsoOwner, ssoEntranceOf } from '../../access/sso/enforcement.ts'
import { aboutPerson, personOf } from '../../access/memberships/person.ts'
import type { SignedIn, SignIn } from '../sign-in/sign-in.ts'
import { type Membership, type TenantMembership, type User, usableMemberships } from '../../access/users/store.ts'
import { acceptOffer, offeredMembership, offerInstead } from '../../access/invitations/store.ts'
import { type InviteLinks, inviteLife, type OpenInvite } from '../invitation-links/invitation-links.ts'

interface Parts {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  signIn: SignIn
  inviteLinks: InviteLinks
}

/** What people do with the link of an invitation: look where it leads, and make a new account theirs. */
export class Acceptance {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  preview(token: string, origin: Origin): ReplyOf<typeof previewInvite> {
    const { db, limits, inviteLinks } = this.#parts
    limits.consume('invite_preview', limitKey(origin.ip))
    const {
      user,
      place,
      expiresAt,
      invitation,
      needsSignIn: hasAccount,
    } = inviteLinks.open(token, {
      dead: 'invalid_or_expired',
      used: 'already_accepted',
    })
    const { partnerName, orgName } = place
    // To who holds the link, an account is what the inviter entered: it may be called otherwise, or have another address.
    const { email, name } = invitation ?? user
    return {
      email,
      name,
      hasAccount,
      ...(hasAccount && invitation && { invitationId: invitation.id }),
      partnerName,
      ...(orgName !== null && { orgName }),
      expiresAt,
      ...(!hasAccount && this.#isClosed(place) && { sso: ssoEntranceOf(db, ownerOf(place)) }),
      // Not where else they belong: where no mail leaves, it is not always them who looks.
      about: hasAccount ? [] : [email, name, partnerName, ...(orgName === null ? [] : [orgName])],
    }
  }

  /**
   * A weak password costs the link nothing. Without a session where the account may not be signed in to now. The sign-in
   * lands in the tenant that the link is for.
   */
  async accept(token: string, password: string, origin: Origin): Promise<{ user: User; signedIn: SignedIn | null }> {
    const { db, limits, signIn } = this.#parts
    limits.consume('invite_accept', limitKey(origin.ip))
    const opened = this.#open(token)
    const { user } = opened
    assertStrong(password, wordsAbout(db, user))
    const passwordHash = await hashPassword(password)
    const next = this.#activated(opened, passwordHash)
    const membership = membershipOf(db, opened)
    const activate = (actor: PersonActor) => this.#activate(token, next, membership, actor)
    // An account that held a second factor before shows it as always.
    if (membership && !user.mfa_enabled)
      try {
        const means = { method: 'invitation', source: null } as const
        return { user: next, signedIn: await signIn.complete(next, membership, origin, means, activate) }
      } catch (error) {
        const isBarred = error instanceof AppError && (error.status === 401 || error.status === 403)
        if (!isBarred) throw error
      }
    db.transaction(() => activate(personOf(next, membership, origin)))
    return { user: next, signedIn: null }
  }

  /** @throws AppError also `invite_needs_sign_in` and `sso_invite_closed`, where another way leads in */
  #open(token: string): OpenInvite {
    const opened = this.#parts.inviteLinks.open(token, { dead: 'invite_invalid', used: 'invite_used' })
    if (opened.needsSignIn) throw new AppError('invite_needs_sign_in')
    if (this.#isClosed(opened.place)) throw new AppError('sso_invite_closed')
    return opened
  }

  /** They make the account theirs by signing in through the identity provider. */
  #isClosed(place: Place): boolean {
    return enforcesSso(this.#parts.db, ownerOf(place))
  }

  #activated({ user, isMailed }: OpenInvite, passwordHash: string): User {
    const now = isoNow(this.#parts.clock)
    return {
      ...user,
      status: 'active',
      password_hash: passwordHash,
      password_changed_at: now,
      // A link that was handed over by somebody else proves no mailbox.
      email_verified_at: user.email_verified_at ?? (isMailed ? now : null),
      auth_epoch: user.auth_epoch + 1,
      password_reset_epoch: user.password_reset_epoch + 1,
      updated_at: now,
    }
  }

  /** Of many who come with the same link at once, the first. */
  #activate(token: string, next: User, membership: Membership | null, actor: PersonActor): void {
    const { db, clock, audit } = this.#parts
    const { user, invitation } = this.#open(token)
    if (invitation) {
      const expiresAt = iso(clock.now() + inviteLife * second)
      if (user.last_login_at === null && user.password_hash === null) offerInstead(db, user, next.updated_at, expiresAt)
      acceptOffer(db, invitation, next.updated_at)
    }
    const { status, password_hash, password_changed_at, email_verified_at, updated_at } = next
    const { auth_epoch, password_reset_epoch } = next
    const columns = { status, password_hash, password_changed_at, email_verified_at, updated_at }
    db.run(
      q
        .updateTable('users')
        .set({ ...columns, auth_epoch, password_reset_epoch })
        .where('id', '=', next.id),
    )
    for (const action of ['user.invite.accepted', 'user.password.set'])
      audit(actor, { ...aboutPerson(next, membership), action })
  }
}

/** What the link is for; null while that cannot be worked in. */
function membershipOf(db: Database, { user, membershipId, place, invitation }: OpenInvite): TenantMembership | null {
  if (invitation) return place.isUsable ? offeredMembership(invitation) : null
  return usableMemberships(db, user.id).find(({ id }) => id === membershipId) ?? null
}

const ownerOf = ({ partnerId, orgId }: Place): SsoOwner =>
  orgId === null ? { orgId, partnerId } : { orgId, partnerId: null }
