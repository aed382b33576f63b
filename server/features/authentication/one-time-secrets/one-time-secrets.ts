import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { fromJson, toJson } from '../../../lib/json.ts'
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
  /** Uses it up, inside the transaction of what it authorizes; false if it was used or replaced meanwhile. */
  consume: () => boolean
}

interface NewSecret<Payload> {
  userId: string | null
  payload: Payload
  lifeMs: number
}

/** Secrets good for one use until they expire: challenges, grants, setups, links. Only the hash of a key is stored. */
export class OneTimeSecrets {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Replaces a secret of the same kind and key. */
  put<Payload extends object>(kind: SecretKind, key: string, { userId, payload, lifeMs }: NewSecret<Payload>): void {
    const row = {
      user_id: userId,
      payload: toJson(payload),
      expires_at: iso(this.#clock.now() + lifeMs),
    }
    this.#db.run(
      q
        .insertInto('one_time_secrets')
        .values({ kind, key_hash: sha256(key), ...row })
        .onConflict((conflict) => conflict.columns(['kind', 'key_hash']).doUpdateSet(row)),
    )
  }

  /** Undefined for a secret that is unknown, used or expired. */
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
        payload: fromJson(row.payload) as Payload,
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

  /** Finds a secret and uses it up at once, whatever follows. */
  take<Payload>(kind: SecretKind, key: string): Payload | undefined {
    const found = this.find<Payload>(kind, key)
    return found?.consume() ? found.payload : undefined
  }

  /** Deletes the secrets of this kind of a user, all or those whose payload has this value at `field`. */
  delete(kind: SecretKind, userId: string, payload?: { field: string; value: string }): void {
    let query = q.deleteFrom('one_time_secrets').where('kind', '=', kind).where('user_id', '=', userId)
    if (payload) query = query.where(sql<boolean>`payload ->> ${payload.field} = ${payload.value}`)
    this.#db.run(query)
  }
}
