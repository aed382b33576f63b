import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, lineOfText, pathId, uuid } from '../fields.ts'
import { lenientInstant } from '../lenient.ts'
import { pageLimit, pageNumber, pagination } from '../paging.ts'

/** What is promised about the backups of devices, and where it was not kept. */

const count = z.int().nonnegative()
/** Ten years at most: an age is compared with it. */
const minutes = z.int().min(1).max(5_256_000)

export const slaConfig = z.object({
  id: z.uuid(),
  orgId: z.uuid(),
  name: z.string(),
  /** How old the newest backup may be. */
  rpoTargetMinutes: z.int(),
  /** How long a restore may take. */
  rtoTargetMinutes: z.int(),
  /** Together with the members of the groups. Both empty: every protected device of the organization. */
  targetDevices: z.array(z.uuid()),
  targetGroups: z.array(z.uuid()),
  /** Of the named devices; one that has left the organization has none here. */
  targetDeviceNames: z.array(z.object({ id: z.uuid(), name: z.string() })),
  alertOnBreach: z.boolean(),
  isActive: z.boolean(),
  /** When it was last compared with the backups there are, and of how many devices; null before the first time. */
  checkedAt: instant.nullable(),
  deviceCount: count.nullable(),
  /** Devices that do not keep to it now. */
  breachedDevices: count,
  createdAt: instant,
  updatedAt: instant,
})
export type SlaConfig = z.infer<typeof slaConfig>

/**
 * `rpo_breach`: the newest backup is too old, or there is none. `rto_breach`: a restore would take too long.
 * `missed_backup`: a schedule asked for backups, and none was made in time.
 */
export const slaEventType = z.enum(['rpo_breach', 'rto_breach', 'missed_backup'])
export type SlaEventType = z.infer<typeof slaEventType>

export const slaEventDetails = z.object({
  rpoTargetMinutes: z.int().optional(),
  /** The age of the newest backup when the breach was found; null without a backup. */
  actualMinutes: z.int().nullable().optional(),
  lastBackupAt: instant.nullable().optional(),
  rtoTargetMinutes: z.int().optional(),
  estimatedRtoMinutes: z.int().optional(),
  /** Since when there was no backup that can be restored from. */
  windowStart: instant.optional(),
})

const slaEvent = z.object({
  id: z.uuid(),
  orgId: z.uuid(),
  slaConfigId: z.uuid(),
  slaConfigName: z.string(),
  deviceId: z.uuid(),
  deviceName: z.string(),
  eventType: slaEventType,
  details: slaEventDetails,
  detectedAt: instant,
  resolvedAt: instant.nullable(),
})
export type SlaEvent = z.infer<typeof slaEvent>

/** Administrators of one organization see its backups without seeing the organization’s record. */
const read = userAccess('organizations:read', { or: 'backup:read' })
const write = userAccess('organizations:write', { mfa: 'session' })
const ofOrganization = z.object({ orgId: uuid.optional() })
const params = z.object({ id: pathId })

const fields = {
  name: lineOfText(200),
  rpoTargetMinutes: minutes,
  rtoTargetMinutes: minutes,
  targetDevices: z.array(uuid).max(1000).optional(),
  targetGroups: z.array(uuid).max(100).optional(),
}

export const createSlaConfig = endpoint({
  name: 'backup-sla.create',
  method: 'POST',
  path: '/backup/sla/configs',
  summary: 'Promise how old the newest backup of devices may be, and how long a restore may take',
  access: write,
  query: ofOrganization,
  body: z.object({ ...fields, alertOnBreach: z.boolean().default(true), isActive: z.boolean().default(true) }),
  status: 201,
  reply: z.object({ data: slaConfig }),
  audit: 'backup.sla_config.create',
})

export const listSlaConfigs = endpoint({
  name: 'backup-sla.list',
  method: 'GET',
  path: '/backup/sla/configs',
  summary: 'What is promised about the backups of an organization, by name',
  access: read,
  query: ofOrganization,
  reply: z.object({ data: z.array(slaConfig) }),
})

export const updateSlaConfig = endpoint({
  name: 'backup-sla.update',
  method: 'PATCH',
  path: '/backup/sla/configs/:id',
  summary: 'Change what is promised; what is no breach any more is resolved',
  access: write,
  params,
  query: ofOrganization,
  body: z.object({
    name: fields.name.optional(),
    rpoTargetMinutes: minutes.optional(),
    rtoTargetMinutes: minutes.optional(),
    targetDevices: fields.targetDevices,
    targetGroups: fields.targetGroups,
    alertOnBreach: z.boolean().optional(),
    isActive: z.boolean().optional(),
  }),
  reply: z.object({ data: slaConfig }),
  audit: 'backup.sla_config.update',
})

export const deleteSlaConfig = endpoint({
  name: 'backup-sla.delete',
  method: 'DELETE',
  path: '/backup/sla/configs/:id',
  summary: 'Delete what is promised, with all its events',
  access: write,
  params,
  query: ofOrganization,
  reply: z.object({ success: z.literal(true) }),
  audit: 'backup.sla_config.delete',
})

export const listSlaEvents = endpoint({
  name: 'backup-sla.events',
  method: 'GET',
  path: '/backup/sla/events',
  summary: 'Where a promise is or was not kept, the newest first',
  access: read,
  query: z.object({
    orgId: uuid.optional(),
    configId: uuid.optional(),
    deviceId: uuid.optional(),
    eventType: slaEventType.optional(),
    state: z.enum(['open', 'resolved']).optional(),
    /** When it was found. */
    from: lenientInstant,
    to: lenientInstant,
    page: pageNumber,
    limit: pageLimit(100, 500),
  }),
  reply: z.object({ data: z.array(slaEvent), pagination }),
})

export const slaDashboard = endpoint({
  name: 'backup-sla.dashboard',
  method: 'GET',
  path: '/backup/sla/dashboard',
  summary: 'How far promises are kept now',
  access: read,
  query: ofOrganization,
  reply: z.object({
    data: z.object({
      activeConfigs: count,
      /** Of the active ones; 100 without any. */
      compliancePercent: count,
      compliantConfigs: count,
      activeBreaches: count,
      /** Devices with one or more of them. */
      breachedDevices: count,
      totalEventsLast30d: count,
      /** Over the devices whose recovery readiness is known; 0 without any. */
      avgRpoMinutes: count,
      avgRtoMinutes: count,
    }),
  }),
})
export type SlaDashboard = z.infer<typeof slaDashboard.reply>['data']

export const slaHistoryDays = { min: 7, max: 90, usual: 30 } as const

export const slaHistory = endpoint({
  name: 'backup-sla.history',
  method: 'GET',
  path: '/backup/sla/history',
  summary: 'On how many devices a promise was not kept, day by day',
  access: read,
  query: z.object({
    orgId: uuid.optional(),
    days: z.coerce.number().int().min(slaHistoryDays.min).max(slaHistoryDays.max).default(slaHistoryDays.usual),
  }),
  reply: z.object({
    data: z.object({
      days: z.int(),
      points: z.array(
        z.object({
          /** The day begins in UTC. */
          timestamp: instant,
          /** Devices with a breach at some time of the day. */
          devices: count,
          /** Breaches found on that day. */
          found: count,
        }),
      ),
    }),
  }),
})
export type SlaHistory = z.infer<typeof slaHistory.reply>['data']
