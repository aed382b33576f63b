import { z } from 'zod'
import { reportedAmount } from './amounts.ts'
import { resticEngine, resticSnapshotId } from './backup.ts'

/** Second copies of repositories, as far as devices make them. */

export const vaultTypes = ['local', 'smb', 'usb'] as const
export type VaultType = (typeof vaultTypes)[number]

const snapshotId = z.string().regex(resticSnapshotId)

/** What is to come of a second copy. */
const copyWish = z.object({
  /** It was never seen: it may be made. */
  isNew: z.boolean(),
  /** What restic called it when it was seen last. */
  resticId: z.string().nullable(),
  /** Ids of snapshots in the source, oldest first. */
  copy: z.array(snapshotId).max(1000),
  /** Ids in the copy of those that are to go. */
  forget: z.array(snapshotId).max(10_000),
  /** How much of its data is read back and checked: one of several parts as `3/20`, `all`, or nothing. */
  readBack: z
    .string()
    .regex(/^(\d{1,2}\/\d{1,2}|all)$/)
    .nullable(),
})

/** What a second copy is afterwards. */
const copyOutcome = z.object({
  resticId: z.string(),
  /** All snapshots in it; `original` is the id in the source, or the one it had there at first. */
  snapshots: z.array(z.object({ id: snapshotId, original: z.string(), takenAt: z.iso.datetime({ precision: 3 }) })),
  /** Of those that were wanted: whether the copy has the same files. One that differs is no longer in it. */
  manifests: z.array(
    z.object({
      snapshotId: z.string(),
      isSame: z.boolean(),
      files: reportedAmount,
      bytes: reportedAmount,
    }),
  ),
  storedBytes: reportedAmount.nullable(),
  /** Whether what was to be read back was read. */
  wasRead: z.boolean(),
  /** What is wrong with the data that was read back; null when nothing is, or nothing was read. */
  damage: z.string().nullable(),
})

/** One is enough; a few more may be damaged or gone. */
export const maxOthers = 10

/** Payload of `vault_sync` for an agent with restic: a second copy in a folder that the device reaches. */
export const vaultSyncPayload = z.object({
  vaultId: z.uuid(),
  vaultPath: z.string().min(1).max(1024),
  vaultType: z.enum(vaultTypes),
  /** In that folder. */
  folder: z.string().regex(/^[\w-]+$/),
  /** Of other copies in it, one of which has to be there if this one is new. */
  others: z.array(z.string().regex(/^[\w-]+$/)).max(maxOthers),
  password: z.string().min(1),
  /** To open it as well from now on; and no longer. */
  newPassword: z.string().min(1).optional(),
  formerPassword: z.string().min(1).optional(),
  wish: copyWish,
  /** Opens the source. */
  engine: resticEngine,
})
export type VaultSyncPayload = z.infer<typeof vaultSyncPayload>

/** How it ended, when it did what it could. */
export const vaultSyncResult = z.object({
  vaultId: z.uuid(),
  vaultPath: z.string(),
  snapshotId: z.string().nullable(),
  fileCount: reportedAmount,
  totalBytes: reportedAmount,
  manifestVerified: z.boolean(),
  auto: z.boolean(),
  /** Why nothing was done: the disk or share is not there. */
  absent: z.string().nullable(),
  /** The copy was begun before its disk was pulled out: the disk without it is another one. */
  isBegun: z.boolean().default(false),
  outcome: copyOutcome.nullable(),
})
export type VaultSyncResult = z.infer<typeof vaultSyncResult>
