import type { MailDelivery } from '../../../../shared/api/registration.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { iso, second } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { User } from '../../access/index.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { MailLinks } from '../one-time-secrets/mail-links.ts'
import type { AddressLink } from '../one-time-secrets/secret-payloads.ts'
import { aboutOwnAccount, signedInUser } from '../sessions/signed-in-user.ts'

const lifeSeconds = 24 * 3600

/** When a link requested at this instant (ISO 8601) expires. */
export const addressLinkEnd = (requestedAt: string): string => iso(Date.parse(requestedAt) + lifeSeconds * second)

interface Dependencies {
  db: Database
  limits: RateLimits
  mailer: Mailer
  mailLinks: MailLinks
  audit: Audit
  mailDelivery: () => MailDelivery
}

/** Mailed links that confirm an email address: the present one of an account, or the one it is to be changed to. */
export class AddressLinks {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** Mails a link to the new address; `user` as saved with the pending change. */
  sendForChange(user: User, newEmail: string, providerId: string | null): void {
    const { mailer } = this.#dependencies
    const { email_epoch: emailEpoch } = user
    const linkId = this.#issue(user, { purpose: 'email_change', email: newEmail, emailEpoch, providerId })
    const data = { name: user.name, newEmail, linkId }
    mailer.send({ kind: 'verify-email-change', to: newEmail, data, lifeSeconds })
  }

  /**
   * Mails another link to the present address; earlier ones stop working.
   * @throws AppError `already_verified`, `mail_unavailable`, `rate_limited`
   */
  resend(actor: UserActor): void {
    const { db, mailer, audit, mailDelivery } = this.#dependencies
    const user = signedInUser(db, actor)
    if (user.email_verified_at !== null) throw new AppError('already_verified')
    if (mailDelivery() === 'none') throw new AppError('mail_unavailable')
    this.#limit(user.id)
    db.transaction(() => {
      this.withdraw(user.id, 'address_proof')
      const linkId = this.#issue(user, { purpose: 'address_proof', email: user.email, emailEpoch: user.email_epoch })
      mailer.send({ kind: 'verify-address', to: user.email, data: { name: user.name, linkId }, lifeSeconds })
      audit(actor, { ...aboutOwnAccount(actor), action: 'auth.email.verification.sent' })
    })
  }

  /** The links sent for this purpose stop working, and mails still queued are not sent. */
  withdraw(userId: string, purpose: AddressLink['purpose']): void {
    this.#dependencies.mailLinks.withdraw('email_verification', userId, { field: 'purpose', value: purpose })
  }

  #issue(user: User, payload: AddressLink): string {
    return this.#dependencies.mailLinks.issue('email_verification', { userId: user.id, payload, lifeSeconds })
  }

  #limit(userId: string): void {
    const { limits } = this.#dependencies
    for (const window of ['hour', 'minute'] as const) {
      const waitMs = limits.retryAfterMs(`resend_verification_${window}`, userId)
      const retryAfter = Math.ceil(waitMs / 1000)
      if (waitMs > 0) throw new AppError('rate_limited', { retryAfter, retryAfterSeconds: retryAfter, window })
    }
    limits.count('resend_verification_minute', userId)
    limits.count('resend_verification_hour', userId)
  }
}
