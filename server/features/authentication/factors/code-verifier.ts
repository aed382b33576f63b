import type { User } from '../../access/index.ts'
import type { CodeMethod, ConsumeProof } from './code-method.ts'
import type { RecoveryCodes } from './recovery-codes.ts'
import type { SmsCodes } from './sms-codes.ts'
import type { TotpCodes } from './totp-codes.ts'

/** Checks the codes users enter, of any kind. */
export class CodeVerifier {
  readonly #totpCodes: TotpCodes
  readonly #smsCodes: SmsCodes
  readonly #recoveryCodes: RecoveryCodes

  constructor(totpCodes: TotpCodes, smsCodes: SmsCodes, recoveryCodes: RecoveryCodes) {
    this.#totpCodes = totpCodes
    this.#smsCodes = smsCodes
    this.#recoveryCodes = recoveryCodes
  }

  /**
   * @param purpose what a text message was sent for
   * @returns null for a wrong code
   */
  check(user: User, method: CodeMethod, code: string, purpose: string): ConsumeProof | null {
    switch (method) {
      case 'totp':
        return this.#totpCodes.check(user, code)
      case 'sms':
        return this.#smsCodes.check(user, code, purpose)
      case 'recovery':
        return this.#recoveryCodes.check(user, code)
    }
  }
}
