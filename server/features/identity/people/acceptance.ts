import type { previewInvite } from '../../../../shared/api/invitations.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Origin, PersonActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { Place } from '../memberships/places.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { assertStrong } from '../passwords/strength.ts'
import { wordsAbout } from '../passwords/words-about.ts'
import { enforcesSso, findPasswordMembership, type SsoOwner, ssoEntranceOf } from '../policy/sso-enforcement.ts'
import { aboutPerson, personOf } from '../sign-in/person.ts'
import type { SignedIn, SignIn } from '../sign-in/sign-in.ts'
import type { Membership, User } from '../store.ts'
import type { InviteLinks } from './invite-links.ts'

interface Parts {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  signIn: SignIn
  inviteLinks: InviteLinks
}

/** What whoever was invited does with the link: look where it leads, and make the account theirs. */
export class Acceptance {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  preview(token: string, origin: Origin): ReplyOf<typeof previewInvite> {
    const { db, limits, inviteLinks } = this.#parts
    limits.consume('invite_preview', limitKey(origin.ip))
    const { user, place, expiresAt } = inviteLinks.open(token, { dead: 'invalid_or_expired', used: 'already_accepted' })
    const { partnerName, orgName } = place
    return {
      email: user.email,
      name: user.name,
      partnerName,
      ...(orgName !== null && { orgName }),
      expiresAt,
      ...(this.#isClosed(place) && { sso: ssoEntranceOf(db, ownerOf(place)) }),
      // Not where else they belong: where no mail leaves, it is not always them who looks.
      about: [user.email, user.name, partnerName, ...(orgName === null ? [] : [orgName])],
    }
  }

  /** A weak password costs the link nothing. Without a session where the account may not be signed in to now. */
  async accept(token: string, password: string, origin: Origin): Promise<{ user: User; signedIn: SignedIn | null }> {
    const { db, limits, signIn } = this.#parts
    limits.consume('invite_accept', limitKey(origin.ip))
    const { user, place } = this.#open(token)
    if (this.#isClosed(place)) throw new AppError('sso_invite_closed')
    assertStrong(password, wordsAbout(db, user))
    const passwordHash = await hashPassword(password)
    const next = this.#activated(user, passwordHash)
    const membership = findPasswordMembership(db, user)
    const activate = (actor: PersonActor) => this.#activate(token, next, membership, actor)
    // Whoever held a second factor before shows it as always.
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

  #open(token: string) {
    return this.#parts.inviteLinks.open(token, { dead: 'invite_invalid', used: 'invite_used' })
  }

  /** They make the account theirs by signing in through the identity provider. */
  #isClosed(place: Place): boolean {
    return enforcesSso(this.#parts.db, ownerOf(place))
  }

  #activated(user: User, passwordHash: string): User {
    const now = isoNow(this.#parts.clock)
    return {
      ...user,
      status: 'active',
      password_hash: passwordHash,
      password_changed_at: now,
      email_verified_at: user.email_verified_at ?? now,
      auth_epoch: user.auth_epoch + 1,
      password_reset_epoch: user.password_reset_epoch + 1,
      updated_at: now,
    }
  }

  /** Of many who come with the same link at once, the first. */
  #activate(token: string, next: User, membership: Membership | null, actor: PersonActor): void {
    const { db, audit } = this.#parts
    if (this.#isClosed(this.#open(token).place)) throw new AppError('sso_invite_closed')
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

const ownerOf = ({ partnerId, orgId }: Place): SsoOwner =>
  orgId === null ? { orgId, partnerId } : { orgId, partnerId: null }
