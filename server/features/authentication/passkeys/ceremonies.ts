import { minute } from '../../../platform/clock.ts'
import type { OneTimeSecrets } from '../one-time-secrets/one-time-secrets.ts'

export const ceremonyLifeMs = 5 * minute

/** A challenge and the relying party it was issued for. */
export interface Ceremony {
  challenge: string
  origin: string
  rpId: string
}

/** Registering a passkey is bound to a session, and to the factors the account had when it began. */
export interface RegistrationCeremony extends Ceremony {
  name: string | null
  sessionId: string
  mfaEpoch: number
  /** The identity provider of the session, where no password was shown; else null. */
  providerId: string | null
}

interface Kinds {
  webauthn_reg: RegistrationCeremony
  webauthn_auth: Ceremony
}

/** WebAuthn challenges that wait for an answer. Each key has one at a time; a newer one replaces it. */
export class Ceremonies {
  readonly #secrets: OneTimeSecrets

  constructor(secrets: OneTimeSecrets) {
    this.#secrets = secrets
  }

  begin<K extends keyof Kinds>(kind: K, key: string, userId: string | null, ceremony: Kinds[K]): void {
    this.#secrets.put(kind, key, { userId, payload: ceremony, lifeMs: ceremonyLifeMs })
  }

  /** Uses the challenge up, whatever becomes of the answer. */
  take<K extends keyof Kinds>(kind: K, key: string): Kinds[K] | undefined {
    return this.#secrets.take(kind, key)
  }
}
