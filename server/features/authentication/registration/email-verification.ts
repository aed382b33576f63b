import type { AuditAction } from '../../../../shared/audit-actions/index.ts'
import type { Database } from '../../../db/database.ts'
import { type Origin, systemActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import {
  findMembership,
  findUser,
  findUserByEmail,
  isPasswordClosed,
  personActor,
  reachesBeyondProvider,
  type User,
  updateUser,
} from '../../access/index.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { PartnerView } from '../../partners/index.ts'
import { InvalidLink } from '../email-address/invalid-link.ts'
import type { MailLink, MailLinks } from '../one-time-secrets/mail-links.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { SignedIn } from '../sign-in/sign-in.ts'
import type { RegistrationCompletion } from './registration-completion.ts'

export type Verified =
  | { purpose: 'registration'; signedIn: SignedIn; partner: PartnerView }
  | { purpose: 'existing_account' }
  | { purpose: 'email_change'; email: string }
  | { purpose: 'address_proof'; email: string; partnerId: string | null }

interface Dependencies {
  db: Database
  clock: Clock
  limits: RateLimits
  audit: Audit
  mailer: Mailer
  mailLinks: MailLinks
  sessions: Sessions
  registrationCompletion: RegistrationCompletion
}

/** Follows a mailed link that confirms an address: of a registration, a change of address, or the present address. */
export class EmailVerification {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** @throws AppError `invalid_verification_link` whatever the reason, which is in the audit log; `rate_limited` */
  async follow(token: string, origin: Origin): Promise<Verified> {
    try {
      this.#dependencies.limits.consume('verify_email', limitKey(origin.ip))
      return await this.#follow(token, origin)
    } catch (error) {
      const isInvalid = error instanceof InvalidLink
      const isLimited = error instanceof AppError && error.code === 'rate_limited'
      if (!isInvalid && !(isLimited && this.#isFirstRefusal(origin))) throw error
      this.#dependencies.audit(systemActor('verify-email', origin), {
        action: 'auth.email_verify_failed',
        resourceType: 'user',
        resourceId: isInvalid ? error.userId : null,
        details: { reason: isInvalid ? error.reason : 'rate_limited' },
        result: 'denied',
      })
      throw isInvalid ? new AppError('invalid_verification_link') : error
    }
  }

  /**
   * Checks a link without using it.
   * @throws InvalidLink where `follow` would refuse it
   */
  check(token: string): void {
    const { db, mailLinks } = this.#dependencies
    const pending = mailLinks.open('pending_registration', token)
    if (!pending) this.#accountOf(this.#open(token))
    else if (findUserByEmail(db, pending.payload.email)) throw new InvalidLink('address_taken')
  }

  /** Only the first refusal by the rate limit is recorded, so that repeated calls cannot fill the audit log. */
  #isFirstRefusal({ ip }: Origin): boolean {
    const { limits } = this.#dependencies
    const isRecorded = limits.retryAfterMs('verify_email_told', limitKey(ip)) > 0
    if (!isRecorded) limits.count('verify_email_told', limitKey(ip))
    return !isRecorded
  }

  async #follow(token: string, origin: Origin): Promise<Verified> {
    const { db, mailLinks, registrationCompletion } = this.#dependencies
    const pending = mailLinks.open('pending_registration', token)
    if (pending) {
      const completed = await registrationCompletion.complete(pending, origin)
      return completed ? { purpose: 'registration', ...completed } : { purpose: 'existing_account' }
    }
    const link = this.#open(token)
    return db.transaction(() => this.#prove(link, origin))
  }

  #open(token: string): MailLink<'email_verification'> {
    const link = this.#dependencies.mailLinks.open('email_verification', token)
    if (!link) throw new InvalidLink('unknown')
    return link
  }

  #prove(link: MailLink<'email_verification'>, origin: Origin): Verified {
    const { email, purpose } = link.payload
    const user = this.#accountOf(link)
    link.consume()
    return purpose === 'email_change' ? this.#commitChange(user, email, origin) : this.#commitProof(user, origin)
  }

  /**
   * The account whose address a link confirms.
   * @throws InvalidLink
   */
  #accountOf(link: MailLink<'email_verification'>): User {
    const { email, emailEpoch, purpose, providerId = null } = link.payload
    const user = link.userId ? findUser(this.#dependencies.db, link.userId) : undefined
    if (!user || user.status === 'disabled') throw new InvalidLink('account_inactive', link.userId)
    if (user.email_epoch !== emailEpoch) throw new InvalidLink('superseded', user.id)
    const isAddressed = email === (purpose === 'email_change' ? user.pending_email : user.email)
    if (!isAddressed) throw new InvalidLink('address_moved', user.id)
    // Single sign-on was enforced after the link was sent, or the account reaches beyond the provider that vouched by now.
    const { db } = this.#dependencies
    const isClosed = isPasswordClosed(db, user) || reachesBeyondProvider(db, user, providerId)
    if (purpose === 'email_change' && isClosed) throw new InvalidLink('sso_required', user.id)
    return user
  }

  #commitChange(user: User, newEmail: string, origin: Origin): Verified {
    const { db, clock, mailer, sessions } = this.#dependencies
    if (findUserByEmail(db, newEmail)) throw new InvalidLink('address_taken', user.id)
    const now = isoNow(clock)
    updateUser(db, user.id, {
      email: newEmail,
      email_verified_at: now,
      pending_email: null,
      pending_email_requested_at: null,
      auth_epoch: user.auth_epoch + 1,
      email_epoch: user.email_epoch + 1,
      updated_at: now,
    })
    sessions.revokeAll(user.id, 'email-changed')
    mailer.send({ kind: 'email-changed', to: user.email, data: { name: user.name, newEmail } })
    this.#record({ ...user, email: newEmail }, origin, 'auth.email.change.committed', { previousEmail: user.email })
    return { purpose: 'email_change', email: newEmail }
  }

  #commitProof(user: User, origin: Origin): Verified {
    const { db, clock } = this.#dependencies
    const now = isoNow(clock)
    updateUser(db, user.id, { email_verified_at: now, updated_at: now })
    const { partnerId } = this.#record(user, origin, 'auth.email_verified', { purpose: 'address_proof' })
    return { purpose: 'address_proof', email: user.email, partnerId }
  }

  #record(user: User, origin: Origin, action: AuditAction, details: Record<string, unknown>) {
    const membership = findMembership(this.#dependencies.db, user)
    const actor = personActor(user, membership, origin)
    this.#dependencies.audit(actor, {
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
