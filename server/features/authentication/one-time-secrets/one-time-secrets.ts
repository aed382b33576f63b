import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, iso, isoNow } from '../../../platform/clock.ts'
import { sha256 } from '../../../platform/secrets.ts'
import type { LinkKind, SideLinkKind } from '../../messaging/index.ts'

export type SecretKind =
  | LinkKind
  | SideLinkKind
  | 'mfa_pending'
  | 'mfa_setup'
  | 'sms_code'
  | 'stepup_grant'
  | 'webauthn_auth'
  | 'webauthn_reg'

export interface Secret<Payload> {
  userId: string | null
  payload: Payload
  expiresAtMs: number
  /** Uses it up, inside the transaction of what it lets somebody do; false if that happened or it was replaced. */
  consume: () => boolean
}

interface NewSecret<Payload> {
  userId: string | null
  payload: Payload
  lifeMs: number
}

/** What is good for one use and dies by itself: challenges, grants, setups, links. Only the hash of a key is kept. */
export class OneTimeSecrets {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** A newer one takes the place of the one before it under the same key. */
  put<Payload extends object>(kind: SecretKind, key: string, { userId, payload, lifeMs }: NewSecret<Payload>): void {
    const row = {
      user_id: userId,
      payload: JSON.stringify(payload),
      expires_at: iso(this.#clock.now() + lifeMs),
    }
    this.#db.run(
      q
        .insertInto('one_time_secrets')
        .values({ kind, key_hash: sha256(key), ...row })
        .onConflict((conflict) => conflict.columns(['kind', 'key_hash']).doUpdateSet(row)),
    )
  }

  /** Undefined for one that is unknown, used up or expired. */
  find<Payload>(kind: SecretKind, key: string): Secret<Payload> | undefined {
    const row = this.#db.first(
      q
        .selectFrom('one_time_secrets')
        .selectAll()
        .where('kind', '=', kind)
        .where('key_hash', '=', sha256(key))
        .where('expires_at', '>', isoNow(this.#clock)),
    )
    return (
      row && {
        userId: row.user_id,
        payload: JSON.parse(row.payload) as Payload,
        expiresAtMs: Date.parse(row.expires_at),
        consume: () =>
          this.#db.run(
            q
              .deleteFrom('one_time_secrets')
              .where('kind', '=', kind)
              .where('key_hash', '=', row.key_hash)
              .where('payload', '=', row.payload),
          ) > 0,
      }
    )
  }

  /** Finds it and uses it up at once, whatever becomes of it. */
  take<Payload>(kind: SecretKind, key: string): Payload | undefined {
    const found = this.find<Payload>(kind, key)
    return found?.consume() ? found.payload : undefined
  }
}
