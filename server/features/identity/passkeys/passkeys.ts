import type { Updateable } from 'kysely'
import type { Passkey } from '../../../../shared/api/passkeys.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { FactorChanges } from '../factors/factor-changes.ts'
import { aboutOwner, ownerOf } from '../factors/owner.ts'
import type { Proof } from '../factors/proof.ts'
import type { MfaPolicy } from '../policy/mfa-policy.ts'
import type { Issued } from '../sessions/pairs.ts'
import type { User } from '../store.ts'
import type { UserTable } from '../tables.ts'
import { findPasskey, passkeysOf, passkeyView } from './credentials.ts'

interface Parts {
  db: Database
  clock: Clock
  audit: Audit
  policy: MfaPolicy
  proof: Proof
  changes: FactorChanges
}

/** Somebody's own passkeys. */
export class Passkeys {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  list(actor: UserActor): Passkey[] {
    return passkeysOf(this.#parts.db, actor.userId).map(passkeyView)
  }

  rename(actor: UserActor, id: string, name: string): Passkey {
    const { db, clock, audit } = this.#parts
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
        ...aboutOwner(actor),
        action: 'auth.mfa.passkey.rename',
        details: { passkeyId: id },
      })
      return passkeyView({ ...credential, name })
    })
  }

  /** Another session takes the place of the caller's, every other one ends. */
  async delete(
    actor: UserActor,
    id: string,
    shown: { currentPassword?: string | undefined; stepUpGrantId?: string | undefined },
  ): Promise<Issued> {
    const { db, proof, changes } = this.#parts
    if (!actor.mfa) throw new AppError('MFA_REQUIRED')
    const user = ownerOf(db, actor)
    if (!findPasskey(db, user.id, id)) throw new AppError('passkey_not_found')
    await proof.assertOwner(actor, user, shown.currentPassword, 'passkey', true)
    const useGrant = proof.assertFactor(actor, user, shown.stepUpGrantId, 'delete_passkey', id)
    return changes.commit(actor, {
      session: 'replace',
      source: null,
      reason: 'passkey-deleted',
      event: { action: 'auth.mfa.passkey.delete', details: { passkeyId: id } },
      apply: (now) => {
        useGrant()
        db.run(q.deleteFrom('user_passkeys').where('id', '=', id).where('user_id', '=', user.id))
        return passkeysOf(db, user.id).length > 0 ? {} : this.#afterTheLast(now, actor)
      },
    })
  }

  /**
   * What is left to answer a sign-in with. A factor that policy does not permit is not: whoever kept only such a one
   * could not sign in any more.
   */
  #afterTheLast(user: User, actor: UserActor): Updateable<UserTable> {
    const { withoutPasskeys: left, isPasskeyNeeded } = this.#parts.policy.rulesOn(user, actor)
    if (isPasskeyNeeded) throw new AppError('last_factor')
    if (left.totp) return { mfa_method: 'totp' }
    if (left.sms) return { mfa_method: 'sms' }
    return { mfa_enabled: 0, mfa_method: null, mfa_secret: null, mfa_recovery_codes: null }
  }
}
