import type { Limit } from '../../platform/limit.ts'

export const enrollmentKeysLimits = {
  enrollment_ip: { max: 10, windowSeconds: 60 },
  enrollment_key_create: { max: 10, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
