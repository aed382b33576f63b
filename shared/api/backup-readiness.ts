import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, uuid } from '../fields.ts'

/** How well devices could be brought back from their backups, as checks of them show. */

const count = z.int().nonnegative()
const percent = z.int().min(0).max(100)

export const riskCode = z.enum([
  'no_verification_history',
  'recent_verification_failure',
  'stale_verification',
  'rto_above_target',
  'restore_test_missing',
])
export type RiskCode = z.infer<typeof riskCode>

export const riskFactor = z.object({
  code: riskCode,
  severity: z.enum(['low', 'medium', 'high']),
  message: z.string(),
})
export type RiskFactor = z.infer<typeof riskFactor>

/** From which score on a device is well prepared, and below which it is not. */
export const readinessLimits = { low: 70, recovered: 75, high: 85 } as const

export const deviceReadiness = z.object({
  /** A uuid; `synthetic-readiness:…` for a protected device whose backups were never checked. */
  id: z.string(),
  orgId: z.uuid(),
  deviceId: z.uuid(),
  deviceName: z.string(),
  readinessScore: percent,
  /** How long a restore of everything takes by the average of test restores, rounded up; null when there was none. */
  estimatedRtoMinutes: count.nullable(),
  /** The age of the newest backup that can be restored from. */
  estimatedRpoMinutes: count.nullable(),
  newestBackupAt: instant.nullable(),
  lastCheckedAt: instant.nullable(),
  lastTestRestoreAt: instant.nullable(),
  riskFactors: z.array(riskFactor),
  calculatedAt: instant,
})
export type DeviceReadiness = z.infer<typeof deviceReadiness>

/** Administrators of one organization see its backups without seeing the organization’s record. */
const read = userAccess('organizations:read', { or: 'backup:read' })
/** Whether to calculate anew first. */
const refresh = z.enum(['true', 'false', '1', '0']).optional()

export const recoveryReadiness = endpoint({
  name: 'backup-readiness.list',
  method: 'GET',
  path: '/backup/recovery-readiness',
  summary: 'How well devices could be brought back from their backups, the worst first',
  access: read,
  query: z.object({ orgId: uuid.optional(), deviceId: uuid.optional(), refresh }),
  reply: z.object({
    data: z.object({
      summary: z.object({
        devices: count,
        averageScore: percent,
        /** Below 70. */
        lowReadiness: count,
        /** 85 and above. */
        highReadiness: count,
      }),
      devices: z.array(deviceReadiness),
    }),
  }),
})
export type RecoveryReadiness = z.infer<typeof recoveryReadiness.reply>['data']

export const backupHealth = endpoint({
  name: 'backup-readiness.health',
  method: 'GET',
  path: '/backup/health',
  summary: 'Whether backups of an organization are checked, and devices could be brought back',
  access: read,
  query: z.object({ orgId: uuid.optional(), refresh }),
  reply: z.object({
    data: z.object({
      /** `critical`: a check failed on a critical device. `degraded`: a device could hardly be brought back. */
      status: z.enum(['healthy', 'degraded', 'critical']),
      verification: z.object({
        total: count,
        passedLast24h: count,
        failedLast24h: count,
        partialLast24h: count,
        /** Of the protected devices, those with a check that passed in the last 30 days; 100 without any. */
        coveragePercent: percent,
      }),
      readiness: z.object({ averageScore: percent, lowReadinessCount: count, criticalDevicesAtRisk: count }),
      /** Devices with a failure that no later check has outweighed. */
      escalations: z.object({ verificationFailures: count, criticalVerificationFailures: count }),
    }),
  }),
})
export type BackupHealth = z.infer<typeof backupHealth.reply>['data']
