import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, pathId, textOfLines, uuid } from '../fields.ts'
import { pageLimit, pageNumber, pagination } from '../paging.ts'

/** Changes from one backup to another that look like an attack. */

const count = z.int().nonnegative()

/** `open`: nobody has looked. `held`: somebody did, and older snapshots stay. `expected`: they expire as usual again. */
export const unusualChangeState = z.enum(['open', 'held', 'expected'])

export const unusualChange = z.object({
  id: z.uuid(),
  orgId: z.uuid(),
  deviceId: z.uuid(),
  deviceName: z.string(),
  /** The one with the change, and the older one that it was compared with; null when it is gone. */
  snapshotId: z.uuid().nullable(),
  olderId: z.uuid().nullable(),
  /** When the snapshot with the change was made. */
  takenAt: instant,
  /** `content`: files can no longer be read. `kinds`: most documents of several kinds changed, and no content was seen. */
  sign: z.enum(['content', 'kinds']),
  numbers: z.object({
    /** In the older snapshot. */
    filesBefore: count,
    changed: count,
    added: count,
    removed: count,
    /** Files that went from a folder to which others came; those with a new ending are `renamed` as well. */
    replaced: count,
    renamed: count,
    /** The ending of most that were renamed, with its dot, and how many have it. */
    newEnding: z.object({ text: z.string(), files: count }).nullable(),
    /** Files whose content the appliance saw, and those of them that had become unreadable; null when it saw none. */
    looked: z.object({ files: count, spoiled: count }).nullable(),
  }),
  state: unusualChangeState,
  foundAt: instant,
  decidedAt: instant.nullable(),
  decidedByName: z.string().nullable(),
  reason: z.string().nullable(),
})
export type UnusualChange = z.infer<typeof unusualChange>

export const listUnusualChanges = endpoint({
  name: 'unusual-changes.list',
  method: 'GET',
  path: '/backup/unusual-changes',
  summary: 'Changes from one backup to another that look like an attack, the newest first',
  access: userAccess('backup:read'),
  query: z.object({
    orgId: uuid.optional(),
    deviceId: uuid.optional(),
    state: unusualChangeState.optional(),
    page: pageNumber,
    limit: pageLimit(50, 100),
  }),
  reply: z.object({ data: z.array(unusualChange), pagination }),
})

export const decideUnusualChange = endpoint({
  name: 'unusual-changes.decide',
  method: 'POST',
  path: '/backup/unusual-changes/:id/decision',
  summary: 'Say that a change was expected, or keep older snapshots until somebody does',
  access: userAccess('backup:write', { mfa: 'session' }),
  params: z.object({ id: pathId }),
  body: z.object({ decision: z.enum(['expected', 'held']), reason: textOfLines(500).min(1) }),
  reply: z.object({ data: unusualChange }),
  audit: 'backup.unusual_change.decide',
})
