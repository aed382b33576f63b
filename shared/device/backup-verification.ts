import { z } from 'zod'
import { reportedAmount } from './amounts.ts'
import { fileChecksum, maxChecksums, resticEngine, resticSnapshotId } from './backup.ts'

/** `check --read-data-subset` takes it; null reads everything. */
const subset = z.string().regex(/^\d+(M|\/\d+)$/)

/** More than a device makes in ten years of nightly backups, in a third of a megabyte. */
export const mostListed = 5000

/** Of files that are named as not brought back. */
const most = 1000
export const mostAgain = most

/** Payload of `backup_verify` for an agent with restic. */
export const verifyPayload = z.object({
  verificationId: z.uuid(),
  snapshotId: z.string().regex(resticSnapshotId),
  subset: subset.nullable(),
  /** In the snapshot, as its backup counted them. */
  files: z.int().nonnegative(),
  /** Ids of the newest snapshots that should be there. */
  listed: z.array(z.string().regex(resticSnapshotId)).max(mostListed).optional(),
  engine: resticEngine,
})

/** Payload of `backup_test_restore` for an agent with restic. */
export const testRestorePayload = z.object({
  verificationId: z.uuid(),
  snapshotId: z.string().regex(resticSnapshotId),
  checksums: z.array(fileChecksum).max(maxChecksums),
  /** Paths that former test restores could not bring back: of a part of the snapshot they are the first. */
  again: z.array(z.string()).max(most).default([]),
  /** A snapshot with more bytes is not restored as a whole, but a part of it. */
  wholeUpToBytes: z.number().nonnegative(),
  engine: resticEngine,
})
export type TestRestorePayload = z.infer<typeof testRestorePayload>

const amount = reportedAmount
const text = z.string().transform((value) => value.slice(0, 10_000))

/** How a check ended; also as the public agent says it, which knows fewer of the fields. */
export const verificationOutcome = z.object({
  status: z.enum(['passed', 'failed', 'partial', 'stopped']),
  filesVerified: amount.default(0),
  filesFailed: amount.default(0),
  sizeBytes: amount.optional(),
  durationMs: amount.optional(),
  restoreTimeSeconds: z.number().nonnegative().optional(),
  restorePath: z.string().max(4096).optional(),
  cleanedUp: z.boolean().optional(),
  /** At most a thousand. */
  failedFiles: z
    .array(
      z.union([
        z.object({ path: text, error: text }),
        text.transform((path) => ({ path, error: 'could not be verified' })),
      ]),
    )
    .transform((files) => files.slice(0, most))
    .optional(),
  damage: z
    .array(
      z.object({
        kind: z.enum(['pack', 'index', 'snapshot', 'tree', 'key', 'config', 'other']),
        id: z.string().max(64).nullable(),
      }),
    )
    .max(100)
    .optional(),
  /** Other snapshots that the damage touches, as restic names them, with the number of files. */
  otherSnapshots: z
    .array(z.object({ snapshotId: z.string().max(64), files: z.int().nonnegative() }))
    .max(100)
    .optional(),
  checksumsCompared: amount.optional(),
  sampled: z.boolean().optional(),
  sampledBytes: amount.optional(),
  totalBytes: amount.optional(),
  /** Of a part: whether it has all of `again` that the snapshot has. */
  restoredAgain: z.boolean().optional(),
  warnings: z.array(text).max(100).optional(),
  /** Why it failed as a whole. */
  reason: text.optional(),
})
export type VerificationOutcome = z.output<typeof verificationOutcome>
