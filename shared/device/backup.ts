import { z } from 'zod'
import { reportedAmount } from './amounts.ts'

/** What restic calls a snapshot. */
export const resticSnapshotId = /^[0-9a-f]{64}$/

/** Where restic finds a repository. */
const place = z.discriminatedUnion('at', [
  /** The store of the appliance: below the address at which this agent knows it. */
  z.object({ at: z.literal('appliance'), path: z.string(), username: z.string(), password: z.string() }),
  z.object({
    at: z.literal('elsewhere'),
    url: z.string(),
    env: z.record(z.string(), z.string()),
    /** For `-o`. */
    options: z.array(z.string()),
    /** Content of files, by the name that stands in braces in `env` and `options` for their path. */
    files: z.record(z.string(), z.string()).optional(),
  }),
])

/** What restic needs for one command. Secret: it lives in the frame only, and is written down nowhere. */
export const resticEngine = z.object({
  kind: z.literal('restic'),
  repositoryId: z.uuid(),
  place,
  password: z.string(),
  /** The repository was never used: it may be made. */
  init: z.boolean(),
  /** Id of the device: the name of the computer may change. */
  host: z.string(),
  tags: z.array(z.string()),
  limitUploadKiB: z.int().positive().optional(),
})
export type ResticEngine = z.infer<typeof resticEngine>

/**
 * Error of a backup that found a key without the repository it is for, or one that comes before the right key: what made
 * it was killed. Nothing can be made or opened there.
 */
export const halfMadeRepository = 'An earlier backup was cut off while it made the repository'

/** Payload of `backup_run` for an agent with restic. */
export const backupRunPayload = z.object({
  jobId: z.uuid(),
  configId: z.uuid(),
  /** Absolute, or what stands for several (`backup-places.ts`). */
  paths: z.array(z.string().min(1)).min(1),
  /** Left out: what is usually left out. */
  excludes: z.array(z.string()).optional(),
  engine: resticEngine,
})
export type BackupRunPayload = z.infer<typeof backupRunPayload>

/** A file of a snapshot as the device read it when the snapshot was made. */
export const fileChecksum = z.object({
  /** As restic names it. */
  path: z.string().startsWith('/').max(4096),
  size: z.int().nonnegative(),
  /** As restic writes it. */
  mtime: z.string().max(64),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
export type FileChecksum = z.infer<typeof fileChecksum>

/** Of one snapshot. */
export const maxChecksums = 202

/** How a backup ended. `partial`: there is a snapshot, and a part of what was wanted is missing in it. */
export const backupOutcome = z.object({
  status: z.enum(['completed', 'partial', 'failed', 'stopped']),
  /** 64 hex. */
  snapshotId: z.string().optional(),
  /** The server has the names of its files. */
  isListed: z.boolean().optional(),
  filesBackedUp: reportedAmount,
  bytesBackedUp: reportedAmount,
  /** What was added to the repository. */
  bytesAdded: reportedAmount.optional(),
  errorCount: reportedAmount.optional(),
  /** Files that could not be read, at most a thousand. */
  failedFiles: z.array(z.object({ path: z.string(), error: z.string() })).optional(),
  warning: z.string().optional(),
  error: z.string().optional(),
  /** Of some of its files; what is restored for proof is compared with them. */
  checksums: z.array(fileChecksum).max(maxChecksums).optional(),
  /** What earlier backups of the repository have made that were cut off before they could say so. */
  recovered: z.array(z.object({ jobId: z.uuid(), snapshotId: z.string() })).optional(),
})
export type BackupOutcome = z.infer<typeof backupOutcome>

/** What happens to a file that is there already. */
export const existingFiles = z.enum(['keep', 'replace', 'rename'])
export type ExistingFiles = z.infer<typeof existingFiles>

/** Payload of `backup_restore` for an agent with restic. */
export const restorePayload = z.object({
  restoreJobId: z.uuid(),
  snapshotId: z.string().regex(resticSnapshotId),
  /** As restic names them; empty: all of the snapshot. */
  paths: z.array(z.string().startsWith('/')).max(10_000),
  target: z.discriminatedUnion('to', [
    /** A folder of its own, that the agent makes. */
    z.object({ to: z.literal('staging') }),
    /** Below this folder, from the deepest folder on that all paths have in common. */
    z.object({ to: z.literal('folder'), path: z.string().min(1) }),
    z.object({ to: z.literal('original') }),
  ]),
  existing: existingFiles,
  /** What the index says that is; null when there is none. */
  expected: z.object({ files: z.int().nonnegative(), bytes: z.number().nonnegative() }).nullable(),
  engine: resticEngine,
})
export type RestorePayload = z.infer<typeof restorePayload>

/** How a restore ended. */
export const restoreOutcome = z.object({
  status: z.enum(['completed', 'partial', 'failed', 'stopped']),
  snapshotId: z.string(),
  filesRestored: reportedAmount,
  bytesRestored: reportedAmount,
  /** Were there already and stayed as they are. */
  filesKept: reportedAmount,
  /** Got another name, because there was one of theirs. */
  filesRenamed: reportedAmount,
  /** At most a thousand of them: where each belongs, and where it is. */
  renamedFiles: z.array(z.object({ path: z.string(), as: z.string() })),
  filesFailed: reportedAmount,
  /** At most a thousand. */
  failedFiles: z.array(z.object({ path: z.string(), error: z.string() })),
  /** Where it went when no folder was named. */
  stagingDir: z.string().optional(),
  durationMs: reportedAmount,
  warnings: z.array(z.string()).optional(),
  error: z.string().optional(),
})
export type RestoreOutcome = z.infer<typeof restoreOutcome>

/** Payload of `backup_maintain`: maintenance of a repository that only the device reaches. */
export const maintainPayload = z.object({
  /** Ids of snapshots to take out of it, with the data that only they have. */
  forget: z.array(z.string().regex(resticSnapshotId)).max(10_000),
  isMeasured: z.boolean(),
  engine: resticEngine,
})

/** How it ended, when it did what it should. */
export const maintenanceOutcome = z.object({
  /** Bytes that the repository holds; null when that was not asked, or not told. */
  storedBytes: reportedAmount.nullable(),
  /** The same data before it was compressed; older agents do not say. */
  uncompressedBytes: reportedAmount.nullable().default(null),
})

/**
 * Payload of `backup_key`: a change of the passwords that open a repository which only the device reaches. `add`: the
 * password opens it as well. `remove`: it does not any more.
 */
export const keyPayload = z.object({
  op: z.enum(['add', 'remove']),
  password: z.string().min(1),
  engine: resticEngine,
})

/** How it ended, when it did what it should. */
export const keyOutcome = z.object({
  /** False when there is no repository, so that nothing was done. */
  isThere: z.boolean(),
})

/** Below the API: where a device sends the files of a snapshot that a backup of its has just made. */
export const listingPath = (agentId: string, jobId: string, snapshotId: string): string =>
  `/agents/${agentId}/backup-jobs/${jobId}/snapshots/${snapshotId}/files`
/** What `restic ls --json` prints. */
export const listingType = 'application/gzip'
