import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, uuid } from '../fields.ts'
import { lenientInstant } from '../lenient.ts'
import { pageLimit } from '../paging.ts'

/** Checks that backups can be restored from. */

const count = z.int().nonnegative()

/** `integrity`: the data of the repository is read. `test_restore`: files are restored to the device and compared. */
export const verificationType = z.enum(['integrity', 'test_restore'])
export type VerificationType = z.infer<typeof verificationType>

export const verificationStatus = z.enum(['pending', 'running', 'passed', 'failed', 'partial'])
export type VerificationStatus = z.infer<typeof verificationStatus>

/** A file of the snapshot that cannot be brought back as it was. */
export const unprovenFile = z.object({ path: z.string(), error: z.string() })

/** The reason of a test restore for which the device has no room. */
export const insufficientSpace = 'insufficient_space'

/** At most. */
export const keptUnprovenFiles = 1000
const keptSnapshots = 100

/** What is wrong in a repository; `id` as restic names it, null where it has none or is not known. */
export const repositoryDamage = z.object({
  kind: z.enum(['pack', 'index', 'snapshot', 'tree', 'key', 'config', 'other']),
  id: z.string().nullable(),
})
export type RepositoryDamage = z.infer<typeof repositoryDamage>

export const verificationDetails = z.object({
  source: z.enum(['manual', 'scheduled', 'post_backup']),
  /** Who asked for it. */
  requestedBy: z.uuid().optional(),
  commandId: z.uuid().optional(),
  /** Who does it: the device, or the appliance with its own restic. */
  ranOn: z.enum(['device', 'appliance']),
  failedFiles: z.array(unprovenFile).max(keptUnprovenFiles).optional(),
  /** Other snapshots in the repository that the damage touches, and how many files of each; at most a hundred. */
  otherSnapshots: z
    .array(z.object({ snapshotId: z.uuid(), takenAt: instant, files: count }))
    .max(keptSnapshots)
    .optional(),
  damage: z.array(repositoryDamage).max(keptSnapshots).optional(),
  /** Of a check of integrity that did not read all data: what it read, such as `256M` or `3/28`. */
  subset: z.string().optional(),
  /** Of a test restore: files whose checksum from the time of the backup was compared. */
  checksumsCompared: count.optional(),
  /** Of a test restore that did not restore all files. */
  sampled: z.boolean().optional(),
  sampledBytes: count.optional(),
  totalBytes: count.optional(),
  /** Of such a one: whether it has all files that former ones could not bring back, as far as the snapshot has them. */
  restoredAgain: z.boolean().optional(),
  /** Whether nothing of a test restore is left on the device. */
  cleanedUp: z.boolean().optional(),
  restorePath: z.string().optional(),
  warnings: z.array(z.string()).optional(),
  /** Why it failed as a whole: words, or `insufficient_space`. */
  reason: z.string().optional(),
})
export type VerificationDetails = z.infer<typeof verificationDetails>

export const verification = z.object({
  id: z.uuid(),
  orgId: z.uuid(),
  deviceId: z.uuid(),
  deviceName: z.string(),
  backupJobId: z.uuid().nullable(),
  /** Null when it is gone. */
  snapshotId: z.uuid().nullable(),
  snapshotTakenAt: instant,
  verificationType,
  status: verificationStatus,
  startedAt: instant,
  completedAt: instant.nullable(),
  restoreTimeSeconds: z.number().nonnegative().nullable(),
  filesVerified: count,
  filesFailed: count,
  sizeBytes: count.nullable(),
  details: verificationDetails.nullable(),
  createdAt: instant,
})
export type Verification = z.infer<typeof verification>

/** `verification` of a refusal with `verification_running`: the check of this kind that has to end first. */
export const openCheck = z.object({
  id: z.uuid(),
  source: verificationDetails.shape.source,
  ranOn: verificationDetails.shape.ranOn,
  /** How much of the data it reads, if not all. */
  subset: verificationDetails.shape.subset,
  startedAt: instant,
})
export type OpenCheck = z.infer<typeof openCheck>

/** Administrators of one organization see its backups without seeing the organization’s record. */
const read = userAccess('organizations:read', { or: 'backup:read' })

export const verifyBackup = endpoint({
  name: 'backup-verification.verify',
  method: 'POST',
  path: '/backup/verify',
  summary: 'Check that a backup can be restored from: the newest of the device, unless a job or a snapshot is named',
  access: userAccess('devices:execute', { mfa: 'strict' }),
  query: z.object({ orgId: uuid.optional() }),
  body: z.object({
    deviceId: uuid,
    verificationType: verificationType.default('integrity'),
    backupJobId: uuid.optional(),
    snapshotId: uuid.optional(),
  }),
  status: 201,
  reply: z.object({ data: z.object({ verification, readiness: z.null() }) }),
  audit: 'backup.verification.run',
})

export const listVerifications = endpoint({
  name: 'backup-verification.list',
  method: 'GET',
  path: '/backup/verifications',
  summary: 'Checks of backups, the newest first',
  access: read,
  query: z.object({
    orgId: uuid.optional(),
    deviceId: uuid.optional(),
    backupJobId: uuid.optional(),
    snapshotId: uuid.optional(),
    verificationType: verificationType.optional(),
    status: verificationStatus.optional(),
    from: lenientInstant,
    to: lenientInstant,
    limit: pageLimit(100, 500),
  }),
  reply: z.object({ data: z.array(verification) }),
})

export const summarizeVerifications = endpoint({
  name: 'backup-verification.summary',
  method: 'GET',
  path: '/backup/verifications/summary',
  summary: 'How many devices with backups have been proven in the last 30 days',
  access: read,
  query: z.object({ orgId: uuid.optional() }),
  reply: z.object({
    data: z.object({
      /** With a snapshot that can be restored from. */
      devices: count,
      /** Of which a test restore passed; not one that is failing. */
      restored: count,
      /** Of which a check of either kind passed; not one that is failing. */
      proven: count,
      /** With a check that failed or was incomplete, and that no later one has outweighed. */
      failing: count,
    }),
  }),
})
