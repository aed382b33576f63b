import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, iso, isoNow, minute } from '../../../platform/clock.ts'
import { sha256 } from '../../../platform/secrets.ts'

export const ceremonyLifeMs = 5 * minute

/** The challenge that was given out, and the place it was given out for. */
export interface Ceremony {
  challenge: string
  origin: string
  rpId: string
}

/** Making a passkey is a matter of one session and of the factors as they were. */
export interface Registering extends Ceremony {
  name: string | null
  sessionId: string
  mfaEpoch: number
}

interface Kinds {
  webauthn_reg: Registering
  webauthn_auth: Ceremony
}

/** Challenges that wait for an authenticator. Each key has one at a time; a newer one replaces it. */
export class Ceremonies {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  begin<K extends keyof Kinds>(kind: K, key: string, userId: string | null, ceremony: Kinds[K]): void {
    const row = {
      user_id: userId,
      payload: JSON.stringify(ceremony),
      expires_at: iso(this.#clock.now() + ceremonyLifeMs),
    }
    this.#db.run(
      q
        .insertInto('one_time_secrets')
        .values({ kind, key_hash: sha256(key), ...row })
        .onConflict((conflict) => conflict.columns(['kind', 'key_hash']).doUpdateSet(row)),
    )
  }

  /** Gone once it was asked for, whatever becomes of the answer. */
  take<K extends keyof Kinds>(kind: K, key: string): Kinds[K] | undefined {
    const [row] = this.#db.write(
      q
        .deleteFrom('one_time_secrets')
        .where('kind', '=', kind)
        .where('key_hash', '=', sha256(key))
        .returning(['payload', 'expires_at']),
    )
    return row && row.expires_at > isoNow(this.#clock) ? (JSON.parse(row.payload) as Kinds[K]) : undefined
  }
}
