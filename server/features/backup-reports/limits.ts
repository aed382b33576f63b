import type { Limit } from '../../lib/limit.ts'

export const backupReportsLimits = {
  // Each looks at every device of an organization.
  backup_protection_export: { max: 30, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
