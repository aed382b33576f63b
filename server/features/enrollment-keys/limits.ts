import type { Limit } from '../../lib/limit.ts'

export const enrollmentKeysLimits = {
  enrollment_ip: { max: 10, windowSeconds: 60 },
  enrollment_key_create: { max: 10, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
