import { sql } from 'kysely'
import { generateSecret, generateURI, verifySync } from 'otplib'
import { toDataURL } from 'qrcode'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { type Clock, iso, isoNow, minute, second } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { type Secrets, sha256 } from '../../../platform/secrets.ts'
import type { MfaPolicy } from '../policy/mfa-policy.ts'
import type { Issued } from '../sessions/sessions.ts'
import { findUser, type User } from '../store.ts'
import type { FactorChanges } from './factor-changes.ts'
import { heldFactors } from './held.ts'
import type { Proof } from './proof.ts'
import type { RecoveryCodes } from './recovery-codes.ts'

const stepSeconds = 30
const setupLifeMs = 10 * minute

interface Setup {
  secret: string
  recoveryCodes: string[]
}

interface Parts {
  db: Database
  clock: Clock
  secrets: Secrets
  limits: RateLimits
  policy: MfaPolicy
  proof: Proof
  changes: FactorChanges
  recoveryCodes: RecoveryCodes
}

/** The authenticator app (RFC 6238): SHA-1, six digits, thirty seconds, one step of drift on either side. */
export class Totp {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Begins the enrolment; kept ten minutes, sealed, and for the factors as they are now. */
  async setup(actor: UserActor, currentPassword: string | undefined) {
    const { db, clock, policy, proof, recoveryCodes } = this.#parts
    const user = this.#own(actor)
    const held = heldFactors(db, user)
    if (held.totp || held.sms) throw new AppError('mfa_already_enabled')
    if (!policy.allowedFor(user).totp) throw new AppError('totp_not_allowed')
    await proof.assertOwner(actor, user, currentPassword, 'mfa')
    const setup: Setup = { secret: generateSecret({ length: 20 }), recoveryCodes: recoveryCodes.fresh() }
    const otpAuthUrl = generateURI({ issuer: 'Homeport', label: user.email, secret: setup.secret })
    const qrCodeDataUrl = await toDataURL(otpAuthUrl, { margin: 1, width: 240 })
    const row = {
      user_id: user.id,
      payload: JSON.stringify({ sealed: this.#seal(user, setup), mfaEpoch: user.mfa_epoch }),
      expires_at: iso(clock.now() + setupLifeMs),
    }
    db.run(
      q
        .insertInto('one_time_secrets')
        .values({ kind: 'mfa_setup', key_hash: sha256(user.id), ...row })
        .onConflict((conflict) => conflict.columns(['kind', 'key_hash']).doUpdateSet(row)),
    )
    return { ...setup, otpAuthUrl, qrCodeDataUrl }
  }

  hasPendingSetup(userId: string): boolean {
    return this.#pendingRow(userId) !== undefined
  }

  /** Confirms the pending setup. The caller's session goes on, every other one ends. */
  async enable(
    actor: UserActor,
    code: string,
    shown: { currentPassword?: string | undefined; stepUpGrantId?: string | undefined },
  ): Promise<{ issued: Issued; recoveryCodes: string[] }> {
    const { limits, proof, changes, secrets, recoveryCodes } = this.#parts
    const user = this.#own(actor)
    limits.consume('mfa_setup', user.id)
    await proof.assertOwner(actor, user, shown.currentPassword, 'mfa')
    const useGrant = proof.assertFactor(actor, user, shown.stepUpGrantId, 'add_factor')
    const setup = this.#pendingSetup(user)
    const step = this.#matchingStep(setup.secret, code)
    if (step === null) throw new AppError('mfa_code_invalid')
    const issued = await changes.commit(actor, {
      session: 'rebind',
      source: 'totp',
      reason: 'mfa-enabled',
      event: { action: 'auth.mfa.setup', details: { method: 'totp' } },
      apply: () => {
        useGrant()
        this.#consumeSetup(user.id)
        this.#spendStep(user.id, step)
        return {
          mfa_secret: secrets.encrypt(setup.secret, `mfa_secret:${user.id}`),
          mfa_enabled: 1,
          mfa_method: 'totp',
          mfa_recovery_codes: recoveryCodes.stored(setup.recoveryCodes),
        }
      },
    })
    return { issued, recoveryCodes: setup.recoveryCodes }
  }

  /** Null for a wrong code; else what uses it up, inside the transaction of what it lets somebody do. */
  check(user: User, code: string): (() => void) | null {
    const secret = user.mfa_secret && this.#parts.secrets.decrypt(user.mfa_secret, `mfa_secret:${user.id}`)
    const step = secret ? this.#matchingStep(secret, code) : null
    return step === null ? null : () => this.#spendStep(user.id, step)
  }

  #own(actor: UserActor): User {
    const user = findUser(this.#parts.db, actor.userId)
    if (!user) throw new AppError('invalid_token')
    return user
  }

  #seal(user: User, setup: Setup): string {
    return this.#parts.secrets.encrypt(JSON.stringify(setup), `mfa_setup:${user.id}`)
  }

  #pendingRow(userId: string) {
    const { db, clock } = this.#parts
    return db.first(
      q
        .selectFrom('one_time_secrets')
        .select('payload')
        .where('kind', '=', 'mfa_setup')
        .where('key_hash', '=', sha256(userId))
        .where('expires_at', '>', isoNow(clock)),
    )
  }

  #pendingSetup(user: User): Setup {
    const row = this.#pendingRow(user.id)
    const pending = row && (JSON.parse(row.payload) as { sealed: string; mfaEpoch: number })
    if (pending?.mfaEpoch !== user.mfa_epoch) throw new AppError('mfa_setup_missing')
    return JSON.parse(this.#parts.secrets.decrypt(pending.sealed, `mfa_setup:${user.id}`)) as Setup
  }

  #consumeSetup(userId: string): void {
    const consumed = this.#parts.db.run(
      q.deleteFrom('one_time_secrets').where('kind', '=', 'mfa_setup').where('key_hash', '=', sha256(userId)),
    )
    if (consumed === 0) throw new AppError('mfa_setup_missing')
  }

  /** The step whose code this is, one step of clock drift allowed on either side. */
  #matchingStep(secret: string, code: string): number | null {
    const epoch = Math.floor(this.#parts.clock.now() / 1000)
    const result = verifySync({ secret, token: code, epoch, epochTolerance: stepSeconds })
    return result.valid ? Math.floor(epoch / stepSeconds) + result.delta : null
  }

  /** A code works once, although it stays valid for its step; after it, no older one works either. */
  #spendStep(userId: string, step: number): void {
    const { db, clock } = this.#parts
    const spent = { payload: JSON.stringify({ step }), expires_at: iso(clock.now() + 120 * second) }
    const inserted = db.run(
      q
        .insertInto('one_time_secrets')
        .values({ kind: 'totp_step', key_hash: sha256(userId), user_id: userId, ...spent })
        .onConflict((conflict) =>
          conflict
            .columns(['kind', 'key_hash'])
            .doUpdateSet(spent)
            .where(sql<boolean>`json_extract(one_time_secrets.payload, '$.step') < ${step}`),
        ),
    )
    if (inserted === 0) throw new AppError('mfa_code_invalid')
  }
}
