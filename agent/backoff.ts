export interface Backoff {
  /** The next pause in ms: doubles from call to call up to the cap, ±30 %. */
  next(capMs?: number): number
  reset(): void
  readonly attempts: number
}

export function createBackoff(options: { firstMs: number; capMs: number; random?: () => number }): Backoff {
  const random = options.random ?? Math.random
  let attempts = 0
  return {
    next(capMs = options.capMs) {
      const plain = Math.min(options.firstMs * 2 ** attempts, capMs)
      attempts += 1
      return Math.round(spread(plain, 0.3, random))
    },
    reset() {
      attempts = 0
    },
    get attempts() {
      return attempts
    },
  }
}

/** `value` moved by a random share of at most ±`share`, so that a fleet does not act in step. */
export const spread = (value: number, share: number, random: () => number = Math.random): number =>
  value * (1 - share + 2 * share * random())
