import { backoffMs, jittered } from '../shared/backoff.ts'

export interface AgentBackoff {
  /** The next pause in ms: doubles from call to call up to the cap, ±30 %. */
  next(capMs?: number): number
  reset(): void
  readonly attempts: number
}

export function createBackoff(options: { firstMs: number; capMs: number; random?: () => number }): AgentBackoff {
  let attempts = 0
  return {
    next(capMs = options.capMs) {
      attempts += 1
      return Math.round(jittered(backoffMs(attempts, { firstMs: options.firstMs, capMs }), 0.3, options.random))
    },
    reset() {
      attempts = 0
    },
    get attempts() {
      return attempts
    },
  }
}
