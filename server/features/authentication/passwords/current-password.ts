import type { UserActor } from '../../../platform/actor.ts'
import type { Audit, AuditEvent } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { User } from '../../access/index.ts'
import { aboutOwnAccount } from '../sessions/signed-in-user.ts'
import { passwordMatches } from './hashing.ts'

/** Why the password is asked for again; wrong ones are counted apart for each purpose. */
export type PasswordPurpose = 'mfa' | 'passkey' | 'email-change' | 'change-password' | 'settings'

/** Asks a signed-in user for their password once more. */
export class CurrentPassword {
  readonly #limits: RateLimits
  readonly #audit: Audit

  constructor(limits: RateLimits, audit: Audit) {
    this.#limits = limits
    this.#audit = audit
  }

  /** @throws AppError `current_password_incorrect`, also for an account without a password; `rate_limited` */
  async assert(actor: UserActor, user: User, password: string, purpose: PasswordPurpose): Promise<void> {
    const key = `${user.id} ${purpose}`
    this.#limits.consume('current_password', key)
    if (!(await passwordMatches(user.password_hash, password))) {
      const event: AuditEvent = {
        ...aboutOwnAccount(actor),
        action: 'user.password.check.failed',
        details: { purpose },
      }
      this.#audit(actor, { ...event, result: 'denied' })
      throw new AppError('current_password_incorrect')
    }
    this.#limits.clear('current_password', key)
  }
}
