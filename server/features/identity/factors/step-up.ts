import type { StepUpOperation } from '../../../../shared/api/mfa.ts'
import type { ErrorCode } from '../../../../shared/errors/index.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { MfaPolicy } from '../policy/mfa-policy.ts'
import type { MfaSource, Sessions } from '../sessions/sessions.ts'
import { findMembership, findSession, type User } from '../store.ts'
import type { CodeAnswers } from './code-answers.ts'
import { type CodeMethod, type Consume, methodOf } from './codes.ts'
import { heldFactors } from './held.ts'
import { aboutOwner, assertUnchanged, ownerOf } from './owner.ts'
import type { Proof } from './proof.ts'
import type { SmsCodes } from './sms-codes.ts'

/** What the passkeys bring. */
export interface PasskeyAnswers {
  /** Null for an assertion that does not answer the challenge this user was given for a step-up. */
  answer(user: User, credential: Record<string, unknown>): Promise<Consume | null>
}

export interface StepUpAnswer {
  method: 'totp' | 'sms' | 'passkey'
  code?: string | undefined
  credential?: Record<string, unknown> | undefined
}

interface Parts {
  db: Database
  sessions: Sessions
  limits: RateLimits
  audit: Audit
  policy: MfaPolicy
  proof: Proof
  codes: CodeAnswers
  smsCodes: SmsCodes
  passkeys: PasskeyAnswers
}

/** A text message for this purpose answers for one session, and no sign-in. */
export const stepUpPurpose = (actor: UserActor) => `step-up ${actor.sessionId}`

/** Somebody signed in shows a factor again. */
export class StepUp {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Answers with a grant for one operation. Wrong, not held and not allowed look the same. */
  async grant(
    actor: UserActor,
    answer: StepUpAnswer,
    operation: StepUpOperation,
    passkeyId: string | null,
  ): Promise<{ stepUpGrantId: string; accessToken: string }> {
    const user = this.#begin(actor)
    const consume = this.#mayUse(actor, user, answer.method) ? await this.#judge(actor, user, answer) : null
    const grant = this.#parts.proof.prepareGrant(actor, user, operation, passkeyId)
    const accessToken = await this.#pass(actor, user, answer.method, consume, 'mfa_proof_invalid', grant.save)
    return { stepUpGrantId: grant.id, accessToken }
  }

  /** Makes the session one that passed a factor just now; its new access token. */
  async ofSession(actor: UserActor, code: string, wanted: CodeMethod | undefined): Promise<string> {
    const user = this.#begin(actor)
    if (!user.mfa_enabled) throw new AppError('mfa_setup_missing')
    const method = wanted ?? methodOf(code, user)
    if (!method) throw new AppError('mfa_method_missing')
    const isUsable = method === 'recovery' || this.#mayUse(actor, user, method)
    const consume = isUsable ? this.#parts.codes.check(user, method, code, stepUpPurpose(actor)) : null
    return this.#pass(actor, user, method, consume, 'mfa_code_invalid', () => {})
  }

  /** Sends a code that answers one of the above, or lets the factors be removed. */
  async sendSms(actor: UserActor): Promise<void> {
    const { db, policy, smsCodes, audit } = this.#parts
    const user = ownerOf(db, actor)
    smsCodes.assertAvailable()
    const { phone_number } = user
    if (!heldFactors(db, user).sms || !phone_number) throw new AppError('phone_missing')
    if (!policy.rulesOn(user, actor).allowed.sms) throw new AppError('sms_not_allowed')
    await smsCodes.send(user, phone_number, stepUpPurpose(actor), [
      ['sms_challenge', actor.sessionId],
      ['sms_number', phone_number],
    ])
    audit(actor, {
      ...aboutOwner(actor),
      action: 'auth.mfa.sms.sent',
      details: { purpose: 'step-up', phoneLast4: phone_number.slice(-4) },
    })
  }

  #begin(actor: UserActor): User {
    this.#parts.limits.consume('step_up', actor.userId)
    return ownerOf(this.#parts.db, actor)
  }

  #mayUse(actor: UserActor, user: User, method: 'totp' | 'sms' | 'passkey'): boolean {
    return heldFactors(this.#parts.db, user)[method] && this.#parts.policy.rulesOn(user, actor).allowed[method]
  }

  async #judge(actor: UserActor, user: User, { method, code, credential }: StepUpAnswer): Promise<Consume | null> {
    const { passkeys, codes } = this.#parts
    if (method === 'passkey') return credential ? passkeys.answer(user, credential) : null
    return code === undefined ? null : codes.check(user, method, code, stepUpPurpose(actor))
  }

  /** Uses the answer up and marks the session, together with `save`; or refuses. */
  async #pass(
    actor: UserActor,
    user: User,
    source: MfaSource,
    consume: Consume | null,
    refusal: ErrorCode,
    save: () => void,
  ): Promise<string> {
    if (!consume) return this.#refuse(actor, source, refusal)
    const { db, sessions, audit } = this.#parts
    const session = findSession(db, actor.sessionId)
    const membership = findMembership(db, user, actor.membershipId)
    if (!session || !membership) throw new AppError('invalid_token')
    const stepped = await sessions.stepUp(session, user, membership, source)
    try {
      db.transaction(() => {
        assertUnchanged(db, actor, user)
        consume(actor)
        stepped.save()
        save()
        audit(actor, { ...aboutOwner(actor), action: 'auth.mfa.stepup.granted', details: { method: source } })
      })
    } catch (error) {
      if (error instanceof AppError && error.status === 400) this.#refuse(actor, source, refusal)
      throw error
    }
    return stepped.accessToken
  }

  #refuse(actor: UserActor, method: MfaSource, refusal: ErrorCode): never {
    const event = { ...aboutOwner(actor), action: 'auth.mfa.stepup.failed', details: { method } }
    this.#parts.audit(actor, { ...event, result: 'denied' })
    throw new AppError(refusal)
  }
}
