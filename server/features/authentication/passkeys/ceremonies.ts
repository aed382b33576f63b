import { minute } from '../../../platform/clock.ts'
import type { OneTimeSecrets } from '../one-time-secrets/one-time-secrets.ts'
import type { SecretPayloads } from '../one-time-secrets/secret-payloads.ts'

export const ceremonyLifeMs = 5 * minute

type CeremonyKind = 'webauthn_auth' | 'webauthn_reg'

/** WebAuthn challenges that wait for an answer. Each key has one at a time; a newer one replaces it. */
export class Ceremonies {
  readonly #secrets: OneTimeSecrets

  constructor(secrets: OneTimeSecrets) {
    this.#secrets = secrets
  }

  begin<Kind extends CeremonyKind>(
    kind: Kind,
    key: string,
    userId: string | null,
    ceremony: SecretPayloads[Kind],
  ): void {
    this.#secrets.put(kind, key, { userId, payload: ceremony, lifeMs: ceremonyLifeMs })
  }

  /** Uses the challenge up, whatever becomes of the answer. */
  take<Kind extends CeremonyKind>(kind: Kind, key: string): SecretPayloads[Kind] | undefined {
    return this.#secrets.take(kind, key)
  }
}
