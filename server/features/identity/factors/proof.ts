import type { StepUpOperation } from '../../../../shared/api/mfa.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { type Clock, isoNow, minute } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { randomHex } from '../../../platform/secrets.ts'
import type { OneTimeSecrets } from '../one-time-secrets.ts'
import type { CurrentPassword, PasswordPurpose } from '../passwords/current-password.ts'
import { isPasswordClosed, reachesBeyondProvider, ssoReturnOf } from '../policy/sso-enforcement.ts'
import { findSession, type Session, type User } from '../store.ts'

/** How long a session counts as fresh after the password or a factor was asked. */
const freshMs = 15 * minute
const grantLifeMs = 5 * minute

/** What somebody may show on top of being signed in. */
export interface Shown {
  currentPassword?: string | undefined
  stepUpGrantId?: string | undefined
}

interface Grant {
  operation: StepUpOperation
  passkeyId: string | null
  sessionId: string
  authEpoch: number
  mfaEpoch: number
}

/** What somebody has to show before they may change factors or the address. */
export class Proof {
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
   * The password, or where it may be left out a session that began a moment ago; not by the word of an identity provider
   * that answers for a part of what the account opens.
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
      // Several calls make up one enrolment: who has just shown the password is not asked again at the next of them.
      const session = q
        .updateTable('sessions')
        .set({ auth_at: isoNow(this.#clock) })
        .where('id', '=', actor.sessionId)
      this.#db.run(session)
      return
    }
    const isFresh = this.#clock.now() - actor.authAtMs <= freshMs
    const session = findSession(this.#db, actor.sessionId)
    const returnUrl = this.#wayBack(user, session)
    if (returnUrl !== undefined && !isFresh) throw new AppError('sign_in_again', { loginUrl: returnUrl })
    const isNeeded = isPasswordNeeded || reachesBeyondProvider(this.#db, user, session?.sso_provider_id ?? null)
    const mayBeLeftOut = !isNeeded || returnUrl !== undefined
    if (!mayBeLeftOut || !isFresh) throw new AppError('password_required')
  }

  /**
   * For whom a fresh session is all there is, where they get one: those without a password, and those whose password is
   * closed, as it may be forgotten and can not be set anew. Undefined for all others.
   */
  #wayBack(user: User, session: Session | undefined): string | null | undefined {
    const isFromOutside = session !== undefined && session.sso_provider_id !== null
    if (user.password_hash !== null && !(isFromOutside && isPasswordClosed(this.#db, user))) return undefined
    return session ? ssoReturnOf(this.#db, session) : null
  }

  /**
   * Who holds a factor shows it again: by a grant, or by having passed it in this session a moment ago. The returned
   * function uses the grant up, inside the transaction of what it is for, so that a typo in a code costs nothing.
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

  /** `save` belongs into the transaction that uses up the answer to the challenge. */
  prepareGrant(
    actor: UserActor,
    user: User,
    operation: StepUpOperation,
    passkeyId: string | null,
  ): { id: string; save: () => void } {
    const id = randomHex(32)
    const grant: Grant = {
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
    const found = this.#secrets.find<Grant>('stepup_grant', grantId)
    const grant = found?.userId === user.id ? found.payload : undefined
    const fits =
      grant?.operation === operation &&
      grant.passkeyId === passkeyId &&
      grant.sessionId === actor.sessionId &&
      grant.authEpoch === user.auth_epoch &&
      grant.mfaEpoch === user.mfa_epoch
    if (!fits) this.#demandStepUp()
    return () => {
      if (!found?.consume()) this.#demandStepUp()
    }
  }

  #demandStepUp(): never {
    throw new AppError('existing_factor_step_up_required', { stepUpUrl: '/auth/mfa/step-up' })
  }
}
