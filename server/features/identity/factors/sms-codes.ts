import { randomInt } from 'node:crypto'
import type { LimitName } from '../../../limits.ts'
import { minute } from '../../../platform/clock.ts'
import { AppError, rateLimited } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { equalSecrets, type Secrets } from '../../../platform/secrets.ts'
import type { Sms } from '../../messaging/index.ts'
import type { OneTimeSecrets } from '../one-time-secrets.ts'
import type { User } from '../store.ts'

const lifeMs = 10 * minute

interface Sent {
  hash: string
  phoneNumber: string
}

interface Parts {
  oneTime: OneTimeSecrets
  secrets: Secrets
  limits: RateLimits
  sms: Sms
}

/** Six digits sent as a text message. There is one live code for each purpose; a newer one replaces it. */
export class SmsCodes {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  isAvailable(): boolean {
    return this.#parts.sms.isConfigured()
  }

  assertAvailable(): void {
    if (!this.isAvailable()) throw new AppError('sms_unavailable')
  }

  /**
   * `purpose` is what the code will be good for: the challenge, the number to verify, the session. A message costs
   * money and somebody's peace, so each counts in all of its buckets or, when one is full, in none.
   */
  async send(
    user: User,
    phoneNumber: string,
    purpose: string,
    ownBuckets: readonly (readonly [limit: LimitName, key: string])[],
  ): Promise<void> {
    const { oneTime, limits, sms } = this.#parts
    this.assertAvailable()
    const buckets = [...ownBuckets, ['sms_total', 'appliance'] as const]
    const wait = Math.max(...buckets.map(([limit, key]) => limits.retryAfterMs(limit, key)))
    if (wait > 0) throw rateLimited('rate_limited', wait)
    for (const [limit, key] of buckets) limits.count(limit, key)
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    // Kept only once it is on its way: when the provider fails, the code sent before goes on working.
    await sms.send(phoneNumber, `${code} is your Homeport code. It works for ten minutes.`)
    // Six digits are quickly tried through: only a keyed hash keeps them.
    const payload: Sent = { hash: this.#hash(code, phoneNumber), phoneNumber }
    oneTime.put('sms_code', keyOf(user, purpose), { userId: user.id, payload, lifeMs })
  }

  /** Null for a wrong code; else what uses it up, inside the transaction of what it lets somebody do. */
  check(user: User, code: string, purpose: string, phoneNumber = user.phone_number): (() => void) | null {
    const found = this.#parts.oneTime.find<Sent>('sms_code', keyOf(user, purpose))
    if (!found || found.payload.phoneNumber !== phoneNumber) return null
    if (!equalSecrets(found.payload.hash, this.#hash(code, phoneNumber))) return null
    return () => {
      if (!found.consume()) throw new AppError('mfa_code_invalid')
    }
  }

  #hash(code: string, phoneNumber: string): string {
    return this.#parts.secrets.linkToken('sms_code', `${phoneNumber}:${code}`)
  }
}

const keyOf = (user: User, purpose: string) => `${user.id} ${purpose}`
