import type { Limit } from '../../lib/limit.ts'

export const backupDownloadsLimits = {
  backup_download: { max: 30, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
