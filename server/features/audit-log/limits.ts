import type { Limit } from '../../lib/limit.ts'

export const auditLogLimits = {
  // Each reads all there is, and takes turns with the long work of all companies.
  audit_export: { max: 30, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
