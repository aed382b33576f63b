import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Origin, systemActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { PartnerView } from '../../partners/index.ts'
import type { MailLink, MailLinks } from '../one-time-secrets/mail-links.ts'
import { isPasswordClosed, reachesBeyondProvider } from '../../access/sso/enforcement.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { personOf } from '../../access/memberships/person.ts'
import type { SignedIn } from '../sign-in/sign-in.ts'
import { findMembership, findUser, findUserByEmail, type User } from '../../access/users/store.ts'
import type { AddressLink } from '../email-address/address-links.ts'
import type { Completion } from './completion.ts'
import { DeadLink } from '../email-address/invalid-link.ts'
import type { PendingRegistration } from './registration.ts'

export type Verified =
  | { purpose: 'registration'; signedIn: SignedIn; partner: PartnerView }
  | { purpose: 'existing_account' }
  | { purpose: 'email_change'; email: string }
  | { purpose: 'address_proof'; email: string; partnerId: string | null }

interface Parts {
  db: Database
  clock: Clock
  limits: RateLimits
  audit: Audit
  mailer: Mailer
  links: MailLinks
  sessions: Sessions
  completion: Completion
}

/** Follows the link of a mail, whatever it was for. Why one does not work is said in the audit log only. */
export class Verification {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async follow(token: string, origin: Origin): Promise<Verified> {
    try {
      this.#parts.limits.consume('verify_email', limitKey(origin.ip))
      return await this.#follow(token, origin)
    } catch (error) {
      const isDead = error instanceof DeadLink
      const isLimited = error instanceof AppError && error.code === 'rate_limited'
      if (!isDead && !(isLimited && this.#isNews(origin))) throw error
      this.#parts.audit(systemActor('verify-email', origin), {
        action: 'auth.email_verify_failed',
        resourceType: 'user',
        resourceId: isDead ? error.userId : null,
        details: { reason: isDead ? error.reason : 'rate_limited' },
        result: 'denied',
      })
      throw isDead ? new AppError('invalid_verification_link') : error
    }
  }

  /** Fails with `DeadLink` where following would; looking at a link costs it nothing. */
  check(token: string): void {
    const { db, links } = this.#parts
    const pending = links.open<PendingRegistration>('pending_registration', token)
    if (!pending) this.#holderOf(this.#open(token))
    else if (findUserByEmail(db, pending.payload.email)) throw new DeadLink('address_taken')
  }

  /** One event tells of a stranger who tries and tries; one for each call would let them fill the disk. */
  #isNews({ ip }: Origin): boolean {
    const { limits } = this.#parts
    const isTold = limits.retryAfterMs('verify_email_told', limitKey(ip)) > 0
    if (!isTold) limits.count('verify_email_told', limitKey(ip))
    return !isTold
  }

  async #follow(token: string, origin: Origin): Promise<Verified> {
    const { db, links, completion } = this.#parts
    const pending = links.open<PendingRegistration>('pending_registration', token)
    if (pending) {
      const made = await completion.complete(pending, origin)
      return made ? { purpose: 'registration', ...made } : { purpose: 'existing_account' }
    }
    const link = this.#open(token)
    return db.transaction(() => this.#prove(link, origin))
  }

  #open(token: string): MailLink<AddressLink> {
    const link = this.#parts.links.open<AddressLink>('email_verification', token)
    if (!link) throw new DeadLink('unknown')
    return link
  }

  #prove(link: MailLink<AddressLink>, origin: Origin): Verified {
    const { email, purpose } = link.payload
    const user = this.#holderOf(link)
    link.consume()
    return purpose === 'email_change' ? this.#commitChange(user, email, origin) : this.#commitProof(user, origin)
  }

  /** Whose address a link proves. */
  #holderOf(link: MailLink<AddressLink>): User {
    const { email, emailEpoch, purpose, providerId = null } = link.payload
    const user = link.userId ? findUser(this.#parts.db, link.userId) : undefined
    if (!user || user.status === 'disabled') throw new DeadLink('account_inactive', link.userId)
    if (user.email_epoch !== emailEpoch) throw new DeadLink('superseded', user.id)
    const isAddressed = email === (purpose === 'email_change' ? user.pending_email : user.email)
    if (!isAddressed) throw new DeadLink('address_moved', user.id)
    // It was asked for before the identity provider had the say, or by the word of one that has less of it now.
    const { db } = this.#parts
    const isClosed = isPasswordClosed(db, user) || reachesBeyondProvider(db, user, providerId)
    if (purpose === 'email_change' && isClosed) throw new DeadLink('sso_required', user.id)
    return user
  }

  #commitChange(user: User, newEmail: string, origin: Origin): Verified {
    const { db, clock, mailer, sessions } = this.#parts
    if (findUserByEmail(db, newEmail)) throw new DeadLink('address_taken', user.id)
    const now = isoNow(clock)
    db.run(
      q
        .updateTable('users')
        .set({
          email: newEmail,
          email_verified_at: now,
          pending_email: null,
          pending_email_requested_at: null,
          auth_epoch: user.auth_epoch + 1,
          email_epoch: user.email_epoch + 1,
          updated_at: now,
        })
        .where('id', '=', user.id),
    )
    sessions.revokeAll(user.id, 'email-changed')
    mailer.send({ kind: 'email-changed', to: user.email, data: { name: user.name, newEmail } })
    this.#record({ ...user, email: newEmail }, origin, 'auth.email.change.committed', { previousEmail: user.email })
    return { purpose: 'email_change', email: newEmail }
  }

  #commitProof(user: User, origin: Origin): Verified {
    const { db, clock } = this.#parts
    const now = isoNow(clock)
    db.run(q.updateTable('users').set({ email_verified_at: now, updated_at: now }).where('id', '=', user.id))
    const { partnerId } = this.#record(user, origin, 'auth.email_verified', { purpose: 'address_proof' })
    return { purpose: 'address_proof', email: user.email, partnerId }
  }

  #record(user: User, origin: Origin, action: string, details: Record<string, unknown>) {
    const membership = findMembership(this.#parts.db, user)
    const actor = personOf(user, membership, origin)
    this.#parts.audit(actor, {
      action,
      resourceType: 'user',
      resourceId: user.id,
      resourceName: user.email,
      orgId: membership?.kind === 'organization' ? membership.org_id : null,
      details,
    })
    return actor
  }
}
