import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { uuid } from '../fields.ts'

/** How full the backup store of the appliance is. */

export const backupStoreUsage = z.object({
  /** That the backups of the organization take up. */
  usedBytes: z.int(),
  /** Null: without a limit. */
  quotaBytes: z.int().nullable(),
  /** On the disk of the appliance, for backups of all organizations. */
  freeBytes: z.int(),
})
export type BackupStoreUsage = z.infer<typeof backupStoreUsage>

export const readBackupStoreUsage = endpoint({
  name: 'backup-quotas.usage',
  method: 'GET',
  path: '/backup/usage',
  summary: 'How much an organization stores on the appliance, and how much it may',
  access: userAccess('backup:read'),
  query: z.object({ orgId: uuid.optional() }),
  reply: z.object({ data: backupStoreUsage }),
})

export const setBackupQuota = endpoint({
  name: 'backup-quotas.set',
  method: 'PUT',
  path: '/backup/quota',
  summary: 'How much an organization may store on the appliance; for its company',
  access: userAccess('organizations:write', { scopes: ['partner', 'system'], mfa: 'session' }),
  body: z.object({
    orgId: uuid,
    /** Null: without a limit. */
    quotaBytes: z.int().min(0).nullable(),
  }),
  reply: z.object({ data: backupStoreUsage }),
  audit: 'backup.quota.update',
})
