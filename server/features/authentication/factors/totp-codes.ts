import { sql } from 'kysely'
import { verifySync } from 'otplib'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { toJson } from '../../../lib/json.ts'
import { type Clock, iso, second } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { type Secrets, sha256 } from '../../../platform/secrets.ts'
import type { User } from '../../access/index.ts'
import { sixDigits } from './code-method.ts'

const stepSeconds = 30

/** Codes of authenticator apps (TOTP, RFC 6238): SHA-1, six digits, 30 seconds, one step of drift on either side. */
export class TotpCodes {
  readonly #db: Database
  readonly #clock: Clock
  readonly #secrets: Secrets

  constructor(db: Database, clock: Clock, secrets: Secrets) {
    this.#db = db
    this.#clock = clock
    this.#secrets = secrets
  }

  /** @returns null for a wrong code; else a function that uses it up, inside the transaction of what it authorizes */
  check(user: User, code: string): (() => void) | null {
    const secret = user.mfa_secret && this.#secrets.decrypt(user.mfa_secret, `mfa_secret:${user.id}`)
    const step = secret ? this.matchingStep(secret, code) : null
    if (!secret || step === null || step <= this.#lastSpentStep(user.id, secret)) return null
    return () => this.spendStep(user.id, secret, step)
  }

  /** The time step whose code this is; null for none. */
  matchingStep(secret: string, code: string): number | null {
    if (!sixDigits.test(code)) return null
    const epoch = Math.floor(this.#clock.now() / 1000)
    const result = verifySync({ secret, token: code, epoch, epochTolerance: stepSeconds })
    return result.valid ? Math.floor(epoch / stepSeconds) + result.delta : null
  }

  #lastSpentStep(userId: string, secret: string): number {
    const row = this.#db.first(
      q
        .selectFrom('one_time_secrets')
        .select(sql<number>`json_extract(payload, '$.step')`.as('step'))
        .where('kind', '=', 'totp_step')
        .where('key_hash', '=', stepKey(userId, secret)),
    )
    return row?.step ?? -1
  }

  /** RFC 6238, 5.2: a code works once, although it stays valid for its time step; older ones stop working as well. */
  spendStep(userId: string, secret: string, step: number): void {
    const spent = { payload: toJson({ step }), expires_at: iso(this.#clock.now() + 120 * second) }
    const inserted = this.#db.run(
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

/** Per secret: no code of a new secret has been spent. */
const stepKey = (userId: string, secret: string) => sha256(`${userId} ${secret}`)
