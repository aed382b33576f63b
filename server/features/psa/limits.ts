import type { Limit } from '../../platform/limit.ts'

export const psaLimits = {
  psa_test: { max: 10, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
