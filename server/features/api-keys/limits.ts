import type { Limit } from '../../lib/limit.ts'

export const apiKeysLimits = {
  /** Calls with an API key that is refused. */
  api_key_probe: { max: 300, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
