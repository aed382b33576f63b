import type { Limit } from '../../lib/limit.ts'

export const devicesLimits = {
  // Each export reads all devices of its list, and shares the time for long work with those of all partners.
  device_export: { max: 30, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
