import type { Limit } from '../../lib/limit.ts'

export const auditLogLimits = {
  // Each export reads the whole log, and shares the time for long work with those of all partners.
  audit_export: { max: 30, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
