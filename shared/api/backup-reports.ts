import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, pathId, uuid } from '../fields.ts'
import { pageLimit, pageNumber, pagination, searchText } from '../paging.ts'
import { backupProblem, protectionState } from './backup-attention.ts'
import { backupJob } from './backup-jobs.ts'

/** Administrators of one organization see its backups without seeing the organization’s record. */
const read = userAccess('organizations:read', { or: 'backup:read' })
const ofOrganization = z.object({ orgId: uuid.optional() })
const count = z.int().nonnegative()

/** Something about the backups of a device that somebody should look at. */
const attentionItem = z.object({
  /** `backup-failing-<device>` for backups that fail, else the kind and the device. */
  id: z.string(),
  title: z.string(),
  description: z.string(),
  severity: z.enum(['warning', 'critical']),
  kind: backupProblem,
  deviceId: z.uuid(),
  deviceName: z.string(),
  openedAt: instant,
  /** The backup that it is about. */
  jobId: z.uuid().nullable(),
  policyId: z.uuid().nullable(),
})
export type BackupAttentionItem = z.infer<typeof attentionItem>

export const backupDashboard = endpoint({
  name: 'backup-reports.dashboard',
  method: 'GET',
  path: '/backup/dashboard',
  summary: 'How backups stand: what is protected, what ran in the last 24 hours, what needs attention',
  access: read,
  query: ofOrganization,
  reply: z.object({
    data: z.object({
      /** `policies`: devices to which a policy with backups applies. */
      totals: z.object({ configs: count, policies: count, jobs: count, snapshots: count }),
      /** Of those that were made in this time. */
      jobsLast24h: z.object({ completed: count, failed: count, partial: count, running: count, queued: count }),
      /** `totalBytes`: of the files in all snapshots, not of what is stored of them. */
      storage: z.object({ totalBytes: count, snapshots: count }),
      coverage: z.object({ protectedDevices: count }),
      latestJobs: z.array(
        backupJob.pick({
          id: true,
          type: true,
          deviceId: true,
          deviceName: true,
          configId: true,
          configName: true,
          status: true,
          startedAt: true,
          completedAt: true,
          createdAt: true,
          totalSize: true,
          errorCount: true,
          errorLog: true,
        }),
      ),
      /** The first 20, the worst first. */
      attentionItems: z.array(attentionItem),
      /** How many there are. */
      attentionCount: count,
      /** What needs attention could not be found out: that the list is empty means nothing. */
      attentionError: z.boolean(),
    }),
  }),
})
export type BackupDashboard = z.infer<typeof backupDashboard.reply>['data']

export const backupStatus = endpoint({
  name: 'backup-reports.status',
  method: 'GET',
  path: '/backup/status/:deviceId',
  summary: 'How one device stands with its backups',
  access: read,
  params: z.object({ deviceId: pathId }),
  query: ofOrganization,
  reply: z.object({
    data: z.object({
      deviceId: z.uuid(),
      protected: z.boolean(),
      state: protectionState,
      featureLinkId: z.string().nullable(),
      configId: z.uuid().nullable(),
      /** Of its schedule. */
      timezone: z.string().nullable(),
      lastJob: z
        .object({
          id: z.uuid(),
          status: backupJob.shape.status,
          createdAt: instant,
          completedAt: instant.nullable(),
          /** What Windows said of its shadow copies. */
          vssMetadata: z.unknown(),
          errorLog: z.string().nullable(),
        })
        .nullable(),
      /** Also of a partial one. */
      lastSuccessAt: instant.nullable(),
      lastFailureAt: instant.nullable(),
      lastFailureError: z.string().nullable(),
      lastFailureJobId: z.uuid().nullable(),
      nextScheduledAt: instant.nullable(),
      /** When all data that its newest snapshot lies in was read last, by a check or part after part at night. */
      allDataReadAt: instant.nullable(),
      /** How far the appliance has come with reading it at night; null where it reads none. */
      dataReading: z
        .object({
          /** Of the parts, the one that was read last. */
          part: count,
          parts: count,
          readAt: instant,
        })
        .nullable(),
    }),
  }),
})
export type BackupStatus = z.infer<typeof backupStatus.reply>['data']

export const usageDays = { min: 3, max: 90, usual: 14 } as const

export const backupUsageHistory = endpoint({
  name: 'backup-reports.usage-history',
  method: 'GET',
  path: '/backup/usage-history',
  summary: 'How much the backups of the last days hold, day by day',
  access: read,
  query: z.object({
    orgId: uuid.optional(),
    days: z.coerce.number().int().min(usageDays.min).max(usageDays.max).default(usageDays.usual),
  }),
  reply: z.object({
    data: z.object({
      days: z.int(),
      start: instant,
      end: instant,
      providers: z.array(z.string()),
      points: z.array(
        z.object({
          /** The day begins in UTC. */
          timestamp: instant,
          /** Of the files in the snapshots since `start`. */
          totalBytes: count,
          providers: z.array(z.object({ provider: z.string(), bytes: count })),
          /** What the repositories really take, as far as the appliance knows; null for days it has no figure of. */
          storedBytes: count.nullable(),
        }),
      ),
    }),
  }),
})
export type BackupUsage = z.infer<typeof backupUsageHistory.reply>['data']

const deviceProtection = z.object({
  deviceId: z.uuid(),
  deviceName: z.string(),
  siteName: z.string(),
  state: protectionState,
  /** One of its backups waits or runs. */
  isBusy: z.boolean(),
  policyId: z.uuid().nullable(),
  policyName: z.string().nullable(),
  /** Where its backups go; null without a policy, or without a storage that is turned on. */
  configId: z.uuid().nullable(),
  configName: z.string().nullable(),
  lastSuccessAt: instant.nullable(),
  /** Of the newest backup that has ended. */
  lastResult: z.enum(['completed', 'partial', 'failed']).nullable(),
  lastJobId: z.uuid().nullable(),
  nextScheduledAt: instant.nullable(),
  snapshots: count,
  /** In repositories whose size the appliance knows; else null. */
  storedBytes: count.nullable(),
})
export type DeviceProtection = z.infer<typeof deviceProtection>

const protectionFilter = {
  orgId: uuid.optional(),
  state: protectionState.optional(),
  /** A part of the device’s name. */
  search: searchText.trim().optional(),
}

export const listProtection = endpoint({
  name: 'backup-reports.protection',
  method: 'GET',
  path: '/backup/protection',
  summary: 'Every device in service with how it stands with its backups, by name',
  access: read,
  query: z.object({ ...protectionFilter, page: pageNumber, limit: pageLimit(50, 100) }),
  reply: z.object({
    data: z.array(deviceProtection),
    pagination,
    /** How many of all devices are in which state; `busy`: of how many of them a backup waits or runs. */
    counts: z.array(z.object({ state: protectionState, devices: count, busy: count })),
  }),
})

/** Of a CSV file, in this order. */
export const protectionColumns = [
  'device',
  'organization',
  'site',
  'state',
  'policy',
  'destination',
  'lastSuccessAt',
  'lastResult',
  'nextScheduledAt',
  'snapshots',
  'storedBytes',
  'deviceId',
] as const
export type ProtectionColumn = (typeof protectionColumns)[number]

export const exportProtection = endpoint({
  name: 'backup-reports.protection-export',
  method: 'GET',
  path: '/backup/protection/export',
  summary: 'The same as a CSV file, of all devices that match',
  access: read,
  query: z.object(protectionFilter),
  reply: z.unknown(),
  content: 'text/csv',
  audit: 'backup.protection.export',
})
