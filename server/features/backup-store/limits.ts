import type { Limit } from '../../lib/limit.ts'

export const backupStoreLimits = {
  backup_store_refused: { max: 30, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
