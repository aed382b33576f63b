import type { Origin } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { CodeAnswers } from '../factors/code-verifier.ts'
import { type CodeMethod, methodOf } from '../factors/code-method.ts'
import type { SmsCodes } from '../factors/sms-codes.ts'
import type { OpenChallenge } from './challenges.ts'
import { aboutPerson, personOf } from '../../access/memberships/person.ts'
import type { SignedIn, SignIn } from './sign-in.ts'

interface Parts {
  signIn: SignIn
  limits: RateLimits
  audit: Audit
  codes: CodeAnswers
  smsCodes: SmsCodes
}

/** A text message for this purpose answers one challenge. */
const signInPurpose = ({ id }: OpenChallenge) => `sign-in ${id}`

/** Answers a sign-in challenge with a code. */
export class SecondStep {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async withCode(tempToken: string, code: string, wanted: CodeMethod | undefined, origin: Origin): Promise<SignedIn> {
    const { signIn, limits, codes } = this.#parts
    const challenge = signIn.resume(tempToken, origin)
    const { user, membership } = challenge
    const method = wanted ?? methodOf(code, user)
    if (!method) throw new AppError('mfa_method_missing')
    limits.consume('mfa_verify', user.id)
    this.#assertOffered(challenge, method, origin)
    const reason = method === 'recovery' ? 'mfa_recovery_code_invalid' : 'mfa_invalid_code'
    const consume = codes.check(user, method, code, signInPurpose(challenge))
    if (!consume) return signIn.refuse(user, origin, reason, 'mfa_code_invalid')
    const means = { method: 'password', source: method } as const
    return signIn
      .complete(user, membership, origin, means, (actor) => {
        challenge.consume()
        consume(actor)
      })
      .catch((error: unknown) => {
        // Somebody else was faster with the same code.
        if (error instanceof AppError && error.code === 'mfa_code_invalid')
          signIn.refuse(user, origin, reason, error.code)
        throw error
      })
  }

  /** Sends the code that answers the challenge. */
  async sendSms(tempToken: string, origin: Origin): Promise<void> {
    const { signIn, smsCodes, audit } = this.#parts
    const challenge = signIn.resume(tempToken, origin)
    const { user, membership } = challenge
    smsCodes.assertAvailable()
    if (!challenge.offered.sms || !user.phone_number) throw new AppError('phone_missing')
    this.#assertOffered(challenge, 'sms', origin)
    await smsCodes.send(user, user.phone_number, signInPurpose(challenge), [
      ['sms_challenge', challenge.id],
      ['sms_number', user.phone_number],
    ])
    audit(personOf(user, membership, origin), {
      ...aboutPerson(user, membership),
      action: 'auth.mfa.sms.sent',
      details: { purpose: 'sign-in', phoneLast4: user.phone_number.slice(-4) },
    })
  }

  /** A method that was forbidden since the challenge began ends it. */
  #assertOffered(challenge: OpenChallenge, method: CodeMethod, origin: Origin): void {
    if (method === 'recovery' || challenge.methods[method]) return
    if (method === 'sms') this.#parts.smsCodes.assertAvailable()
    const wasOffered = challenge.offered[method]
    if (wasOffered) challenge.consume()
    const code = wasOffered ? 'mfa_challenge_expired' : 'mfa_code_invalid'
    this.#parts.signIn.refuse(challenge.user, origin, 'mfa_method_not_allowed', code)
  }
}
