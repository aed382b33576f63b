import type { User } from '../../access/users/store.ts'
import type { CodeMethod, Consume } from './code-method.ts'
import type { RecoveryCodes } from './recovery-codes.ts'
import type { SmsCodes } from './sms-codes.ts'
import type { Totp } from './totp.ts'

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
