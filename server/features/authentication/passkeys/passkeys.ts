import type { Updateable } from 'kysely'
import type { Passkey } from '../../../../shared/api/passkeys.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Tables } from '../../../tables.ts'
import type { MfaPolicy, User } from '../../access/index.ts'
import type { FactorChanges } from '../factors/factor-changes.ts'
import type { Reauthentication, ReauthenticationProof } from '../factors/reauthentication.ts'
import { aboutOwnAccount, signedInUser } from '../sessions/signed-in-user.ts'
import type { IssuedTokens } from '../sessions/token-pairs.ts'
import { findPasskey, passkeysOf, passkeyView } from './credentials.ts'

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  policy: MfaPolicy
  reauthentication: Reauthentication
  factorChanges: FactorChanges
}

/** The passkeys of the caller. */
export class Passkeys {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  list(actor: UserActor): Passkey[] {
    return passkeysOf(this.#dependencies.db, actor.userId).map(passkeyView)
  }

  rename(actor: UserActor, id: string, name: string): Passkey {
    const { db, clock, audit } = this.#dependencies
    return db.transaction(() => {
      const credential = findPasskey(db, actor.userId, id)
      if (!credential) throw new AppError('passkey_not_found')
      db.run(
        q
          .updateTable('user_passkeys')
          .set({ name, updated_at: isoNow(clock) })
          .where('id', '=', id),
      )
      audit(actor, {
        ...aboutOwnAccount(actor),
        action: 'auth.mfa.passkey.rename',
        details: { passkeyId: id },
      })
      return passkeyView({ ...credential, name })
    })
  }

  /**
   * The caller's session is replaced by a new one, all others end.
   * @throws AppError `MFA_REQUIRED`, `passkey_not_found`, `last_factor`, and those of re-authentication
   */
  async delete(actor: UserActor, id: string, proof: ReauthenticationProof): Promise<IssuedTokens> {
    const { db, reauthentication, factorChanges } = this.#dependencies
    if (!actor.mfa) throw new AppError('MFA_REQUIRED')
    const user = signedInUser(db, actor)
    if (!findPasskey(db, user.id, id)) throw new AppError('passkey_not_found')
    await reauthentication.assertOwner(actor, user, proof.currentPassword, 'passkey', true)
    const useGrant = reauthentication.assertFactor(actor, user, proof.stepUpGrantId, 'delete_passkey', id)
    return factorChanges.commit(actor, {
      session: 'replace',
      source: null,
      reason: 'passkey-deleted',
      event: { action: 'auth.mfa.passkey.delete', details: { passkeyId: id } },
      apply: (now) => {
        useGrant()
        db.run(q.deleteFrom('user_passkeys').where('id', '=', id).where('user_id', '=', user.id))
        return passkeysOf(db, user.id).length > 0 ? {} : this.#columnsWithoutPasskeys(now, actor)
      },
    })
  }

  /**
   * The columns to change with the last passkey. A factor that the policy does not permit does not remain as the second
   * factor: the user could not sign in any more.
   */
  #columnsWithoutPasskeys(user: User, actor: UserActor): Updateable<Tables['users']> {
    const { withoutPasskeys: left, isPasskeyNeeded } = this.#dependencies.policy.factorRulesOf(user, actor)
    if (isPasskeyNeeded) throw new AppError('last_factor')
    if (left.totp) return { mfa_method: 'totp' }
    if (left.sms) return { mfa_method: 'sms' }
    return { mfa_enabled: 0, mfa_method: null, mfa_secret: null, mfa_recovery_codes: null }
  }
}
