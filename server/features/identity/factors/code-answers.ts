import type { Actor } from '../../../platform/actor.ts'
import type { User } from '../store.ts'
import type { RecoveryCodes } from './recovery-codes.ts'
import type { SmsCodes } from './sms-codes.ts'
import type { Totp } from './totp.ts'

export type CodeMethod = 'totp' | 'sms' | 'recovery'

/** Uses a right answer up, inside the transaction of what it lets somebody do; refuses if that happened meanwhile. */
export type Consume = (actor: Actor) => void

/** Judges the codes people type, whatever they are asked for. */
export class CodeAnswers {
  readonly #totp: Totp
  readonly #smsCodes: SmsCodes
  readonly #recoveryCodes: RecoveryCodes

  constructor(totp: Totp, smsCodes: SmsCodes, recoveryCodes: RecoveryCodes) {
    this.#totp = totp
    this.#smsCodes = smsCodes
    this.#recoveryCodes = recoveryCodes
  }

  /** Null for a wrong code; `purpose` is what a text message was sent for. */
  check(user: User, method: CodeMethod, code: string, purpose: string): Consume | null {
    switch (method) {
      case 'totp':
        return this.#totp.check(user, code)
      case 'sms':
        return this.#smsCodes.check(user, code, purpose)
      case 'recovery':
        return this.#recoveryCodes.check(user, code)
    }
  }
}

/** Six digits answer the primary method, anything else is a recovery code; null when that is a passkey. */
export function methodOf(code: string, user: User): CodeMethod | null {
  if (!/^\d{6}$/.test(code)) return 'recovery'
  return user.mfa_method === 'passkey' ? null : user.mfa_method
}
