import { sql } from 'kysely'
import { generateSecret, generateURI, verifySync } from 'otplib'
import { toDataURL } from 'qrcode'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, iso, minute, second } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { type Secrets, sha256 } from '../../../platform/secrets.ts'
import type { FactorNews } from '../../messaging/index.ts'
import type { OneTimeSecrets } from '../one-time-secrets/one-time-secrets.ts'
import type { MfaPolicy } from '../../access/policies/mfa-policy.ts'
import type { Issued } from '../sessions/token-pairs.ts'
import type { User } from '../../access/users/store.ts'
import { type CodeMethod, sixDigits } from './code-method.ts'
import type { FactorChanges } from './factor-changes.ts'
import { codeFactorOf } from '../../access/users/held-factors.ts'
import { ownerOf, recordingRefusals } from '../sessions/account-owner.ts'
import type { Proof, Shown } from './reauthentication.ts'
import type { RecoveryCodes } from './recovery-codes.ts'

const stepSeconds = 30
const setupLifeMs = 10 * minute

/** So many QR codes before the last one are remembered, to tell whoever scanned one of them. */
const formerKept = 3

interface Setup {
  secret: string
  recoveryCodes: string[]
  /** Secrets whose place this one took while they waited. No code of theirs is good for anything. */
  former: string[]
}

/** As it waits for the code that proves it. */
interface Pending {
  sealed: string
  sessionId: string
  authEpoch: number
  mfaEpoch: number
}

/** What somebody shows to begin; `replace`: the new app takes the place of the one, or of the phone, they have. */
export interface Beginning extends Shown {
  replace?: boolean | undefined
  /** To go on with what this session began, instead of with a new secret. */
  resume?: boolean | undefined
}

interface Parts {
  db: Database
  oneTime: OneTimeSecrets
  clock: Clock
  secrets: Secrets
  limits: RateLimits
  policy: MfaPolicy
  proof: Proof
  changes: FactorChanges
  recoveryCodes: RecoveryCodes
  audit: Audit
}

/** The authenticator app (RFC 6238): SHA-1, six digits, thirty seconds, one step of drift on either side. */
export class Totp {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Begins the enrolment; kept ten minutes, sealed, and for the account as it is now. No factor changes by it. */
  async setup(actor: UserActor, { replace, resume, ...shown }: Beginning) {
    const { db, policy, proof } = this.#parts
    const user = ownerOf(db, actor)
    if (codeFactorOf(user) && !replace) throw new AppError('mfa_already_enabled')
    if (!policy.rulesOn(user, actor).allowed.totp) throw new AppError('totp_not_allowed')
    await proof.assertOwner(actor, user, shown.currentPassword, 'mfa')
    // Asked for before there is anything to scan: whoever has scanned it may have lost the old one. A grant is kept
    // for the confirmation.
    if (replace) proof.assertFactor(actor, user, shown.stepUpGrantId, 'add_factor')
    const pending = this.#findSetup(user)
    // Never what another session began: somebody else may have its secret.
    const isResumed = resume && pending?.sessionId === actor.sessionId
    const { secret, recoveryCodes } = isResumed ? pending.setup : this.#begin(actor, user, pending?.setup)
    const otpAuthUrl = generateURI({ issuer: 'Homeport', label: user.email, secret })
    return { secret, recoveryCodes, otpAuthUrl, qrCodeDataUrl: await toDataURL(otpAuthUrl, { margin: 1, width: 240 }) }
  }

  /**
   * Whether such an answer is meant for an enrolment that the user has begun. Who holds an app or a phone already may
   * mean that one, so a replacement is confirmed at `enable` only.
   */
  isConfirmedBy(actor: UserActor, code: string, method: CodeMethod | undefined): boolean {
    const user = ownerOf(this.#parts.db, actor)
    const isFromApp = method === 'totp' || (method === undefined && sixDigits.test(code))
    return isFromApp && codeFactorOf(user) === null && this.#findSetup(user) !== null
  }

  /**
   * Confirms the pending setup with a code of the new app; with that the factor it takes the place of is gone. The
   * caller's session goes on, every other one ends.
   */
  enable(actor: UserActor, code: string, shown: Shown): Promise<{ issued: Issued; recoveryCodes: string[] }> {
    const { db, audit, limits, policy, proof, changes, secrets, recoveryCodes } = this.#parts
    return recordingRefusals(audit, actor, 'auth.mfa.setup.failed', async () => {
      limits.consume('mfa_setup', actor.userId)
      await proof.assertOwner(actor, ownerOf(db, actor), shown.currentPassword, 'mfa')
      const user = ownerOf(db, actor)
      if (!policy.rulesOn(user, actor).allowed.totp) throw new AppError('totp_not_allowed')
      const useGrant = proof.assertFactor(actor, user, shown.stepUpGrantId, 'add_factor')
      const pending = this.#findSetup(user)
      if (!pending) throw new AppError('mfa_setup_missing')
      const { setup, consume } = pending
      const step = this.#matchingStep(setup.secret, code)
      if (step === null) {
        const isSuperseded = setup.former.some((secret) => this.#matchingStep(secret, code) !== null)
        throw new AppError('mfa_code_invalid', isSuperseded ? { reason: 'superseded' } : {})
      }
      const replaced = codeFactorOf(user)
      const issued = await changes.commit(actor, {
        session: 'rebind',
        source: 'totp',
        reason: newsOf(replaced),
        event: { action: 'auth.mfa.setup', details: { method: 'totp', ...(replaced && { replaced }) } },
        apply: () => {
          useGrant()
          if (!consume()) throw new AppError('mfa_setup_missing')
          this.#spendStep(user.id, setup.secret, step)
          return {
            mfa_secret: secrets.encrypt(setup.secret, `mfa_secret:${user.id}`),
            mfa_enabled: 1,
            mfa_method: 'totp',
            mfa_recovery_codes: recoveryCodes.stored(setup.recoveryCodes),
            // Or the number would become a factor again with the last passkey deleted.
            ...(replaced === 'sms' && { phone_number: null, phone_verified: 0 }),
          }
        },
      })
      return { issued, recoveryCodes: setup.recoveryCodes }
    })
  }

  /** Null for a wrong code; else what uses it up, inside the transaction of what it lets somebody do. */
  check(user: User, code: string): (() => void) | null {
    const secret = user.mfa_secret && this.#parts.secrets.decrypt(user.mfa_secret, `mfa_secret:${user.id}`)
    const step = secret ? this.#matchingStep(secret, code) : null
    if (!secret || step === null || step <= this.#lastSpentStep(user.id, secret)) return null
    return () => this.#spendStep(user.id, secret, step)
  }

  #begin(actor: UserActor, user: User, before: Setup | undefined): Setup {
    const { oneTime, secrets, recoveryCodes } = this.#parts
    const former = before ? [before.secret, ...before.former].slice(0, formerKept) : []
    const setup: Setup = { secret: generateSecret({ length: 20 }), recoveryCodes: recoveryCodes.fresh(), former }
    const payload: Pending = {
      sealed: secrets.encrypt(JSON.stringify(setup), `mfa_setup:${user.id}`),
      sessionId: actor.sessionId,
      authEpoch: user.auth_epoch,
      mfaEpoch: user.mfa_epoch,
    }
    oneTime.put('mfa_setup', user.id, { userId: user.id, payload, lifeMs: setupLifeMs })
    return setup
  }

  /** Null when none was begun, it has expired, or the password or the factors have changed since. */
  #findSetup(user: User): { setup: Setup; sessionId: string; consume: () => boolean } | null {
    const { oneTime, secrets } = this.#parts
    const found = oneTime.find<Pending>('mfa_setup', user.id)
    if (found?.payload.mfaEpoch !== user.mfa_epoch || found.payload.authEpoch !== user.auth_epoch) return null
    const kept = JSON.parse(secrets.decrypt(found.payload.sealed, `mfa_setup:${user.id}`)) as Omit<Setup, 'former'>
    // One begun before the appliance was updated has none.
    const setup: Setup = { former: [], ...kept }
    return { setup, sessionId: found.payload.sessionId, consume: found.consume }
  }

  /** The step whose code this is, one step of clock drift allowed on either side. */
  #matchingStep(secret: string, code: string): number | null {
    if (!sixDigits.test(code)) return null
    const epoch = Math.floor(this.#parts.clock.now() / 1000)
    const result = verifySync({ secret, token: code, epoch, epochTolerance: stepSeconds })
    return result.valid ? Math.floor(epoch / stepSeconds) + result.delta : null
  }

  #lastSpentStep(userId: string, secret: string): number {
    const row = this.#parts.db.first(
      q
        .selectFrom('one_time_secrets')
        .select(sql<number>`json_extract(payload, '$.step')`.as('step'))
        .where('kind', '=', 'totp_step')
        .where('key_hash', '=', stepKey(userId, secret)),
    )
    return row?.step ?? -1
  }

  /** A code works once, although it stays valid for its step; after it, no older one works either. */
  #spendStep(userId: string, secret: string, step: number): void {
    const { db, clock } = this.#parts
    const spent = { payload: JSON.stringify({ step }), expires_at: iso(clock.now() + 120 * second) }
    const inserted = db.run(
      q
        .insertInto('one_time_secrets')
        .values({ kind: 'totp_step', key_hash: stepKey(userId, secret), user_id: userId, ...spent })
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

function newsOf(replaced: 'totp' | 'sms' | null): FactorNews {
  if (replaced === null) return 'authenticator-app-added'
  return replaced === 'totp' ? 'authenticator-app-replaced' : 'switched-to-app'
}

/** By secret: a code of a new one was never spent. */
const stepKey = (userId: string, secret: string) => sha256(`${userId} ${secret}`)
