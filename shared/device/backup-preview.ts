import { z } from 'zod'

/** How long an agent looks; what it has found by then is its answer. */
export const previewSeconds = 20

/** Payload of `backup_preview`: what a backup would be told. */
export const previewPayload = z.object({
  paths: z.array(z.string().min(1)).min(1),
  excludes: z.array(z.string()).optional(),
})
export type PreviewPayload = z.infer<typeof previewPayload>

const amount = z.int().nonnegative()

/** What a backup would read. Links are not followed; a file with several names counts each time. */
export const backupPreview = z.object({
  files: amount,
  bytes: amount,
  folders: amount,
  /** Everything was looked at; otherwise there is at least so much. */
  isWhole: z.boolean(),
  /** Of the paths, those that the device does not have. */
  missing: z.array(z.string()),
  /** The largest folders, and in these the largest again; each with what is below it. */
  largest: z.array(z.object({ path: z.string(), files: amount, bytes: amount })),
  /** What is left out, by the pattern that does it; patterns that fit nothing have a count of 0. */
  leftOut: z.array(z.object({ pattern: z.string(), count: amount, example: z.string().nullable() })),
  /** What could not be read, with some of it by name. */
  unreadable: z.object({ count: amount, examples: z.array(z.object({ path: z.string(), error: z.string() })) }),
})
export type BackupPreview = z.infer<typeof backupPreview>
