import type { enrollmentOptions } from '../../../../shared/api/mfa.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { MfaPolicy } from '../../access/policies/mfa-policy.ts'
import type { Issued } from '../sessions/token-pairs.ts'
import type { Rotation } from '../sessions/refresh-tokens.ts'
import { findSession, type User } from '../../access/users/store.ts'
import type { CodeAnswers } from './code-verifier.ts'
import { type Consume, methodOf } from './code-method.ts'
import { clearFactors, type FactorChanges } from './factor-changes.ts'
import { ownerOf, recordingRefusals } from '../sessions/account-owner.ts'
import type { Proof, Shown } from './reauthentication.ts'
import type { RecoveryCodes } from './recovery-codes.ts'
import type { SmsCodes } from './sms-codes.ts'
import { stepUpPurpose } from './step-up.ts'

interface Parts {
  db: Database
  rotation: Rotation
  audit: Audit
  limits: RateLimits
  policy: MfaPolicy
  proof: Proof
  changes: FactorChanges
  codes: CodeAnswers
  recoveryCodes: RecoveryCodes
  smsCodes: SmsCodes
}

/** A code, or a grant for removing the factors. */
export interface RemovalProof {
  currentPassword?: string | undefined
  code?: string | undefined
  stepUpGrantId?: string | undefined
}

/** What somebody does with all their factors at once. */
export class OwnFactors {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** What the user could enrol here, and what has to stay. */
  options(actor: UserActor): Omit<ReplyOf<typeof enrollmentOptions>, 'passkeyAddresses'> {
    const { db, policy, smsCodes } = this.#parts
    const { allowed, demander, isPasskeyNeeded } = policy.rulesOn(ownerOf(db, actor), actor)
    return {
      allowedMethods: allowed,
      phoneConfigured: smsCodes.isAvailable(),
      mfaRequiredBy: demander,
      passkeyNeeded: isPasskeyNeeded,
    }
  }

  /** Ten new recovery codes in place of what is left of the old ones. */
  async rotateRecoveryCodes(actor: UserActor, shown: Shown): Promise<{ issued: Issued; recoveryCodes: string[] }> {
    const { db, proof, changes, recoveryCodes } = this.#parts
    await proof.assertOwner(actor, ownerOf(db, actor), shown.currentPassword, 'mfa')
    const user = ownerOf(db, actor)
    if (!user.mfa_enabled) throw new AppError('mfa_not_enabled')
    const useGrant = proof.assertFactor(actor, user, shown.stepUpGrantId, 'rotate_recovery_codes')
    const codes = recoveryCodes.fresh()
    const issued = await changes.commit(actor, {
      session: 'rebind',
      source: null,
      reason: 'recovery-codes-rotated',
      event: { action: 'auth.mfa.recovery_codes.rotate' },
      apply: () => {
        useGrant()
        return { mfa_recovery_codes: recoveryCodes.stored(codes) }
      },
    })
    return { issued, recoveryCodes: codes }
  }

  /** Removes every factor. The caller's session is replaced, so the caller must be able to receive another one. */
  disable(actor: UserActor, shown: RemovalProof, refreshToken: string | undefined): Promise<Issued> {
    const { db, audit, proof, changes } = this.#parts
    return recordingRefusals(audit, actor, 'auth.mfa.disable.failed', async () => {
      await proof.assertOwner(actor, ownerOf(db, actor), shown.currentPassword, 'mfa', true)
      const isReachable = await this.#canReceiveSession(actor, refreshToken)
      const user = ownerOf(db, actor)
      if (!user.mfa_enabled) throw new AppError('mfa_not_enabled')
      this.#assertRemovable(user, actor)
      if (!isReachable)
        throw new AppError('session_replacement_unavailable', { reason: 'auth_binding_rotation_required' })
      const consume = this.#judge(actor, user, shown)
      return changes.commit(actor, {
        session: 'replace',
        source: null,
        reason: 'mfa-disabled',
        event: { action: 'auth.mfa.disable', details: { method: user.mfa_method } },
        apply: (now) => {
          this.#assertRemovable(now, actor)
          consume(actor)
          return clearFactors(db, user.id)
        },
      })
    })
  }

  async #canReceiveSession(actor: UserActor, refreshToken: string | undefined): Promise<boolean> {
    const session = findSession(this.#parts.db, actor.sessionId)
    if (!session) return false
    return session.mobile_device_id !== null || this.#parts.rotation.ownsRefreshToken(session, refreshToken)
  }

  #assertRemovable(user: User, actor: UserActor): void {
    if (this.#parts.policy.rulesOn(user, actor).demander) throw new AppError('mfa_required_by_policy')
  }

  #judge(actor: UserActor, user: User, { code, stepUpGrantId }: RemovalProof): Consume {
    const { limits, proof, codes } = this.#parts
    if (code === undefined) return proof.assertFactor(actor, user, stepUpGrantId, 'disable_mfa')
    limits.consume('step_up', user.id)
    const method = methodOf(code, user)
    const consume = method && codes.check(user, method, code, stepUpPurpose(actor))
    if (!consume) throw new AppError('mfa_code_invalid')
    return consume
  }
}
