import { z } from 'zod'
import { backupModes } from '../backup-plan.ts'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, pathId, uuid } from '../fields.ts'
import { lenientInstant } from '../lenient.ts'
import { pageLimit, pageNumber, pagination } from '../paging.ts'

export const backupJobStatus = z.enum(['pending', 'running', 'completed', 'partial', 'failed', 'cancelled'])
export type BackupJobStatus = z.infer<typeof backupJobStatus>

const backupMode = z.enum(backupModes)

/** A file that a backup could not read. */
export const unreadFile = z.object({ path: z.string(), error: z.string() })
export type UnreadFile = z.infer<typeof unreadFile>

const count = z.int().nonnegative().nullable()

export const backupJob = z.object({
  id: z.uuid(),
  type: z.enum(['scheduled', 'manual', 'incremental']),
  deviceId: z.uuid(),
  deviceName: z.string().nullable(),
  configId: z.uuid().nullable(),
  configName: z.string().nullable(),
  policyId: z.string().nullable(),
  featureLinkId: z.string().nullable(),
  /** As restic names it; the id of the row is `snapshotRowId`. */
  snapshotId: z.string().nullable(),
  snapshotRowId: z.uuid().nullable(),
  backupMode,
  status: backupJobStatus,
  startedAt: instant.nullable(),
  completedAt: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
  /** Bytes, of everything that is looked at. */
  totalSize: count,
  /** Bytes that were looked at so far. */
  transferredSize: count,
  fileCount: count,
  totalFiles: count,
  lastProgressAt: instant.nullable(),
  referencedSize: count,
  referencedFiles: count,
  errorCount: count,
  errorLog: z.string().nullable(),
  /** While it runs. */
  progress: z
    .object({
      phase: z.enum(['preparing', 'uploading', 'finishing']),
      currentFile: z.string().nullable(),
      bytesPerSecond: z.number().nonnegative().nullable(),
      secondsLeft: z.int().nonnegative().nullable(),
    })
    .nullable(),
})
export type BackupJob = z.infer<typeof backupJob>

const ofOrganization = z.object({ orgId: uuid.optional() })
const params = z.object({ id: pathId })
/** Administrators of one organization see its backups without seeing the organization’s record. */
const read = userAccess('organizations:read', { or: 'backup:read' })
const execute = userAccess('devices:execute', { mfa: 'strict' })

/** `queued` and `canceled` are what other clients call two of them. */
const statusFilter = z.enum([...backupJobStatus.options, 'queued', 'canceled']).transform((status): BackupJobStatus => {
  if (status === 'queued') return 'pending'
  return status === 'canceled' ? 'cancelled' : status
})

export const listBackupJobs = endpoint({
  name: 'backup-jobs.list',
  method: 'GET',
  path: '/backup/jobs',
  summary: 'Backups that ran, run or will run, the newest first',
  access: read,
  query: z.object({
    orgId: uuid.optional(),
    status: statusFilter.optional(),
    deviceId: uuid.optional(),
    device: uuid.optional(),
    /** A day in UTC. */
    date: z.iso.date().optional(),
    from: lenientInstant,
    to: lenientInstant,
    page: pageNumber,
    limit: pageLimit(100, 500),
  }),
  reply: z.object({ data: z.array(backupJob), pagination }),
})

export const readBackupJob = endpoint({
  name: 'backup-jobs.read',
  method: 'GET',
  path: '/backup/jobs/:id',
  summary: 'One backup, with the files that it could not read',
  access: read,
  params,
  query: ofOrganization,
  reply: backupJob.extend({ unreadFiles: z.array(unreadFile) }),
})

export const previewRunAll = endpoint({
  name: 'backup-jobs.preview-all',
  method: 'GET',
  path: '/backup/jobs/run-all/preview',
  summary: 'What “back up all” would do now',
  access: read,
  query: ofOrganization,
  reply: z.object({
    data: z.object({
      deviceCount: z.int(),
      deviceIds: z.array(z.uuid()),
      alreadyRunning: z.int(),
      offline: z.int(),
    }),
  }),
})

export const runBackup = endpoint({
  name: 'backup-jobs.run',
  method: 'POST',
  path: '/backup/jobs/run/:deviceId',
  summary: 'Back a device up now, as its policy says; without one, its user folders',
  access: execute,
  params: z.object({ deviceId: pathId }),
  query: ofOrganization,
  status: 201,
  reply: backupJob.extend({ jobs: z.array(backupJob), jobCount: z.int() }),
  audit: 'backup.job.run',
})

export const runAllBackups = endpoint({
  name: 'backup-jobs.run-all',
  method: 'POST',
  path: '/backup/jobs/run-all',
  summary: 'Back up every device that a policy protects',
  access: execute,
  query: ofOrganization,
  status: 201,
  reply: z.object({
    data: z.object({
      created: z.int(),
      skipped: z.int(),
      skippedOffline: z.int(),
      skippedRunning: z.int(),
      skippedBrokenProfile: z.int(),
      failed: z.int(),
      failedToCreate: z.int(),
      jobIds: z.array(z.uuid()),
      failedJobIds: z.array(z.uuid()),
      failedToCreateDevices: z.array(z.object({ deviceId: z.uuid(), modes: z.array(backupMode) })),
      skippedBrokenProfileDevices: z.array(
        z.object({ deviceId: z.uuid(), reason: z.enum(['broken_profile', 'no_config']) }),
      ),
    }),
  }),
  audit: 'backup.job.run_all',
})

export const cancelBackupJob = endpoint({
  name: 'backup-jobs.cancel',
  method: 'POST',
  path: '/backup/jobs/:id/cancel',
  summary: 'Cancel a backup that waits or runs',
  access: execute,
  params,
  query: ofOrganization,
  reply: backupJob.extend({ warning: z.string().optional() }),
  audit: 'backup.job.cancel',
})
