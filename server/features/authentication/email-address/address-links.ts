import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { iso, second } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { Mailer } from '../../messaging/index.ts'
import { aboutOwner, ownerOf } from '../sessions/account-owner.ts'
import type { MailLinks } from '../one-time-secrets/mail-links.ts'
import type { User } from '../../access/users/store.ts'

const lifeSeconds = 24 * 3600

/** When the link that was asked for at this instant stops working. */
export const addressLinkEnd = (requestedAt: string): string => iso(Date.parse(requestedAt) + lifeSeconds * second)

/** Following it proves that somebody reads mail at `email`. */
export interface AddressLink {
  purpose: 'email_change' | 'address_proof'
  email: string
  emailEpoch: number
  /** The identity provider by whose word alone it was asked for. */
  providerId?: string | null
}

interface Parts {
  db: Database
  limits: RateLimits
  mailer: Mailer
  links: MailLinks
  audit: Audit
  canSendMail: () => boolean
}

/** Links that prove an address: the one somebody has, or the one they want to have. */
export class AddressLinks {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** To the wanted address; `user` as saved with it. */
  sendForChange(user: User, newEmail: string, providerId: string | null): void {
    const { mailer } = this.#parts
    const { email_epoch: emailEpoch } = user
    const linkId = this.#issue(user, { purpose: 'email_change', email: newEmail, emailEpoch, providerId })
    const data = { name: user.name, newEmail, linkId }
    mailer.send({ kind: 'verify-email-change', to: newEmail, data, lifeSeconds })
  }

  /** To the own address once more; the links sent before stop working. */
  resend(actor: UserActor): void {
    const { db, mailer, audit, canSendMail } = this.#parts
    const user = ownerOf(db, actor)
    if (user.email_verified_at !== null) throw new AppError('already_verified')
    if (!canSendMail()) throw new AppError('mail_unavailable')
    this.#limit(user.id)
    db.transaction(() => {
      this.withdraw(user.id, 'address_proof')
      const linkId = this.#issue(user, { purpose: 'address_proof', email: user.email, emailEpoch: user.email_epoch })
      mailer.send({ kind: 'verify-address', to: user.email, data: { name: user.name, linkId }, lifeSeconds })
      audit(actor, { ...aboutOwner(actor), action: 'auth.email.verification.sent' })
    })
  }

  /** The links sent for it stop working, and those still queued are not sent. */
  withdraw(userId: string, purpose: AddressLink['purpose']): void {
    this.#parts.db.run(
      q
        .deleteFrom('one_time_secrets')
        .where('kind', '=', 'email_verification')
        .where('user_id', '=', userId)
        .where(sql`payload ->> 'purpose'`, '=', purpose),
    )
  }

  #issue(user: User, payload: AddressLink): string {
    return this.#parts.links.issue('email_verification', { userId: user.id, payload, lifeSeconds })
  }

  #limit(userId: string): void {
    const { limits } = this.#parts
    for (const window of ['hour', 'minute'] as const) {
      const waitMs = limits.retryAfterMs(`resend_verification_${window}`, userId)
      const retryAfter = Math.ceil(waitMs / 1000)
      if (waitMs > 0) throw new AppError('rate_limited', { retryAfter, retryAfterSeconds: retryAfter, window })
    }
    limits.count('resend_verification_minute', userId)
    limits.count('resend_verification_hour', userId)
  }
}
