import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { MfaPolicy } from '../../access/policies/mfa-policy.ts'
import type { Issued } from '../sessions/token-pairs.ts'
import type { User } from '../../access/users/store.ts'
import type { FactorChanges } from './factor-changes.ts'
import { codeFactorOf } from '../../access/users/held-factors.ts'
import { aboutOwner, assertUnchanged, ownerOf, recordingRefusals } from '../sessions/account-owner.ts'
import type { Proof, Shown } from './reauthentication.ts'
import type { RecoveryCodes } from './recovery-codes.ts'
import type { SmsCodes } from './sms-codes.ts'

interface Parts {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  policy: MfaPolicy
  proof: Proof
  changes: FactorChanges
  recoveryCodes: RecoveryCodes
  smsCodes: SmsCodes
}

/** A code sent to make sure of a number answers for that number alone, and no sign-in. */
const verification = (phoneNumber: string) => `verify ${phoneNumber}`

/** The phone: making sure that it is the user's, and making it their second factor. */
export class Phone {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async verify(actor: UserActor, phoneNumber: string, currentPassword: string | undefined): Promise<void> {
    const { db, audit, proof, smsCodes } = this.#parts
    const user = ownerOf(db, actor)
    smsCodes.assertAvailable()
    await proof.assertOwner(actor, user, currentPassword, 'mfa')
    await smsCodes.send(user, phoneNumber, verification(phoneNumber), [
      ['phone_verify_number', phoneNumber],
      ['phone_verify_user', user.id],
    ])
    audit(actor, {
      ...aboutOwner(actor),
      action: 'auth.phone.verify.requested',
      details: { phoneLast4: phoneNumber.slice(-4) },
    })
  }

  /** Another pair of tokens when the number of a factor in use was replaced, null otherwise. */
  confirm(actor: UserActor, phoneNumber: string, code: string, shown: Shown): Promise<Issued | null> {
    const { db, audit, limits, proof, changes, smsCodes } = this.#parts
    return recordingRefusals(audit, actor, 'auth.phone.failed', async () => {
      smsCodes.assertAvailable()
      limits.consume('phone_confirm', actor.userId)
      await proof.assertOwner(actor, ownerOf(db, actor), shown.currentPassword, 'mfa')
      const user = ownerOf(db, actor)
      const useGrant = proof.assertFactor(actor, user, shown.stepUpGrantId, 'add_factor')
      const consume = smsCodes.check(user, code, verification(phoneNumber), phoneNumber)
      if (!consume) throw new AppError('mfa_code_invalid')
      const event = { action: 'auth.phone.confirmed', details: { phoneLast4: phoneNumber.slice(-4) } }
      const apply = () => {
        useGrant()
        consume()
        return { phone_number: phoneNumber, phone_verified: 1 as const }
      }
      if (codeFactorOf(user) === 'sms' && user.phone_number !== phoneNumber)
        return changes.commit(actor, { session: 'rebind', source: null, reason: 'phone-replaced', event, apply })
      this.#save(actor, user, event, apply)
      return null
    })
  }

  /** Makes text messages to the verified phone the second factor; with `replace` in place of the one there is. */
  enableSms(
    actor: UserActor,
    { replace, ...shown }: Shown & { replace?: boolean | undefined },
  ): Promise<{ issued: Issued; recoveryCodes: string[] }> {
    const { db, audit, policy, proof, changes, recoveryCodes, smsCodes } = this.#parts
    return recordingRefusals(audit, actor, 'auth.mfa.setup.failed', async () => {
      await proof.assertOwner(actor, ownerOf(db, actor), shown.currentPassword, 'mfa')
      const user = ownerOf(db, actor)
      const replaced = codeFactorOf(user)
      if (replaced === 'sms' || (user.mfa_enabled && !replace)) throw new AppError('mfa_already_enabled')
      smsCodes.assertAvailable()
      if (!policy.rulesOn(user, actor).allowed.sms) throw new AppError('sms_not_allowed')
      if (!user.phone_number || !user.phone_verified) throw new AppError('phone_not_verified')
      const useGrant = proof.assertFactor(actor, user, shown.stepUpGrantId, 'add_factor')
      const codes = recoveryCodes.fresh()
      const issued = await changes.commit(actor, {
        session: 'rebind',
        source: 'sms',
        reason: replaced ? 'switched-to-text-messages' : 'text-message-added',
        event: { action: 'auth.mfa.setup', details: { method: 'sms', ...(replaced && { replaced }) } },
        apply: () => {
          useGrant()
          return {
            mfa_enabled: 1,
            mfa_method: 'sms',
            mfa_secret: null,
            mfa_recovery_codes: recoveryCodes.stored(codes),
          }
        },
      })
      return { issued, recoveryCodes: codes }
    })
  }

  #save(
    actor: UserActor,
    user: User,
    event: { action: string; details: Record<string, unknown> },
    apply: () => { phone_number: string; phone_verified: 1 },
  ): void {
    const { db, clock, audit } = this.#parts
    db.transaction(() => {
      assertUnchanged(db, actor, user)
      const columns = { ...apply(), updated_at: isoNow(clock) }
      db.run(q.updateTable('users').set(columns).where('id', '=', user.id))
      audit(actor, { ...event, ...aboutOwner(actor) })
    })
  }
}
