import type { StepUpOperation } from '../../../../shared/api/mfa.ts'
import type { ErrorCode } from '../../../../shared/errors/index.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit, AuditEvent } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { findMembership, heldFactors, type MfaPolicy, type User } from '../../access/index.ts'
import type { MfaSource, Sessions } from '../sessions/sessions.ts'
import { aboutOwnAccount, assertSessionUnchanged, signedInUser } from '../sessions/signed-in-user.ts'
import { findSession } from '../sessions/store.ts'
import { type CodeMethod, type ConsumeProof, codeMethodOf } from './code-method.ts'
import type { CodeVerifier } from './code-verifier.ts'
import type { Reauthentication } from './reauthentication.ts'
import type { SmsCodes } from './sms-codes.ts'

/** Checks the passkeys of a step-up. */
export interface PasskeyVerifier {
  /** @returns null for an assertion that does not answer the step-up challenge of this user */
  verify(user: User, credential: Record<string, unknown>): Promise<ConsumeProof | null>
}

export interface StepUpAnswer {
  method: 'totp' | 'sms' | 'passkey'
  code?: string | undefined
  credential?: Record<string, unknown> | undefined
}

interface Dependencies {
  db: Database
  sessions: Sessions
  limits: RateLimits
  audit: Audit
  policy: MfaPolicy
  reauthentication: Reauthentication
  codeVerifier: CodeVerifier
  smsCodes: SmsCodes
  passkeys: PasskeyVerifier
}

/** The purpose of a code for a step-up: good for one session, and for no sign-in. */
export const stepUpPurpose = (actor: UserActor) => `step-up ${actor.sessionId}`

/** Step-up: a signed-in user shows a factor again. */
export class StepUp {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Issues a grant for one operation.
   * @throws AppError `mfa_proof_invalid`, whether the answer is wrong, or the factor not held or not allowed
   */
  async grant(
    actor: UserActor,
    answer: StepUpAnswer,
    operation: StepUpOperation,
    passkeyId: string | null,
  ): Promise<{ stepUpGrantId: string; accessToken: string }> {
    const user = this.#begin(actor)
    const consume = this.#mayUse(actor, user, answer.method) ? await this.#check(actor, user, answer) : null
    const grant = this.#dependencies.reauthentication.prepareGrant(actor, user, operation, passkeyId)
    const accessToken = await this.#grant(actor, user, answer.method, consume, 'mfa_proof_invalid', grant.save)
    return { stepUpGrantId: grant.id, accessToken }
  }

  /**
   * Marks the session as having passed a factor now.
   * @returns its new access token
   */
  async ofSession(actor: UserActor, code: string, chosen: CodeMethod | undefined): Promise<string> {
    const user = this.#begin(actor)
    if (!user.mfa_enabled) throw new AppError('mfa_setup_missing')
    const method = chosen ?? codeMethodOf(code, user)
    if (!method) throw new AppError('mfa_method_missing')
    const isUsable = method === 'recovery' || this.#mayUse(actor, user, method)
    const consume = isUsable ? this.#dependencies.codeVerifier.check(user, method, code, stepUpPurpose(actor)) : null
    return this.#grant(actor, user, method, consume, 'mfa_code_invalid', () => {})
  }

  /** Sends a code for one of the above, or for removing all factors. */
  async sendSms(actor: UserActor): Promise<void> {
    const { db, policy, smsCodes, audit } = this.#dependencies
    const user = signedInUser(db, actor)
    smsCodes.assertAvailable()
    const { phone_number } = user
    if (!heldFactors(db, user).sms || !phone_number) throw new AppError('phone_missing')
    if (!policy.factorRulesOf(user, actor).allowed.sms) throw new AppError('sms_not_allowed')
    await smsCodes.send(user, phone_number, stepUpPurpose(actor), [
      ['sms_challenge', actor.sessionId],
      ['sms_number', phone_number],
    ])
    audit(actor, {
      ...aboutOwnAccount(actor),
      action: 'auth.mfa.sms.sent',
      details: { purpose: 'step-up', phoneLast4: phone_number.slice(-4) },
    })
  }

  #begin(actor: UserActor): User {
    this.#dependencies.limits.consume('step_up', actor.userId)
    return signedInUser(this.#dependencies.db, actor)
  }

  #mayUse(actor: UserActor, user: User, method: 'totp' | 'sms' | 'passkey'): boolean {
    return (
      heldFactors(this.#dependencies.db, user)[method] &&
      this.#dependencies.policy.factorRulesOf(user, actor).allowed[method]
    )
  }

  async #check(actor: UserActor, user: User, { method, code, credential }: StepUpAnswer): Promise<ConsumeProof | null> {
    const { passkeys, codeVerifier } = this.#dependencies
    if (method === 'passkey') return credential ? passkeys.verify(user, credential) : null
    return code === undefined ? null : codeVerifier.check(user, method, code, stepUpPurpose(actor))
  }

  /** Uses the answer up, marks the session and calls `save` in one transaction, or refuses. */
  async #grant(
    actor: UserActor,
    user: User,
    source: MfaSource,
    consume: ConsumeProof | null,
    refusal: ErrorCode,
    save: () => void,
  ): Promise<string> {
    if (!consume) return this.#refuse(actor, source, refusal)
    const { db, sessions, audit } = this.#dependencies
    const session = findSession(db, actor.sessionId)
    const membership = findMembership(db, user, actor.membershipId)
    if (!session || !membership) throw new AppError('invalid_token')
    const prepared = await sessions.stepUp(session, user, membership, source)
    try {
      db.transaction(() => {
        assertSessionUnchanged(db, actor, user)
        consume(actor)
        prepared.save()
        save()
        audit(actor, { ...aboutOwnAccount(actor), action: 'auth.mfa.stepup.granted', details: { method: source } })
      })
    } catch (error) {
      if (error instanceof AppError && error.status === 400) this.#refuse(actor, source, refusal)
      throw error
    }
    return prepared.accessToken
  }

  #refuse(actor: UserActor, method: MfaSource, refusal: ErrorCode): never {
    const event: AuditEvent = { ...aboutOwnAccount(actor), action: 'auth.mfa.stepup.failed', details: { method } }
    this.#dependencies.audit(actor, { ...event, result: 'denied' })
    throw new AppError(refusal)
  }
}
