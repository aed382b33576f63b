import type { Limit } from '../limit.ts'

export const httpLimits = {
  global: { max: 300, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
