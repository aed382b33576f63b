import type { LimitName } from '../../../limits.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'

/**
 * Locks sign-in to one account after too many wrong passwords: for all unknown browsers together, or for one browser that
 * its owner has signed in from before. Neither locks the other.
 */
export class PasswordLock {
  readonly #limits: RateLimits
  readonly #limit: LimitName
  readonly #key: string

  /** @param browserId null for unknown browsers */
  constructor(limits: RateLimits, userId: string, browserId: string | null) {
    this.#limits = limits
    this.#limit = browserId === null ? 'login_lockout' : 'login_lockout_browser'
    this.#key = browserId ?? userId
  }

  /** How much longer it is locked; 0 while it is not. */
  remainingMs(): number {
    return this.#limits.retryAfterMs(this.#limit, this.#key)
  }

  /** @returns whether this wrong password locked it */
  countWrong(): boolean {
    this.#limits.count(this.#limit, this.#key)
    return this.remainingMs() > 0
  }

  release(): void {
    this.#limits.clear(this.#limit, this.#key)
  }
}
