import type { Limit } from '../../lib/limit.ts'

export const psaLimits = {
  psa_test: { max: 10, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
