import { z } from 'zod'
import { existingFiles } from '../device/backup.ts'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, pathId, uuid } from '../fields.ts'
import { lenientInstant } from '../lenient.ts'
import { paged, pageLimit, pageNumber } from '../paging.ts'

export const restoreStatus = z.enum(['pending', 'running', 'completed', 'partial', 'failed', 'cancelled'])
export type RestoreStatus = z.infer<typeof restoreStatus>

const notRestored = z.object({ path: z.string(), error: z.string() })

/** What the device said in the end. */
export const restoreDetails = z.object({
  snapshotId: z.string().optional(),
  filesRestored: z.int().optional(),
  bytesRestored: z.int().optional(),
  filesKept: z.int().optional(),
  filesRenamed: z.int().optional(),
  /** Where each belongs, and where it is; at most a thousand. */
  renamedFiles: z
    .array(z.object({ path: z.string(), as: z.string() }))
    .max(1000)
    .optional(),
  filesFailed: z.int().optional(),
  failedFiles: z.array(notRestored).max(1000).optional(),
  /** Where it went when no folder was named. */
  stagingDir: z.string().optional(),
  durationMs: z.number().optional(),
  warnings: z.array(z.string()).optional(),
  error: z.string().optional(),
  timedOutBy: z.literal('server').optional(),
})
export type RestoreDetails = z.infer<typeof restoreDetails>

export const restoreJob = z.object({
  id: z.uuid(),
  snapshotId: z.uuid().nullable(),
  deviceId: z.uuid(),
  restoreType: z.enum(['full', 'selective']),
  selectedPaths: z.array(z.string()),
  status: restoreStatus,
  targetPath: z.string().nullable(),
  createdAt: instant,
  startedAt: instant.nullable(),
  completedAt: instant.nullable(),
  updatedAt: instant,
  restoredSize: z.int().nullable(),
  restoredFiles: z.int().nullable(),
  commandId: z.uuid().nullable(),
  /** The first line of what went wrong. */
  errorSummary: z.string().nullable(),
  resultDetails: restoreDetails.nullable(),
  deviceName: z.string(),
  snapshotTakenAt: instant,
  /** The second copy that they come from. */
  vaultId: z.uuid().nullable(),
  inPlace: z.boolean(),
  existing: existingFiles,
  expectedFiles: z.int().nullable(),
  expectedBytes: z.int().nullable(),
  /** While it runs. */
  progress: z
    .object({ phase: z.enum(['preparing', 'restoring', 'finishing']), bytesPerSecond: z.number().nullable() })
    .nullable(),
})
export type RestoreJob = z.infer<typeof restoreJob>

const params = z.object({ id: pathId })
const ofOrganization = z.object({ orgId: uuid.optional() })
const read = userAccess('backup:read')
const execute = userAccess('backup:read', { and: 'devices:execute', mfa: 'strict' })

const path = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^\0]*$/, 'Must not contain NUL')

const what = {
  snapshotId: uuid,
  /** The device that gets the files; that of the snapshot when none is named. */
  deviceId: uuid.optional(),
  restoreType: z.enum(['full', 'selective']).default('full'),
  /** Files, and folders with all that is in them. */
  selectedPaths: z.array(path).max(10_000).optional(),
}

export const createRestore = endpoint({
  name: 'backup-restores.create',
  method: 'POST',
  path: '/backup/restore',
  summary:
    'Bring files back; without a target into a folder of their own, with `inPlace` to where they were or into a folder of the system',
  access: { ...execute, sometimes: 'backup:cross_site_restore' },
  query: ofOrganization,
  body: z.object({
    ...what,
    targetPath: path.optional(),
    inPlace: z.boolean().default(false),
    /** What happens to a file that is there already; `rename` keeps both. */
    existing: existingFiles.default('rename'),
    /** The second copy to take them from, in place of the first one. */
    vaultId: uuid.optional(),
  }),
  status: 201,
  reply: restoreJob,
  audit: 'backup.restore.create',
})

export const previewRestore = endpoint({
  name: 'backup-restores.preview',
  method: 'POST',
  path: '/backup/restore/preview',
  summary: 'How many files a restore would bring, and how much room there is',
  access: read,
  query: ofOrganization,
  body: z.object(what),
  reply: z.object({
    data: z.object({
      /** Null where the files of the snapshot are not known. */
      files: z.int().nullable(),
      bytes: z.int().nullable(),
      /** Of the paths, those that the snapshot does not have. */
      missing: z.array(z.string()),
      deviceOnline: z.boolean(),
      /** Of the disks of the device, as it said last. */
      disks: z.array(z.object({ mountPoint: z.string(), freeBytes: z.int() })),
    }),
  }),
})

export const listRestores = endpoint({
  name: 'backup-restores.list',
  method: 'GET',
  path: '/backup/restore',
  summary: 'Restores, the newest first',
  access: read,
  query: z.object({
    orgId: uuid.optional(),
    deviceId: uuid.optional(),
    snapshotId: uuid.optional(),
    status: restoreStatus.optional(),
    from: lenientInstant,
    to: lenientInstant,
    page: pageNumber,
    limit: pageLimit(50, 200),
  }),
  reply: paged(restoreJob),
})

export const readRestore = endpoint({
  name: 'backup-restores.read',
  method: 'GET',
  path: '/backup/restore/:id',
  summary: 'One restore',
  access: read,
  params,
  query: ofOrganization,
  reply: z.object({ data: restoreJob }),
})

export const cancelRestore = endpoint({
  name: 'backup-restores.cancel',
  method: 'POST',
  path: '/backup/restore/:id/cancel',
  summary: 'Cancel a restore that waits or runs; what it has written stays',
  access: execute,
  params,
  query: ofOrganization,
  reply: z.object({ data: restoreJob, warning: z.string().optional() }),
  audit: 'backup.restore.cancel',
})
