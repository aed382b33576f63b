import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, pathId, uuid } from '../fields.ts'

const enforcement = z.enum(['application', 'provider'])

export const backupSnapshot = z.object({
  id: z.uuid(),
  deviceId: z.uuid(),
  configId: z.uuid(),
  jobId: z.uuid().nullable(),
  /** When it was taken. */
  createdAt: instant,
  backupType: z.enum(['file', 'system_image', 'database', 'application']),
  sizeBytes: z.int(),
  fileCount: z.int(),
  label: z.string(),
  location: z.string().nullable(),
  /** Null: it is kept until somebody removes it. */
  expiresAt: instant.nullable(),
  legalHold: z.boolean(),
  legalHoldReason: z.string().nullable(),
  legalHoldSource: z.enum(['policy', 'manual']).nullable(),
  isImmutable: z.boolean(),
  immutableUntil: instant.nullable(),
  immutabilityEnforcement: enforcement.nullable(),
  requestedImmutabilityEnforcement: enforcement.nullable(),
  immutabilityFallbackReason: z.string().nullable(),
  /** Why retention does not remove it, whatever its age. */
  retentionBlockedReason: z.enum(['legal_hold', 'immutable_until']).nullable(),
})
export type BackupSnapshot = z.infer<typeof backupSnapshot>

const read = userAccess('backup:read')

export const listBackupSnapshots = endpoint({
  name: 'backup-snapshots.list',
  method: 'GET',
  path: '/backup/snapshots',
  summary: 'Snapshots, the newest first',
  access: read,
  query: z.object({ orgId: uuid.optional(), deviceId: uuid.optional(), configId: uuid.optional() }),
  reply: z.object({ data: z.array(backupSnapshot) }),
})

export const readBackupSnapshot = endpoint({
  name: 'backup-snapshots.read',
  method: 'GET',
  path: '/backup/snapshots/:id',
  summary: 'One snapshot',
  access: read,
  params: z.object({ id: pathId }),
  query: z.object({ orgId: uuid.optional() }),
  reply: backupSnapshot,
})
