import type { Origin } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { aboutPerson, personActor } from '../../access/index.ts'
import { type CodeMethod, codeMethodOf } from '../factors/code-method.ts'
import type { CodeVerifier } from '../factors/code-verifier.ts'
import type { SmsCodes } from '../factors/sms-codes.ts'
import type { OpenChallenge } from './challenges.ts'
import type { SignedIn, SignIn } from './sign-in.ts'

interface Dependencies {
  signIn: SignIn
  limits: RateLimits
  audit: Audit
  codeVerifier: CodeVerifier
  smsCodes: SmsCodes
}

/** The purpose of a code sent by text message: good for one challenge. */
const signInPurpose = ({ id }: OpenChallenge) => `sign-in ${id}`

/** The second step of a sign-in, with a code. */
export class SecondStep {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  async withCode(tempToken: string, code: string, chosen: CodeMethod | undefined, origin: Origin): Promise<SignedIn> {
    const { signIn, limits, codeVerifier } = this.#dependencies
    const challenge = signIn.openChallenge(tempToken, origin)
    const { user, membership } = challenge
    const method = chosen ?? codeMethodOf(code, user)
    if (!method) throw new AppError('mfa_method_missing')
    limits.consume('mfa_verify', user.id)
    this.#assertOffered(challenge, method, origin)
    const reason = method === 'recovery' ? 'mfa_recovery_code_invalid' : 'mfa_invalid_code'
    const consume = codeVerifier.check(user, method, code, signInPurpose(challenge))
    if (!consume) return signIn.refuse(user, origin, reason, 'mfa_code_invalid')
    const signInMethod = { method: 'password', source: method } as const
    return signIn
      .complete(user, membership, origin, signInMethod, (actor) => {
        challenge.consume()
        consume(actor)
      })
      .catch((error: unknown) => {
        // The code was used up meanwhile by another request.
        if (error instanceof AppError && error.code === 'mfa_code_invalid')
          signIn.refuse(user, origin, reason, error.code)
        throw error
      })
  }

  /** Sends a code for the challenge by text message. */
  async sendSms(tempToken: string, origin: Origin): Promise<void> {
    const { signIn, smsCodes, audit } = this.#dependencies
    const challenge = signIn.openChallenge(tempToken, origin)
    const { user, membership } = challenge
    smsCodes.assertAvailable()
    if (!challenge.offered.sms || !user.phone_number) throw new AppError('phone_missing')
    this.#assertOffered(challenge, 'sms', origin)
    await smsCodes.send(user, user.phone_number, signInPurpose(challenge), [
      ['sms_challenge', challenge.id],
      ['sms_number', user.phone_number],
    ])
    audit(personActor(user, membership, origin), {
      ...aboutPerson(user, membership),
      action: 'auth.mfa.sms.sent',
      details: { purpose: 'sign-in', phoneLast4: user.phone_number.slice(-4) },
    })
  }

  /** A factor that is no longer permitted ends the challenge. */
  #assertOffered(challenge: OpenChallenge, method: CodeMethod, origin: Origin): void {
    if (method === 'recovery' || challenge.methods[method]) return
    if (method === 'sms') this.#dependencies.smsCodes.assertAvailable()
    const wasOffered = challenge.offered[method]
    if (wasOffered) challenge.consume()
    const code = wasOffered ? 'mfa_challenge_expired' : 'mfa_code_invalid'
    this.#dependencies.signIn.refuse(challenge.user, origin, 'mfa_method_not_allowed', code)
  }
}
