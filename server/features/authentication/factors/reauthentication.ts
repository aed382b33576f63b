import type { StepUpOperation } from '../../../../shared/api/mfa.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { type Clock, isoNow, minute } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { randomHex } from '../../../platform/secrets.ts'
import { isPasswordClosed, reachesBeyondProvider, ssoLoginUrlOf, type User } from '../../access/index.ts'
import type { OneTimeSecrets } from '../one-time-secrets/one-time-secrets.ts'
import type { SecretPayloads } from '../one-time-secrets/secret-payloads.ts'
import type { CurrentPassword, PasswordPurpose } from '../passwords/current-password.ts'
import { findSession, type Session } from '../sessions/store.ts'

/** How long a session counts as fresh after its user showed the password or a factor. */
const freshMs = 15 * minute
const grantLifeMs = 5 * minute

/** What a signed-in user sends to authenticate again. */
export interface ReauthenticationProof {
  currentPassword?: string | undefined
  stepUpGrantId?: string | undefined
}

/** Re-authentication before sensitive changes: of factors, of the address, of some settings. */
export class Reauthentication {
  readonly #db: Database
  readonly #clock: Clock
  readonly #secrets: OneTimeSecrets
  readonly #passwords: CurrentPassword

  constructor(db: Database, clock: Clock, secrets: OneTimeSecrets, passwords: CurrentPassword) {
    this.#db = db
    this.#clock = clock
    this.#secrets = secrets
    this.#passwords = passwords
  }

  /**
   * Requires the password, or, where it may be left out, a session begun within the last 15 minutes. A session of an
   * identity provider is not enough if the account reaches beyond that provider's tenant.
   * @throws AppError `current_password_incorrect`, `password_required`, `sign_in_again` with the address to sign in at
   */
  async assertOwner(
    actor: UserActor,
    user: User,
    password: string | undefined,
    purpose: PasswordPurpose,
    isPasswordNeeded = false,
  ): Promise<void> {
    if (password !== undefined) {
      await this.#passwords.assert(actor, user, password, purpose)
      // Enrolling takes several calls, and only the first should ask for the password.
      const session = q
        .updateTable('sessions')
        .set({ auth_at: isoNow(this.#clock) })
        .where('id', '=', actor.sessionId)
      this.#db.run(session)
      return
    }
    const isFresh = this.#clock.now() - actor.authAtMs <= freshMs
    const session = findSession(this.#db, actor.sessionId)
    const returnUrl = this.#signInAgainUrl(user, session)
    if (returnUrl !== undefined && !isFresh) throw new AppError('sign_in_again', { loginUrl: returnUrl })
    const isNeeded = isPasswordNeeded || reachesBeyondProvider(this.#db, user, session?.sso_provider_id ?? null)
    const mayBeLeftOut = !isNeeded || returnUrl !== undefined
    if (!mayBeLeftOut || !isFresh) throw new AppError('password_required')
  }

  /**
   * For users who can only show a fresh session, the address where they sign in again, or null if it is not known: users
   * without a password, and users whose password no tenant accepts, who may have forgotten it and cannot reset it.
   * Undefined for all others.
   */
  #signInAgainUrl(user: User, session: Session | undefined): string | null | undefined {
    const isFromOutside = session !== undefined && session.sso_provider_id !== null
    if (user.password_hash !== null && !(isFromOutside && isPasswordClosed(this.#db, user))) return undefined
    return session ? ssoLoginUrlOf(this.#db, session) : null
  }

  /**
   * Requires a user with a second factor to have shown it again: by a step-up grant, or in this session within the last 15
   * minutes.
   * @returns a function that uses the grant up, to be called inside the transaction of what it authorizes, so that a
   *   mistyped code costs no grant
   * @throws AppError `existing_factor_step_up_required`
   */
  assertFactor(
    actor: UserActor,
    user: User,
    grantId: string | undefined,
    operation: StepUpOperation,
    passkeyId: string | null = null,
  ): () => void {
    if (!user.mfa_enabled) return () => {}
    if (grantId !== undefined) return this.#grantFor(actor, user, grantId, operation, passkeyId)
    if (actor.mfaAtMs === null || this.#clock.now() - actor.mfaAtMs > freshMs) this.#demandStepUp()
    return () => {}
  }

  /** A step-up grant; `save` is called inside the transaction that uses up the answer to the step-up. */
  prepareGrant(
    actor: UserActor,
    user: User,
    operation: StepUpOperation,
    passkeyId: string | null,
  ): { id: string; save: () => void } {
    const id = randomHex(32)
    const grant: SecretPayloads['stepup_grant'] = {
      operation,
      passkeyId,
      sessionId: actor.sessionId,
      authEpoch: user.auth_epoch,
      mfaEpoch: user.mfa_epoch,
    }
    const save = () => this.#secrets.put('stepup_grant', id, { userId: user.id, payload: grant, lifeMs: grantLifeMs })
    return { id, save }
  }

  #grantFor(
    actor: UserActor,
    user: User,
    grantId: string,
    operation: StepUpOperation,
    passkeyId: string | null,
  ): () => void {
    const found = this.#secrets.find('stepup_grant', grantId)
    const grant = found?.userId === user.id ? found.payload : undefined
    const isValid =
      grant?.operation === operation &&
      grant.passkeyId === passkeyId &&
      grant.sessionId === actor.sessionId &&
      grant.authEpoch === user.auth_epoch &&
      grant.mfaEpoch === user.mfa_epoch
    if (!isValid) this.#demandStepUp()
    return () => {
      if (!found?.consume()) this.#demandStepUp()
    }
  }

  #demandStepUp(): never {
    throw new AppError('existing_factor_step_up_required', { stepUpUrl: '/auth/mfa/step-up' })
  }
}
