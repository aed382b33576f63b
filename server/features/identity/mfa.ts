import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { generateSecret, generateURI, verifySync } from 'otplib'
import { toDataURL } from 'qrcode'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, iso, isoNow, minute, second } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import { type Secrets, sha256 } from '../../platform/secrets.ts'
import type { Issued, MfaSource, Sessions } from './sessions.ts'
import { findMembership, findUser, type User } from './store.ts'

const recoveryAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const stepSeconds = 30

interface Setup {
  secret: string
  recoveryCodes: string[]
}

/** The authenticator app (RFC 6238) and the recovery codes that stand in for it. */
export class Mfa {
  readonly #db: Database
  readonly #clock: Clock
  readonly #secrets: Secrets
  readonly #sessions: Sessions
  readonly #limits: RateLimits
  readonly #audit: Audit
  readonly #isEnabled: boolean

  constructor(
    db: Database,
    clock: Clock,
    secrets: Secrets,
    sessions: Sessions,
    limits: RateLimits,
    audit: Audit,
    isEnabled: boolean,
  ) {
    this.#db = db
    this.#clock = clock
    this.#secrets = secrets
    this.#sessions = sessions
    this.#limits = limits
    this.#audit = audit
    this.#isEnabled = isEnabled
  }

  /** A box that was told to do without second factors has none of their addresses. */
  assertOffered(): void {
    if (!this.#isEnabled) throw new AppError('not_found')
  }

  async setup(actor: UserActor) {
    this.assertOffered()
    if (actor.holdsFactor) throw new AppError('mfa_already_enabled')
    const setup: Setup = { secret: generateSecret(), recoveryCodes: Array.from({ length: 10 }, recoveryCode) }
    const otpAuthUrl = generateURI({ issuer: 'Homeport', label: actor.email, secret: setup.secret })
    const qrCodeDataUrl = await toDataURL(otpAuthUrl, { margin: 1, width: 240 })
    const row = {
      user_id: actor.userId,
      payload: JSON.stringify({ sealed: this.#secrets.encrypt(JSON.stringify(setup), `mfa_setup:${actor.userId}`) }),
      expires_at: iso(this.#clock.now() + 10 * minute),
    }
    this.#db.run(
      q
        .insertInto('one_time_secrets')
        .values({ kind: 'mfa_setup', key_hash: sha256(actor.userId), ...row })
        .onConflict((conflict) => conflict.columns(['kind', 'key_hash']).doUpdateSet(row)),
    )
    return { ...setup, otpAuthUrl, qrCodeDataUrl }
  }

  /** Confirms the pending setup. The caller's session goes on, every other one ends. */
  async enable(actor: UserActor, code: string): Promise<{ issued: Issued; recoveryCodes: string[] }> {
    this.assertOffered()
    this.#limits.consume('mfa_setup', actor.userId)
    const setup = this.#pendingSetup(actor.userId)
    const step = this.#matchingStep(setup.secret, code)
    if (step === null) throw new AppError('mfa_code_invalid')
    const user = findUser(this.#db, actor.userId)
    const membership = user && findMembership(this.#db, user)
    if (!user || !membership) throw new AppError('invalid_token')
    const { issued, save } = await this.#sessions.rebind(actor.sessionId, user, membership, 'totp')
    this.#db.transaction(() => {
      this.#consumeSetup(actor.userId)
      this.#spendStep(user.id, step)
      const now = isoNow(this.#clock)
      const changed = this.#db.run(
        q
          .updateTable('users')
          .set({
            mfa_secret: this.#secrets.encrypt(setup.secret, `mfa_secret:${user.id}`),
            mfa_enabled: 1,
            mfa_method: 'totp',
            mfa_recovery_codes: JSON.stringify(setup.recoveryCodes.map(this.#secrets.recoveryCodeHash)),
            mfa_epoch: user.mfa_epoch + 1,
            updated_at: now,
          })
          .where('id', '=', user.id)
          .where('mfa_epoch', '=', user.mfa_epoch),
      )
      if (changed === 0) throw new AppError('mfa_setup_missing')
      this.#sessions.revokeAll(user.id, 'mfa-enabled', actor.sessionId)
      save()
      this.#audit(actor, {
        action: 'auth.mfa.setup',
        resourceType: 'user',
        resourceId: user.id,
        details: { method: 'totp' },
      })
    })
    return { issued, recoveryCodes: setup.recoveryCodes }
  }

  /**
   * Checks an answer to the sign-in challenge. The returned `consume` uses it up and belongs into the transaction
   * that creates the session, so that a crash in between costs nobody a code.
   */
  check(user: User, code: string): { source: MfaSource; consume: () => void } | null {
    if (/^\d{6}$/.test(code)) {
      const secret = user.mfa_secret && this.#secrets.decrypt(user.mfa_secret, `mfa_secret:${user.id}`)
      const step = secret ? this.#matchingStep(secret, code) : null
      return step === null ? null : { source: 'totp', consume: () => this.#spendStep(user.id, step) }
    }
    const hash = this.#secrets.recoveryCodeHash(code)
    const isKnown = recoveryHashes(user).includes(hash)
    return isKnown ? { source: 'recovery', consume: () => this.#spendRecoveryCode(user.id, hash) } : null
  }

  #pendingSetup(userId: string): Setup {
    const row = this.#db.first(
      q
        .selectFrom('one_time_secrets')
        .select('payload')
        .where('kind', '=', 'mfa_setup')
        .where('key_hash', '=', sha256(userId))
        .where('expires_at', '>', isoNow(this.#clock)),
    )
    if (!row) throw new AppError('mfa_setup_missing')
    const { sealed } = JSON.parse(row.payload) as { sealed: string }
    return JSON.parse(this.#secrets.decrypt(sealed, `mfa_setup:${userId}`)) as Setup
  }

  #consumeSetup(userId: string): void {
    const consumed = this.#db.run(
      q.deleteFrom('one_time_secrets').where('kind', '=', 'mfa_setup').where('key_hash', '=', sha256(userId)),
    )
    if (consumed === 0) throw new AppError('mfa_setup_missing')
  }

  /** The step whose code this is, one step of clock drift allowed on either side. */
  #matchingStep(secret: string, code: string): number | null {
    const epoch = Math.floor(this.#clock.now() / 1000)
    const result = verifySync({ secret, token: code, epoch, epochTolerance: stepSeconds })
    return result.valid ? Math.floor(epoch / stepSeconds) + result.delta : null
  }

  /** A code works once, although it stays valid for its step; after it, no older one works either. */
  #spendStep(userId: string, step: number): void {
    const spent = { payload: JSON.stringify({ step }), expires_at: iso(this.#clock.now() + 120 * second) }
    const inserted = this.#db.run(
      q
        .insertInto('one_time_secrets')
        .values({
          kind: 'totp_step',
          key_hash: sha256(userId),
          user_id: userId,
          ...spent,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['kind', 'key_hash'])
            .doUpdateSet(spent)
            .where(sql<boolean>`json_extract(one_time_secrets.payload, '$.step') < ${step}`),
        ),
    )
    if (inserted === 0) throw new AppError('mfa_code_invalid')
  }

  #spendRecoveryCode(userId: string, hash: string): void {
    const user = findUser(this.#db, userId)
    const codes = user ? recoveryHashes(user) : []
    if (!codes.includes(hash)) throw new AppError('mfa_code_invalid')
    const left = codes.filter((code) => code !== hash)
    this.#db.run(
      q
        .updateTable('users')
        .set({ mfa_recovery_codes: JSON.stringify(left) })
        .where('id', '=', userId),
    )
  }
}

export const recoveryHashes = (user: Pick<User, 'mfa_recovery_codes'>): string[] =>
  JSON.parse(user.mfa_recovery_codes ?? '[]') as string[]

function recoveryCode(): string {
  const letters = Array.from({ length: 8 }, () => recoveryAlphabet[randomInt(recoveryAlphabet.length)])
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}
