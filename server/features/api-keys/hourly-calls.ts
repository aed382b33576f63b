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
}

/** The calls of the last hour of every key, in memory: 100,000 of them are no more than 3,600 slices. */
export class HourlyCalls {
  readonly #clock: Clock
  readonly #windows = new Map<string, Window>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a call; or, when the limit is used up, tells the milliseconds until there is room again. */
  take(keyId: string, limit: number): number {
    const now = this.#clock.monotonic()
    const window = this.#current(keyId, now)
    if (window.calls >= limit) return roomAt(limit, window) - now
    const last = window.slices.at(-1)
    if (last && now - last.at < second) last.calls++
    else window.slices.push({ at: now, calls: 1 })
    window.calls++
    this.#windows.set(keyId, window)
    return 0
  }

  allowance(keyId: string, limit: number): Allowance {
    const now = this.#clock.monotonic()
    const { slices, calls } = this.#current(keyId, now)
    const age = now - (slices[0]?.at ?? now)
    return {
      limit,
      remaining: Math.max(0, limit - calls),
      resetAt: Math.ceil((this.#clock.now() - age + hour) / second),
    }
  }

  #current(keyId: string, now: number): Window {
    const window = this.#windows.get(keyId) ?? { slices: [], calls: 0 }
    const { slices } = window
    for (let [oldest] = slices; oldest && oldest.at + hour <= now; [oldest] = slices) {
      window.calls -= oldest.calls
      slices.shift()
    }
    if (slices.length === 0) this.#windows.delete(keyId)
    return window
  }
}

/** More than one slice has to be over when the limit was lowered since. */
function roomAt(limit: number, { slices, calls }: Window): number {
  let left = calls
  const freeing = slices.find((slice) => {
    left -= slice.calls
    return left < limit
  })
  return (freeing?.at ?? 0) + hour
}
