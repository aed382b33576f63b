import type { Origin } from '../../../platform/actor.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'

/** Limits sign-ins with a password, by address and by address and account. */
export class SignInAttempts {
  readonly #limits: RateLimits

  constructor(limits: RateLimits) {
    this.#limits = limits
  }

  /**
   * Counts refused attempts too, so that a client that keeps trying stays refused.
   * @throws AppError `rate_limited`
   */
  count(origin: Origin, email: string): void {
    const buckets = [
      ['login_ip', limitKey(origin.ip)],
      ['login_email', accountKey(origin, email)],
    ] as const
    for (const [limit, key] of buckets) {
      const wait = this.#limits.retryAfterMs(limit, key)
      this.#limits.count(limit, key)
      if (wait > 0) throw new AppError('rate_limited', { retryAfter: Math.ceil(wait / 1000) })
    }
  }

  /**
   * After a successful sign-in: attempts for that account from that address are cleared, and the address gets back the
   * one attempt this took, but none of those at other accounts.
   */
  forgive(origin: Origin, email: string): void {
    this.clear(origin, email)
    this.#limits.giveBack('login_ip', limitKey(origin.ip))
  }

  /** Clears the attempts for one account from one address. */
  clear(origin: Origin, email: string): void {
    this.#limits.clear('login_email', accountKey(origin, email))
  }
}

const accountKey = (origin: Origin, email: string): string => `${limitKey(origin.ip)} ${email}`
