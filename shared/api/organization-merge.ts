import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, pathId, uuid } from '../fields.ts'

const params = z.object({ id: pathId })
const survivorId = uuid
const mergeAccess = userAccess('organizations:write', { scopes: ['partner'], mfa: 'strict' })

export const mergePreview = z.object({
  tables: z.array(z.object({ table: z.string(), policy: z.string(), loserRows: z.int(), wouldDrop: z.int() })),
  totalMovableRows: z.int(),
  verdict: z.enum(['ok', 'too-large', 'blocked']),
  warnings: z.array(z.string()),
  blockers: z.array(z.string()),
})
export type MergePreview = z.infer<typeof mergePreview>

const tally = z.record(z.string(), z.object({ moved: z.int(), dropped: z.int() }))

export const mergeResult = z.object({
  tables: tally,
  summary: tally,
  warnings: z.array(z.string()),
  mergeEventId: z.uuid(),
  jobId: z.string(),
})
export type MergeResult = z.infer<typeof mergeResult>

/** `fencing`: the organization is shut to everybody; `moving`: rows go over; `undoing`: they come back. */
export const mergeProgress = z.object({
  phase: z.enum(['waiting', 'fencing', 'moving', 'undoing']),
  movedRows: z.int(),
  totalRows: z.int(),
})
export type MergeProgress = z.infer<typeof mergeProgress>

export const previewMerge = endpoint({
  name: 'organizations.merge-preview',
  method: 'POST',
  path: '/orgs/organizations/:id/merge-preview',
  summary: 'What a merge into another organization would move and drop',
  access: mergeAccess,
  params,
  body: z.object({ survivorId }),
  reply: mergePreview,
})

export const mergeOrganization = endpoint({
  name: 'organizations.merge',
  method: 'POST',
  path: '/orgs/organizations/:id/merge',
  summary: 'Merge an organization into another one; it does not come back',
  access: mergeAccess,
  params,
  body: z.object({ survivorId, confirmName: z.string().max(255).optional() }),
  status: 202,
  reply: z.object({ jobId: z.string() }),
  audit: 'org.merge.requested',
})

const mergeState = z.enum(['waiting', 'active', 'completed', 'failed'])

/** A merge is read by its own id, which this finds by one of its organizations. */
const mergeRun = z.object({
  jobId: z.string(),
  loserId: z.uuid(),
  loserName: z.string(),
  /** Null where nothing tells it any more. */
  loserSlug: z.string().nullable(),
  survivorId: z.uuid(),
  survivorName: z.string(),
  survivorSlug: z.string(),
  state: mergeState,
  createdAt: instant,
  finishedAt: instant.nullable(),
})
export type MergeRun = z.infer<typeof mergeRun>

export const listMergeRuns = endpoint({
  name: 'organizations.merge-runs',
  method: 'GET',
  path: '/orgs/organizations/merge-runs',
  summary: 'Merges under way, and those of the last week; newest first',
  access: userAccess('organizations:read', { scopes: ['partner'] }),
  reply: z.object({ data: z.array(mergeRun) }),
})

export const readMergeRun = endpoint({
  name: 'organizations.merge-run',
  method: 'GET',
  path: '/orgs/organizations/merge-runs/:jobId',
  summary: 'How far a merge is, and how it went',
  access: userAccess('organizations:read', { scopes: ['partner'] }),
  params: z.object({ jobId: pathId }),
  reply: z.object({
    state: mergeState,
    progress: mergeProgress.optional(),
    result: mergeResult.optional(),
    failedReason: z.string().optional(),
  }),
})
