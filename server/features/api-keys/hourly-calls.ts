import { type Clock, hour, second } from '../../platform/clock.ts'

/** Calls within a second of the first of them; by the monotonic clock, which nobody sets. */
interface Slice {
  at: number
  calls: number
}
interface Window {
  slices: Slice[]
  /** In all of them. */
  calls: number
}

/** How a key stands with its limit. */
export interface Allowance {
  limit: number
  remaining: number
  /** When the oldest call of the hour no longer counts; seconds since 1970. */
  resetAt: number
  /** Milliseconds until a call is let through; 0 when one is now. */
  retryAfterMs: number
}

/** The calls of the last hour of every key, in memory: 100,000 of them are no more than 3,600 slices. */
export class HourlyCalls {
  readonly #clock: Clock
  readonly #windows = new Map<string, Window>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a call, but not one beyond the limit, and tells how the key stands after it. */
  take(keyId: string, limit: number): Allowance {
    const now = this.#clock.monotonic()
    const window = this.#current(keyId, now)
    if (window.calls >= limit) return this.#describe(window, limit, now)
    const last = window.slices.at(-1)
    if (last && now - last.at < second) last.calls++
    else window.slices.push({ at: now, calls: 1 })
    window.calls++
    this.#windows.set(keyId, window)
    return { ...this.#describe(window, limit, now), retryAfterMs: 0 }
  }

  allowance(keyId: string, limit: number): Allowance {
    const now = this.#clock.monotonic()
    return this.#describe(this.#current(keyId, now), limit, now)
  }

  #current(keyId: string, now: number): Window {
    const window = this.#windows.get(keyId) ?? { slices: [], calls: 0 }
    const kept = window.slices.findIndex(({ at }) => at + hour > now)
    const over = window.slices.splice(0, kept === -1 ? window.slices.length : kept)
    for (const { calls } of over) window.calls -= calls
    if (window.calls === 0) this.#windows.delete(keyId)
    return window
  }

  #describe({ slices, calls }: Window, limit: number, now: number): Allowance {
    const [oldest] = slices
    return {
      limit,
      remaining: Math.max(0, limit - calls),
      resetAt: Math.ceil((this.#clock.now() + (oldest ? oldest.at - now : 0) + hour) / second),
      retryAfterMs: calls < limit ? 0 : waitUntilBelow(limit, slices, calls) - now,
    }
  }
}

/** More than one slice has to be over when the limit was lowered since. */
function waitUntilBelow(limit: number, slices: readonly Slice[], calls: number): number {
  let left = calls
  const freeing = slices.find((slice) => {
    left -= slice.calls
    return left < limit
  })
  return (freeing?.at ?? 0) + hour
}
