import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, pathId } from '../fields.ts'

const params = z.object({ id: pathId })
const lifeAccess = userAccess('organizations:write', { scopes: ['partner'], mfa: 'strict' })
/** For how long an archived organization may be kept before it is purged; days. */
export const retentionDays = z.int().min(1).max(3650)

export const archiveOrganization = endpoint({
  name: 'organizations.archive',
  method: 'POST',
  path: '/orgs/organizations/:id/archive',
  summary: 'Archive an organization; purge it later or keep it',
  access: lifeAccess,
  params,
  /** Left out: as the appliance is set up. Null: kept until somebody restores it. */
  body: z.object({ retentionDays: retentionDays.nullable().optional() }).prefault({}),
  status: 202,
  reply: z.object({ status: z.enum(['offboarding', 'archived']), purgeAt: instant.nullable() }),
  audit: 'org.archive.requested',
})

export const restoreOrganization = endpoint({
  name: 'organizations.restore',
  method: 'POST',
  path: '/orgs/organizations/:id/restore',
  summary: 'Restore an archived organization, or stop archiving it',
  access: lifeAccess,
  params,
  reply: z.object({
    status: z.enum(['active', 'suspended']),
    /** What does not come back by itself, to be shown. */
    recreateRequired: z.array(z.string()),
    /** The archive was not complete yet. */
    aborted: z.boolean(),
    uninstallsCancelled: z.int(),
  }),
  audit: 'org.archive.restored',
})

const erasure = z.object({
  orgId: z.uuid(),
  orgName: z.string(),
  /** Null of one whose deletion began before it was kept. */
  orgSlug: z.string().nullable(),
  partnerId: z.uuid(),
  state: z.enum(['waiting', 'active', 'completed', 'failed']),
  /** Records, where a device counts as one with all that belongs to it; `total` is null until they are counted. */
  done: z.int(),
  total: z.int().nullable(),
  createdAt: instant,
  finishedAt: instant.nullable(),
  /** Deleted, not purged: it is off every list, and what it had stays on record. */
  isKept: z.boolean(),
  /** Where everything went before the shell that was left began to be deleted; null when it was not merged. */
  mergedInto: z.object({ id: z.uuid(), name: z.string(), slug: z.string(), at: instant }).nullable(),
})
export type ErasureView = z.infer<typeof erasure>

/** An organization that is deleted or being purged is gone from everywhere else; this is where to see how far it is. */
export const listErasures = endpoint({
  name: 'organizations.erasures',
  method: 'GET',
  path: '/orgs/organizations/erasures',
  summary: 'Organizations being permanently deleted, and those deleted or merged in the last week',
  access: userAccess('organizations:read', { scopes: ['partner', 'system'] }),
  reply: z.object({ data: z.array(erasure) }),
})

/** How the agents of an organization that is closing come along. Null when it is not closing. */
const offboarding = z
  .object({
    startedAt: instant,
    /** It ends by then, whatever is left. */
    endsBy: instant,
    /** Devices whose agent has removed itself. */
    removed: z.int(),
    /** Devices still to go. */
    waiting: z.int(),
  })
  .nullable()

export const readOffboarding = endpoint({
  name: 'organizations.offboarding',
  method: 'GET',
  path: '/orgs/organizations/:id/offboarding',
  summary: 'How many agents of an organization that is closing have removed themselves',
  access: userAccess('organizations:read', { scopes: ['partner', 'system'] }),
  params,
  reply: z.object({ data: offboarding }),
})
