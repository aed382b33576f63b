import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, jsonObject, pathId, uuid } from '../fields.ts'
import { pageQuery, pagination, queryFlag, searchText } from '../paging.ts'
import { retentionDays } from './lifecycle.ts'

const read = userAccess('audit:read')
const exporting = userAccess('audit:export', { mfa: 'session' })

export const auditActorType = z.enum(['user', 'api_key', 'agent', 'system'])
export const auditResult = z.enum(['success', 'failure', 'denied'])
export type AuditResult = z.infer<typeof auditResult>
export const auditCategory = z.enum([
  'authentication',
  'device',
  'automation',
  'policy',
  'alert',
  'compliance',
  'organization',
  'system',
])
export type AuditCategory = z.infer<typeof auditCategory>

// --- what to look for ------------------------------------------------------------------------------------------

/** Written with any offset, compared as it is stored. */
const moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString())
/** Found anywhere in a text, whatever its case; nothing looks for nothing in particular. */
const part = searchText.trim()

interface Range {
  from?: string | undefined
  to?: string | undefined
}
const inOrder = ({ from, to }: Range) => from === undefined || to === undefined || from <= to
const notBefore = { path: ['to'], message: 'Must not be before from' }

const range = { from: moment.optional(), to: moment.optional() }
/** A comma list of actions. */
const actions = z
  .string()
  .max(4000)
  .transform((text) =>
    text
      .split(',')
      .map((action) => action.trim())
      .filter(Boolean),
  )

const filters = {
  /** In the address or the name of the person who acted, or in the name of the API key. */
  user: part.optional(),
  action: part.optional(),
  /**
   * In the type or the name of what it was done to; or all of its id, or of the present name of a device or an
   * organization, which find events from before it was renamed, too.
   */
  resource: part.optional(),
  result: auditResult.optional(),
  ...range,
  orgId: uuid.optional(),
  excludeActions: actions.optional(),
  /** Only events that `/entries` folds with this one; `from` and `to` are the times of the entry. */
  foldedWith: uuid.optional(),
}
const listed = {
  ...filters,
  ...pageQuery,
  /** Counting takes a while where few of many events match; pages do not need it. */
  skipCount: queryFlag.optional(),
}
const ranged = z.object({ ...range, orgId: uuid.optional() }).refine(inOrder, notBefore)

// --- what an event looks like ----------------------------------------------------------------------------------

const flatEntry = z.object({
  id: z.uuid(),
  timestamp: instant,
  action: z.string(),
  resource: z.string(),
  resourceType: z.string(),
  /** JSON. */
  details: z.string(),
  ipAddress: z.string(),
  userAgent: z.string(),
  sessionId: z.string().nullable(),
  user: z.object({ name: z.string(), email: z.string(), role: auditActorType, department: z.literal('') }),
  initiatedBy: z.string(),
  changes: z.object({ before: jsonObject, after: jsonObject }),
})
export type FlatAuditEvent = z.infer<typeof flatEntry>

const fullEntry = z.object({
  id: z.uuid(),
  timestamp: instant,
  /** Null for what belongs to the whole company, or to the appliance. */
  orgId: z.uuid().nullable(),
  /** Null where the organization is gone, too. */
  orgName: z.string().nullable(),
  /** Null for the appliance. */
  partnerId: z.uuid().nullable(),
  user: z.object({ id: z.string(), name: z.string(), email: z.string(), role: auditActorType }),
  action: z.string(),
  resource: z.object({ type: z.string(), id: z.string(), name: z.string() }),
  category: auditCategory,
  result: auditResult,
  ipAddress: z.string(),
  userAgent: z.string(),
  initiatedBy: z.string(),
  details: jsonObject.optional(),
})
export type AuditEventView = z.infer<typeof fullEntry>

const entry = fullEntry.extend({
  /**
   * What else the entry tells of: the other events of an import, or repetitions of the same action by the same actor on
   * the same target with the same result. Null where it tells of one event only.
   */
  folded: z
    .object({
      as: z.enum(['import', 'repetition']),
      /** Events, the newest included. */
      count: z.int(),
      /** The time of the oldest. */
      since: instant,
      /** How many organizations they belong to. */
      organizations: z.int(),
    })
    .nullable(),
})
export type AuditEntryView = z.infer<typeof entry>

/** Both totals are -1 where nobody counted. */
const counted = pagination.extend({ totalPages: z.int() })

export const listAuditLog = endpoint({
  name: 'audit-log.list',
  method: 'GET',
  path: '/audit-logs',
  summary: 'The audit log, newest first, an event in one line',
  access: read,
  query: z.object(listed).refine(inOrder, notBefore),
  reply: z.object({ entries: z.array(flatEntry), pagination: counted }),
})

export const listAuditEvents = endpoint({
  name: 'audit-log.events',
  method: 'GET',
  path: '/audit-logs/logs',
  summary: 'The audit log, newest first, with all there is of an event',
  access: read,
  query: z.object(listed).refine(inOrder, notBefore),
  reply: z.object({ data: z.array(fullEntry), pagination: counted }),
})

export const listAuditEntries = endpoint({
  name: 'audit-log.entries',
  method: 'GET',
  path: '/audit-logs/entries',
  summary: 'The audit log, newest first: an import, and what was repeated within an hour, as one entry each',
  access: read,
  query: z.object({ ...filters, q: part.optional(), ...pageQuery }).refine(inOrder, notBefore),
  reply: z.object({
    data: z.array(entry),
    pagination: z.object({
      page: z.int(),
      /** Entries. */
      limit: z.int(),
      /** Events on earlier pages. */
      eventsBefore: z.int(),
      isLast: z.boolean(),
    }),
  }),
})

export const readAuditEvent = endpoint({
  name: 'audit-log.read',
  method: 'GET',
  path: '/audit-logs/logs/:id',
  summary: 'One event of the audit log',
  access: read,
  params: z.object({ id: pathId }),
  reply: fullEntry,
})

export const searchAuditLog = endpoint({
  name: 'audit-log.search',
  method: 'GET',
  path: '/audit-logs/search',
  summary: 'Events that have a text in their action, addresses, resource or details',
  access: read,
  query: z.object({ ...listed, q: part.min(1) }).refine(inOrder, notBefore),
  reply: z.object({ data: z.array(fullEntry), query: z.string(), pagination: counted }),
})

// --- taking it along -------------------------------------------------------------------------------------------

export const auditColumns = [
  'id',
  'timestamp',
  'actorId',
  'actorName',
  'actorEmail',
  'action',
  'resourceType',
  'resourceId',
  'resourceName',
  'category',
  'result',
  'ipAddress',
  'userAgent',
  'details',
] as const
const column = z.enum(auditColumns)
export type AuditColumn = z.infer<typeof column>

/** All that match, however many: the answer is written as it is read. */
export const exportAuditLog = endpoint({
  name: 'audit-log.export',
  method: 'POST',
  path: '/audit-logs/export',
  summary: 'The events that match, as a CSV file or as JSON: `{ data, total }`',
  access: exporting,
  body: z
    .object({
      format: z.enum(['csv', 'json']).default('json'),
      filters: z
        .object({
          user: part.optional(),
          action: part.optional(),
          resource: part.optional(),
          result: auditResult.optional(),
          /** As in the search. */
          q: part.optional(),
          orgId: uuid.optional(),
          excludeActions: z.array(z.string().max(100)).max(100).optional(),
        })
        .optional(),
      dateRange: z.object(range).refine(inOrder, notBefore).optional(),
      columns: z.array(column).min(1).max(auditColumns.length).optional(),
      includeDetails: z.boolean().default(true),
    })
    .prefault({}),
  reply: z.unknown(),
  content: 'application/json',
  audit: 'audit_logs.export',
})
export type AuditExport = z.output<(typeof exportAuditLog)['body'] & z.ZodType>

export const downloadAuditLog = endpoint({
  name: 'audit-log.download',
  method: 'GET',
  path: '/audit-logs/export',
  summary: 'The audit log, or what one person did, as a CSV file',
  access: exporting,
  query: z.object({
    userId: uuid.optional(),
    orgId: uuid.optional(),
    /** A comma list; a name that is no column is left out. */
    columns: z.string().max(400).optional(),
    includeDetails: queryFlag.default(true),
  }),
  reply: z.unknown(),
  content: 'text/csv',
  audit: 'audit_logs.export',
})

// --- reports ---------------------------------------------------------------------------------------------------

const byAction = z.array(z.object({ action: z.string(), count: z.int() }))
const activity = z.object({
  userId: z.string(),
  userName: z.string(),
  userEmail: z.string(),
  actionCount: z.int(),
  lastActiveAt: instant,
})
/** Reports are about the newest events of their range, at most 5,000; true when there are older ones. */
const truncated = z.boolean()

export const reportUserActivity = endpoint({
  name: 'audit-log.report-users',
  method: 'GET',
  path: '/audit-logs/reports/user-activity',
  summary: 'Who did how much',
  access: read,
  query: ranged,
  reply: z.object({
    totalUsers: z.int(),
    totalEvents: z.int(),
    truncated,
    actionsPerUser: z.array(activity),
    topUsers: z.array(activity),
    recentActivity: z.array(fullEntry),
  }),
})

export const reportSecurityEvents = endpoint({
  name: 'audit-log.report-security',
  method: 'GET',
  path: '/audit-logs/reports/security-events',
  summary: 'Sign-ins, factors, keys and powers',
  access: read,
  query: ranged,
  reply: z.object({
    totalEvents: z.int(),
    truncated,
    loginAttempts: z.int(),
    failedLogins: z.int(),
    permissionChanges: z.int(),
    byAction,
    recentEvents: z.array(fullEntry),
  }),
})

export const reportCompliance = endpoint({
  name: 'audit-log.report-compliance',
  method: 'GET',
  path: '/audit-logs/reports/compliance',
  summary: 'What was looked at, changed and taken along',
  access: read,
  query: ranged,
  reply: z.object({
    totalEvents: z.int(),
    truncated,
    dataAccess: z.int(),
    dataChanges: z.int(),
    exports: z.int(),
    byAction,
    recentEvents: z.array(fullEntry),
  }),
})

export const readAuditStats = endpoint({
  name: 'audit-log.stats',
  method: 'GET',
  path: '/audit-logs/stats',
  summary: 'Events by category and by person',
  access: read,
  query: ranged,
  reply: z.object({
    totalEvents: z.int(),
    truncated,
    byCategory: z.array(z.object({ category: auditCategory, count: z.int() })),
    byUser: z.array(z.object({ userId: z.string(), userName: z.string(), actionCount: z.int() })),
    range: z.object({ from: instant.nullable(), to: instant.nullable() }),
  }),
})

// --- whether it is whole ---------------------------------------------------------------------------------------

/**
 * What is wrong with a chain: an event was `changed`, `missing` or `added`, or the record of where the chain begins and
 * ends is not the one the appliance made (`seal`).
 */
export const auditFault = z.enum(['changed', 'missing', 'added', 'seal'])
export type AuditFault = z.infer<typeof auditFault>

const chain = z.object({
  orgId: z.uuid().nullable(),
  /** Null for the company as a whole, or the appliance; or where the organization is gone, too. */
  orgName: z.string().nullable(),
  partnerId: z.uuid().nullable(),
  events: z.int(),
  /** Null until it was checked for the first time. */
  checkedAt: instant.nullable(),
  isBeingChecked: z.boolean(),
  /** When events whose time was over were last removed. */
  cleanedAt: instant.nullable(),
  /**
   * The first thing that does not fit; stays on record. `eventId` and `at` tell the event, or the one next to what is
   * missing.
   */
  fault: z.object({ kind: auditFault, eventId: z.uuid().nullable(), at: instant.nullable() }).nullable(),
  /** Events up to then are from before chains were sealed: a change of all of them at once would not show. */
  unsealedUntil: instant.nullable(),
})
export type AuditChainView = z.infer<typeof chain>

export const listAuditChains = endpoint({
  name: 'audit-log.chains',
  method: 'GET',
  path: '/audit-logs/chains',
  summary: 'Integrity of the log: one chain of events for each organization and for the company, broken ones first',
  access: read,
  query: z.object(pageQuery),
  reply: z.object({
    summary: z.object({
      chains: z.int(),
      events: z.int(),
      broken: z.int(),
      /** Never checked yet. */
      unchecked: z.int(),
      beingChecked: z.int(),
      /** The chain whose check is longest ago. */
      oldestCheckAt: instant.nullable(),
    }),
    data: z.array(chain),
    pagination,
  }),
})

export const verifyAuditLog = endpoint({
  name: 'audit-log.verify',
  method: 'POST',
  path: '/audit-logs/verify',
  summary: 'Check every chain the caller sees now; results appear in the list of chains',
  access: read,
  status: 202,
  reply: z.object({ data: z.object({ chains: z.int() }) }),
  audit: 'audit_logs.verify',
})

// --- how long it is kept ---------------------------------------------------------------------------------------

const retention = z.object({
  data: z.object({
    orgId: z.uuid(),
    /** False while it is as long as everybody's. */
    configured: z.boolean(),
    retentionDays: z.int(),
    lastCleanupAt: instant.nullable(),
  }),
})

export const readAuditRetention = endpoint({
  name: 'organizations.audit-retention',
  method: 'GET',
  path: '/orgs/organizations/:id/audit-retention',
  summary: 'Audit log retention of an organization, in days',
  access: read,
  params: z.object({ id: pathId }),
  reply: retention,
})

export const updateAuditRetention = endpoint({
  name: 'organizations.update-audit-retention',
  method: 'PUT',
  path: '/orgs/organizations/:id/audit-retention',
  summary: 'Set audit log retention of an organization, in days',
  access: userAccess('audit:manage', { mfa: 'session' }),
  params: z.object({ id: pathId }),
  body: z.object({ retentionDays }),
  reply: retention,
  audit: 'organization.audit_retention.update',
})
