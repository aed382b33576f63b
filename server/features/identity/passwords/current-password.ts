import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { User } from '../store.ts'
import { passwordMatches } from './passwords.ts'

/** What the password is asked for again; guesses are counted for each apart. */
export type PasswordPurpose = 'mfa' | 'passkey' | 'email-change' | 'change-password' | 'settings'

/** Asks a signed-in user for their password once more. */
export class CurrentPassword {
  readonly #limits: RateLimits

  constructor(limits: RateLimits) {
    this.#limits = limits
  }

  /** Refuses a wrong one, and everybody whose account has none. */
  async assert(user: User, password: string, purpose: PasswordPurpose): Promise<void> {
    const key = `${user.id} ${purpose}`
    this.#limits.consume('current_password', key)
    if (!(await passwordMatches(user.password_hash, password))) throw new AppError('current_password_incorrect')
    this.#limits.clear('current_password', key)
  }
}
