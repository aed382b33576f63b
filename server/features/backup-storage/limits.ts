import type { Limit } from '../../lib/limit.ts'

export const backupStorageLimits = {
  backup_config_test: { max: 10, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
