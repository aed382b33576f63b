import type { LimitName } from '../../../limits.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'

/**
 * Shuts after too many wrong passwords for one account: for all unknown browsers together, or for one that its owner
 * has signed in from before. Neither shuts the other.
 */
export class PasswordLock {
  readonly #limits: RateLimits
  readonly #limit: LimitName
  readonly #key: string

  /** `browserId` is null for unknown browsers. */
  constructor(limits: RateLimits, userId: string, browserId: string | null) {
    this.#limits = limits
    this.#limit = browserId === null ? 'login_lockout' : 'login_lockout_browser'
    this.#key = browserId ?? userId
  }

  /** How long it is shut from now on; 0 while it is open. */
  shutMs(): number {
    return this.#limits.retryAfterMs(this.#limit, this.#key)
  }

  /** Tells whether this one shut it. */
  countWrong(): boolean {
    this.#limits.count(this.#limit, this.#key)
    return this.shutMs() > 0
  }

  open(): void {
    this.#limits.clear(this.#limit, this.#key)
  }
}
