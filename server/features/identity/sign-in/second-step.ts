import type { Actor, Origin } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { RecoveryCodes } from '../factors/recovery-codes.ts'
import type { SmsCodes } from '../factors/sms-codes.ts'
import type { Totp } from '../factors/totp.ts'
import type { User } from '../store.ts'
import type { Challenges } from './challenges.ts'
import type { SignedIn, SignIn } from './sign-in.ts'

export type CodeMethod = 'totp' | 'sms' | 'recovery'

interface Parts {
  challenges: Challenges
  signIn: SignIn
  limits: RateLimits
  totp: Totp
  smsCodes: SmsCodes
  recoveryCodes: RecoveryCodes
}

/** Answers a sign-in challenge with a code. */
export class SecondStep {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async withCode(tempToken: string, code: string, wanted: CodeMethod | undefined, origin: Origin): Promise<SignedIn> {
    const { challenges, signIn, limits } = this.#parts
    const challenge = challenges.find(tempToken)
    const { user, membership, methods } = challenge
    limits.consume('mfa_verify', user.id)
    const method = wanted ?? methodOf(code, user)
    if (method !== 'recovery' && !methods[method])
      signIn.refuse(user, origin, 'mfa_method_not_allowed', 'mfa_code_invalid')
    const consume = this.check(user, method, code, tempToken)
    if (!consume) {
      const reason = method === 'recovery' ? 'mfa_recovery_code_invalid' : 'mfa_invalid_code'
      return signIn.refuse(user, origin, reason, 'mfa_code_invalid')
    }
    return signIn.complete(user, membership, origin, { method: 'password', source: method }, (actor) => {
      challenge.consume()
      consume(actor)
    })
  }

  /** Null for a wrong code; `purpose` is what a text message was sent for. */
  check(user: User, method: CodeMethod, code: string, purpose: string): ((actor: Actor) => void) | null {
    const { totp, smsCodes, recoveryCodes } = this.#parts
    switch (method) {
      case 'totp':
        return totp.check(user, code)
      case 'sms':
        return smsCodes.check(user, code, purpose)
      case 'recovery':
        return recoveryCodes.check(user, code)
    }
  }
}

/** Six digits answer the primary method, anything else is a recovery code. */
function methodOf(code: string, user: User): CodeMethod {
  if (!/^\d{6}$/.test(code)) return 'recovery'
  if (user.mfa_method === 'passkey' || user.mfa_method === null) throw new AppError('mfa_method_missing')
  return user.mfa_method
}
