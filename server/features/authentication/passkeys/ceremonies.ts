import { minute } from '../../../platform/clock.ts'
import type { OneTimeSecrets } from '../one-time-secrets/one-time-secrets.ts'

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
  /** The identity provider whose word was all that was shown; null where the password was. */
  providerId: string | null
}

interface Kinds {
  webauthn_reg: Registering
  webauthn_auth: Ceremony
}

/** Challenges that wait for an authenticator. Each key has one at a time; a newer one replaces it. */
export class Ceremonies {
  readonly #secrets: OneTimeSecrets

  constructor(secrets: OneTimeSecrets) {
    this.#secrets = secrets
  }

  begin<K extends keyof Kinds>(kind: K, key: string, userId: string | null, ceremony: Kinds[K]): void {
    this.#secrets.put(kind, key, { userId, payload: ceremony, lifeMs: ceremonyLifeMs })
  }

  /** Gone once it was asked for, whatever becomes of the answer. */
  take<K extends keyof Kinds>(kind: K, key: string): Kinds[K] | undefined {
    return this.#secrets.take(kind, key)
  }
}
