import { randomInt } from 'node:crypto'
import type { LimitName } from '../../../limits.ts'
import { minute } from '../../../platform/clock.ts'
import { AppError, rateLimited } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { equalSecrets, type Secrets } from '../../../platform/secrets.ts'
import type { User } from '../../access/index.ts'
import type { Sms } from '../../messaging/index.ts'
import type { OneTimeSecrets } from '../one-time-secrets/one-time-secrets.ts'

const lifeMs = 10 * minute

interface Dependencies {
  oneTimeSecrets: OneTimeSecrets
  secrets: Secrets
  limits: RateLimits
  sms: Sms
}

/** Codes of six digits sent as text messages. For each user and purpose only the newest code works. */
export class SmsCodes {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  isAvailable(): boolean {
    return this.#dependencies.sms.isConfigured()
  }

  assertAvailable(): void {
    if (!this.isAvailable()) throw new AppError('sms_unavailable')
  }

  /**
   * A message counts against all rate limits or, if one of them is used up, against none.
   * @param purpose what the code is good for: a challenge, a number to confirm, a session
   * @throws AppError `sms_unavailable`, `rate_limited`
   */
  async send(
    user: User,
    phoneNumber: string,
    purpose: string,
    ownBuckets: readonly (readonly [limit: LimitName, key: string])[],
  ): Promise<void> {
    const { oneTimeSecrets, limits, sms } = this.#dependencies
    this.assertAvailable()
    const buckets = [...ownBuckets, ['sms_total', 'appliance'] as const]
    const wait = Math.max(...buckets.map(([limit, key]) => limits.retryAfterMs(limit, key)))
    if (wait > 0) throw rateLimited('rate_limited', wait)
    for (const [limit, key] of buckets) limits.count(limit, key)
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    // Stored after sending: if the provider fails, the code sent before still works.
    await sms.send(phoneNumber, `${code} is your Homeport code. It works for ten minutes.`)
    // A keyed hash: a plain one of six digits could be reversed by trying them all.
    const payload = { hash: this.#hash(code, phoneNumber), phoneNumber }
    oneTimeSecrets.put('sms_code', keyOf(user, purpose), { userId: user.id, payload, lifeMs })
  }

  /** @returns null for a wrong code; else a function that uses it up, inside the transaction of what it authorizes */
  check(user: User, code: string, purpose: string, phoneNumber = user.phone_number): (() => void) | null {
    const found = this.#dependencies.oneTimeSecrets.find('sms_code', keyOf(user, purpose))
    if (!found || found.payload.phoneNumber !== phoneNumber) return null
    if (!equalSecrets(found.payload.hash, this.#hash(code, phoneNumber))) return null
    return () => {
      if (!found.consume()) throw new AppError('mfa_code_invalid')
    }
  }

  #hash(code: string, phoneNumber: string): string {
    return this.#dependencies.secrets.linkToken('sms_code', `${phoneNumber}:${code}`)
  }
}

const keyOf = (user: User, purpose: string) => `${user.id} ${purpose}`
