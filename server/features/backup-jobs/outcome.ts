import { z } from 'zod'
import { unreadFile } from '../../../shared/api/backup-jobs.ts'
import { reportedAmount } from '../../../shared/device/amounts.ts'
import { fileChecksum, maxChecksums } from '../../../shared/device/backup.ts'
import type { ReportedResult } from '../../../shared/device/commands.ts'

const text = (max: number) =>
  z
    .string()
    .transform((value) => value.slice(0, max))
    .optional()
    .catch(undefined)
const amount = reportedAmount.optional().catch(undefined)

/** As agents send it, ours and the public one. */
const outcome = z.object({
  status: z.string().optional(),
  /** False: the device has not sent the files of the snapshot. */
  isListed: z.boolean().optional().catch(undefined),
  started: z.boolean().optional().catch(undefined),
  snapshotId: text(200),
  snapshot: z
    .object({ id: text(200), size: amount })
    .nullish()
    .catch(undefined),
  filesBackedUp: amount,
  bytesBackedUp: amount,
  referencedFiles: amount,
  referencedBytes: amount,
  errorCount: amount,
  failedFiles: z.array(unreadFile).max(1000).optional().catch(undefined),
  warning: text(10_000),
  // The public agent sends an empty object for none.
  error: text(10_000),
  checksums: z.array(fileChecksum).max(maxChecksums).optional().catch(undefined),
  recovered: z
    .array(z.object({ jobId: z.string(), snapshotId: z.string().max(200) }))
    .max(100)
    .optional()
    .catch(undefined),
  vssMetadata: z.record(z.string(), z.unknown()).optional().catch(undefined),
})

export interface BackupResult extends Omit<z.output<typeof outcome>, 'status' | 'snapshot' | 'started'> {
  status: 'completed' | 'partial' | 'failed' | 'skipped' | 'stopped'
}

const deepestText = 3
const statuses = ['completed', 'partial', 'failed', 'skipped', 'stopped'] as const

/** What a device says came of a backup; null for what only says that it has begun. */
export function resultIn(reported: ReportedResult): BackupResult | null {
  const { status, started, snapshot, ...rest } = outcome.parse(
    objectIn(reported.result) ?? objectIn(reported.stdout) ?? {},
  )
  if (started && status === undefined) return null
  const snapshotId = snapshot?.id ?? rest.snapshotId
  const error = rest.error ?? (reported.status === 'completed' ? undefined : (reported.error ?? undefined))
  const said = statuses.find((one) => one === status)
  // A snapshot that the storage does not name is none.
  const isWithoutSnapshot = (said === 'completed' || said === 'partial' || said === undefined) && !snapshotId
  const result = said ?? (reported.status === 'completed' ? 'completed' : 'failed')
  if (isWithoutSnapshot)
    return { ...rest, status: 'failed', error: error ?? 'The device did not say which snapshot it made' }
  return { ...rest, status: result, ...(snapshotId && { snapshotId }), ...(error !== undefined && { error }) }
}

/** JSON in a text in a text: one and the same result comes in four ways. */
export function objectIn(value: unknown): object | undefined {
  let found = value
  for (let depth = 0; depth <= deepestText; depth++) {
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found
    if (typeof found !== 'string') return undefined
    try {
      found = JSON.parse(found)
    } catch {
      return undefined
    }
  }
  return undefined
}
