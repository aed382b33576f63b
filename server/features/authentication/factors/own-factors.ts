import type { enrollmentOptions } from '../../../../shared/api/mfa.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { MfaPolicy, User } from '../../access/index.ts'
import type { RefreshTokens } from '../sessions/refresh-tokens.ts'
import { recordingRefusals, signedInUser } from '../sessions/signed-in-user.ts'
import { findSession } from '../sessions/store.ts'
import type { IssuedTokens } from '../sessions/token-pairs.ts'
import { type ConsumeProof, codeMethodOf } from './code-method.ts'
import type { CodeVerifier } from './code-verifier.ts'
import { clearFactors, type FactorChanges } from './factor-changes.ts'
import type { Reauthentication, ReauthenticationProof } from './reauthentication.ts'
import type { RecoveryCodes } from './recovery-codes.ts'
import type { SmsCodes } from './sms-codes.ts'
import { stepUpPurpose } from './step-up.ts'

interface Dependencies {
  db: Database
  refreshTokens: RefreshTokens
  audit: Audit
  limits: RateLimits
  policy: MfaPolicy
  reauthentication: Reauthentication
  factorChanges: FactorChanges
  codeVerifier: CodeVerifier
  recoveryCodes: RecoveryCodes
  smsCodes: SmsCodes
}

/** Authorizes removing all factors: a code, or a step-up grant. */
export interface RemovalProof {
  currentPassword?: string | undefined
  code?: string | undefined
  stepUpGrantId?: string | undefined
}

/** What a user does with all their factors at once. */
export class OwnFactors {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** Which factors the user may enroll, and whether factors are required of them. */
  options(actor: UserActor): Omit<ReplyOf<typeof enrollmentOptions>, 'passkeyAddresses'> {
    const { db, policy, smsCodes } = this.#dependencies
    const { allowed, requiredBy, isPasskeyNeeded } = policy.factorRulesOf(signedInUser(db, actor), actor)
    return {
      allowedMethods: allowed,
      phoneConfigured: smsCodes.isAvailable(),
      mfaRequiredBy: requiredBy,
      passkeyNeeded: isPasskeyNeeded,
    }
  }

  /** Replaces the recovery codes by ten new ones. */
  async rotateRecoveryCodes(
    actor: UserActor,
    proof: ReauthenticationProof,
  ): Promise<{ issued: IssuedTokens; recoveryCodes: string[] }> {
    const { db, reauthentication, factorChanges, recoveryCodes } = this.#dependencies
    await reauthentication.assertOwner(actor, signedInUser(db, actor), proof.currentPassword, 'mfa')
    const user = signedInUser(db, actor)
    if (!user.mfa_enabled) throw new AppError('mfa_not_enabled')
    const useGrant = reauthentication.assertFactor(actor, user, proof.stepUpGrantId, 'rotate_recovery_codes')
    const codes = recoveryCodes.generate()
    const issued = await factorChanges.commit(actor, {
      session: 'rebind',
      source: null,
      reason: 'recovery-codes-rotated',
      event: { action: 'auth.mfa.recovery_codes.rotate' },
      apply: () => {
        useGrant()
        return { mfa_recovery_codes: recoveryCodes.hashed(codes) }
      },
    })
    return { issued, recoveryCodes: codes }
  }

  /** Removes every factor. The caller's session is replaced, so the caller must be able to receive the new refresh cookie. */
  disable(actor: UserActor, proof: RemovalProof, refreshToken: string | undefined): Promise<IssuedTokens> {
    const { db, audit, reauthentication, factorChanges } = this.#dependencies
    return recordingRefusals(audit, actor, 'auth.mfa.disable.failed', async () => {
      await reauthentication.assertOwner(actor, signedInUser(db, actor), proof.currentPassword, 'mfa', true)
      const isReachable = await this.#canReceiveSession(actor, refreshToken)
      const user = signedInUser(db, actor)
      if (!user.mfa_enabled) throw new AppError('mfa_not_enabled')
      this.#assertRemovable(user, actor)
      if (!isReachable)
        throw new AppError('session_replacement_unavailable', { reason: 'auth_binding_rotation_required' })
      const consume = this.#checkProof(actor, user, proof)
      return factorChanges.commit(actor, {
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
    const session = findSession(this.#dependencies.db, actor.sessionId)
    if (!session) return false
    return session.mobile_device_id !== null || this.#dependencies.refreshTokens.ownsRefreshToken(session, refreshToken)
  }

  #assertRemovable(user: User, actor: UserActor): void {
    if (this.#dependencies.policy.factorRulesOf(user, actor).requiredBy) throw new AppError('mfa_required_by_policy')
  }

  #checkProof(actor: UserActor, user: User, { code, stepUpGrantId }: RemovalProof): ConsumeProof {
    const { limits, reauthentication, codeVerifier } = this.#dependencies
    if (code === undefined) return reauthentication.assertFactor(actor, user, stepUpGrantId, 'disable_mfa')
    limits.consume('step_up', user.id)
    const method = codeMethodOf(code, user)
    const consume = method && codeVerifier.check(user, method, code, stepUpPurpose(actor))
    if (!consume) throw new AppError('mfa_code_invalid')
    return consume
  }
}
