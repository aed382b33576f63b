import type { Limit } from '../../lib/limit.ts'

export const messagingLimits = {
  test_message: { max: 5, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
