import { randomInt } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, iso, isoNow, minute } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { equalSecrets, type Secrets, sha256 } from '../../../platform/secrets.ts'
import type { Sms } from '../../messaging/index.ts'
import type { User } from '../store.ts'

const lifeMs = 10 * minute

/** Six digits sent as a text message. There is one live code for each purpose; a newer one replaces it. */
export class SmsCodes {
  readonly #db: Database
  readonly #clock: Clock
  readonly #secrets: Secrets
  readonly #sms: Sms

  constructor(db: Database, clock: Clock, secrets: Secrets, sms: Sms) {
    this.#db = db
    this.#clock = clock
    this.#secrets = secrets
    this.#sms = sms
  }

  /** `purpose` is what the code will be good for: the challenge, the number to verify, the operation. */
  async send(user: User, phoneNumber: string, purpose: string): Promise<void> {
    if (!this.#sms.isConfigured()) throw new AppError('sms_unavailable')
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    const row = {
      user_id: user.id,
      // Six digits are quickly tried through: only a keyed hash keeps them.
      payload: JSON.stringify({ hash: this.#hash(code, phoneNumber), phoneNumber }),
      expires_at: iso(this.#clock.now() + lifeMs),
    }
    this.#db.run(
      q
        .insertInto('one_time_secrets')
        .values({ kind: 'sms_code', key_hash: keyOf(user, purpose), ...row })
        .onConflict((conflict) => conflict.columns(['kind', 'key_hash']).doUpdateSet(row)),
    )
    await this.#sms.send(phoneNumber, `${code} is your Homeport code. It works for ten minutes.`)
  }

  /** Null for a wrong code; else what uses it up, inside the transaction of what it lets somebody do. */
  check(user: User, code: string, purpose: string, phoneNumber = user.phone_number): (() => void) | null {
    const key = keyOf(user, purpose)
    const row = this.#db.first(
      q
        .selectFrom('one_time_secrets')
        .select('payload')
        .where('kind', '=', 'sms_code')
        .where('key_hash', '=', key)
        .where('expires_at', '>', isoNow(this.#clock)),
    )
    const sent = row && (JSON.parse(row.payload) as { hash: string; phoneNumber: string })
    if (!sent || sent.phoneNumber !== phoneNumber) return null
    if (!equalSecrets(sent.hash, this.#hash(code, sent.phoneNumber))) return null
    return () => {
      const consumed = this.#db.run(
        q.deleteFrom('one_time_secrets').where('kind', '=', 'sms_code').where('key_hash', '=', key),
      )
      if (consumed === 0) throw new AppError('mfa_code_invalid')
    }
  }

  #hash(code: string, phoneNumber: string): string {
    return this.#secrets.linkToken('sms_code', `${phoneNumber}:${code}`)
  }
}

const keyOf = (user: User, purpose: string) => sha256(`${user.id} ${purpose}`)
