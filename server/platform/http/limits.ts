import type { Limit } from '../../lib/limit.ts'

export const httpLimits = {
  global: { max: 300, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
