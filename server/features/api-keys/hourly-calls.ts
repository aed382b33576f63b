import { type Clock, hour, second } from '../../platform/clock.ts'

/** Calls within one second of the first of them; `at` is milliseconds of the monotonic clock, which cannot be set back. */
interface CallCount {
  at: number
  calls: number
}
interface Window {
  counts: CallCount[]
  /** The sum of `counts`. */
  calls: number
}

/** What a key may still do within its hourly limit. */
export interface RateStatus {
  limit: number
  remaining: number
  /** When the oldest call of the hour no longer counts; seconds since 1970. */
  resetAt: number
}

/** The calls of the last hour of every key, in memory; counted by the second, so at most 3,600 counts per key. */
export class HourlyCalls {
  readonly #clock: Clock
  readonly #windows = new Map<string, Window>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a call and returns 0; when the limit is used up, returns the milliseconds until the next call is allowed. */
  take(keyId: string, limit: number): number {
    const now = this.#clock.monotonic()
    const window = this.#current(keyId, now)
    if (window.calls >= limit) return nextCallAt(limit, window) - now
    const last = window.counts.at(-1)
    if (last && now - last.at < second) last.calls++
    else window.counts.push({ at: now, calls: 1 })
    window.calls++
    this.#windows.set(keyId, window)
    return 0
  }

  rateStatus(keyId: string, limit: number): RateStatus {
    const now = this.#clock.monotonic()
    const { counts, calls } = this.#current(keyId, now)
    const age = now - (counts[0]?.at ?? now)
    return {
      limit,
      remaining: Math.max(0, limit - calls),
      resetAt: Math.ceil((this.#clock.now() - age + hour) / second),
    }
  }

  #current(keyId: string, now: number): Window {
    const window = this.#windows.get(keyId) ?? { counts: [], calls: 0 }
    const { counts } = window
    for (let [oldest] = counts; oldest && oldest.at + hour <= now; [oldest] = counts) {
      window.calls -= oldest.calls
      counts.shift()
    }
    if (counts.length === 0) this.#windows.delete(keyId)
    return window
  }
}

/** When enough calls are an hour old; that may take several counts if the limit was lowered meanwhile. */
function nextCallAt(limit: number, { counts, calls }: Window): number {
  let remaining = calls
  const lastToExpire = counts.find((count) => {
    remaining -= count.calls
    return remaining < limit
  })
  return (lastToExpire?.at ?? 0) + hour
}
