import type { AuditAction } from '../../../../shared/audit-actions/index.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { codeFactorOf, type MfaPolicy, type User, updateUser } from '../../access/index.ts'
import { aboutOwnAccount, assertSessionUnchanged, recordingRefusals, signedInUser } from '../sessions/signed-in-user.ts'
import type { IssuedTokens } from '../sessions/token-pairs.ts'
import type { FactorChanges } from './factor-changes.ts'
import type { Reauthentication, ReauthenticationProof } from './reauthentication.ts'
import type { RecoveryCodes } from './recovery-codes.ts'
import type { SmsCodes } from './sms-codes.ts'

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  policy: MfaPolicy
  reauthentication: Reauthentication
  factorChanges: FactorChanges
  recoveryCodes: RecoveryCodes
  smsCodes: SmsCodes
}

/** The purpose of a code that confirms a phone number: good for that number, and for no sign-in. */
const verification = (phoneNumber: string) => `verify ${phoneNumber}`

/** The phone of the caller: confirming the number, and using text messages as second factor. */
export class Phone {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  async verify(actor: UserActor, phoneNumber: string, currentPassword: string | undefined): Promise<void> {
    const { db, audit, reauthentication, smsCodes } = this.#dependencies
    const user = signedInUser(db, actor)
    smsCodes.assertAvailable()
    await reauthentication.assertOwner(actor, user, currentPassword, 'mfa')
    await smsCodes.send(user, phoneNumber, verification(phoneNumber), [
      ['phone_verify_number', phoneNumber],
      ['phone_verify_user', user.id],
    ])
    audit(actor, {
      ...aboutOwnAccount(actor),
      action: 'auth.phone.verify.requested',
      details: { phoneLast4: phoneNumber.slice(-4) },
    })
  }

  /** @returns new tokens where the number of a factor in use was replaced, else null */
  confirm(
    actor: UserActor,
    phoneNumber: string,
    code: string,
    proof: ReauthenticationProof,
  ): Promise<IssuedTokens | null> {
    const { db, audit, limits, reauthentication, factorChanges, smsCodes } = this.#dependencies
    return recordingRefusals(audit, actor, 'auth.phone.failed', async () => {
      smsCodes.assertAvailable()
      limits.consume('phone_confirm', actor.userId)
      await reauthentication.assertOwner(actor, signedInUser(db, actor), proof.currentPassword, 'mfa')
      const user = signedInUser(db, actor)
      const useGrant = reauthentication.assertFactor(actor, user, proof.stepUpGrantId, 'add_factor')
      const consume = smsCodes.check(user, code, verification(phoneNumber), phoneNumber)
      if (!consume) throw new AppError('mfa_code_invalid')
      const event = { action: 'auth.phone.confirmed' as const, details: { phoneLast4: phoneNumber.slice(-4) } }
      const apply = () => {
        useGrant()
        consume()
        return { phone_number: phoneNumber, phone_verified: 1 as const }
      }
      if (codeFactorOf(user) === 'sms' && user.phone_number !== phoneNumber)
        return factorChanges.commit(actor, { session: 'rebind', source: null, reason: 'phone-replaced', event, apply })
      this.#save(actor, user, event, apply)
      return null
    })
  }

  /** Makes text messages to the confirmed phone the second factor; with `replace`, instead of the present code factor. */
  enableSms(
    actor: UserActor,
    { replace, ...proof }: ReauthenticationProof & { replace?: boolean | undefined },
  ): Promise<{ issued: IssuedTokens; recoveryCodes: string[] }> {
    const { db, audit, policy, reauthentication, factorChanges, recoveryCodes, smsCodes } = this.#dependencies
    return recordingRefusals(audit, actor, 'auth.mfa.setup.failed', async () => {
      await reauthentication.assertOwner(actor, signedInUser(db, actor), proof.currentPassword, 'mfa')
      const user = signedInUser(db, actor)
      const replaced = codeFactorOf(user)
      if (replaced === 'sms' || (user.mfa_enabled && !replace)) throw new AppError('mfa_already_enabled')
      smsCodes.assertAvailable()
      if (!policy.factorRulesOf(user, actor).allowed.sms) throw new AppError('sms_not_allowed')
      if (!user.phone_number || !user.phone_verified) throw new AppError('phone_not_verified')
      const useGrant = reauthentication.assertFactor(actor, user, proof.stepUpGrantId, 'add_factor')
      const codes = recoveryCodes.generate()
      const issued = await factorChanges.commit(actor, {
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
            mfa_recovery_codes: recoveryCodes.hashed(codes),
          }
        },
      })
      return { issued, recoveryCodes: codes }
    })
  }

  #save(
    actor: UserActor,
    user: User,
    event: { action: AuditAction; details: Record<string, unknown> },
    apply: () => { phone_number: string; phone_verified: 1 },
  ): void {
    const { db, clock, audit } = this.#dependencies
    db.transaction(() => {
      assertSessionUnchanged(db, actor, user)
      updateUser(db, user.id, { ...apply(), updated_at: isoNow(clock) })
      audit(actor, { ...event, ...aboutOwnAccount(actor) })
    })
  }
}
