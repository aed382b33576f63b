import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, uuid } from '../fields.ts'
import { pageLimit, pageNumber, pagination, searchText } from '../paging.ts'

/** How backups grow: of each device, on the disk of the appliance, and what keeping less would save. */

/** Administrators of one organization see its backups without seeing the organization’s record. */
const read = userAccess('organizations:read', { or: 'backup:read' })
const bytes = z.int().nonnegative()
const count = z.int().nonnegative()
const date = z.iso.date()

export const usageWindow = { min: 7, max: 90, usual: 30 } as const

/** When so much is taken that nothing is left, if it goes on as in the last eight weeks. */
const forecast = z.object({
  /** `unknown`: too few days are known. `steady`: it does not grow, or not within three years. */
  trend: z.enum(['unknown', 'steady', 'growing']),
  /** From the first day that is counted to the last. */
  daysKnown: count,
  /** Negative when it shrinks; null when it is unknown. */
  bytesPerDay: z.int().nullable(),
  /** Null unless it grows. */
  fullAt: instant.nullable(),
  /** Most likely not before, and not after; null for a day that is further than three years away. */
  earliestAt: instant.nullable(),
  latestAt: instant.nullable(),
})
export type UsageForecast = z.infer<typeof forecast>

export const readUsageForecast = endpoint({
  name: 'backup-usage.forecast',
  method: 'GET',
  path: '/backup/usage/forecast',
  summary: 'When the disk of the appliance is full, and when the quota of an organization is reached',
  access: userAccess('backup:read'),
  query: z.object({ orgId: uuid.optional() }),
  reply: z.object({
    data: z.object({
      disk: z.object({
        /** For backups of all organizations. */
        freeBytes: bytes,
        /** What backups leave to the appliance; not in `freeBytes`. */
        reservedBytes: bytes,
        /** For administrators of the appliance; others do not see what other organizations take. */
        totalBytes: bytes.nullable(),
        days: z.array(z.object({ day: date, usedBytes: bytes })),
        forecast,
      }),
      /** Null without a quota. */
      quota: z.object({ quotaBytes: bytes, usedBytes: bytes, forecast }).nullable(),
    }),
  }),
})
export type BackupForecast = z.infer<typeof readUsageForecast.reply>['data']

const deviceUsage = z.object({
  deviceId: z.uuid(),
  deviceName: z.string(),
  siteName: z.string(),
  isDecommissioned: z.boolean(),
  snapshots: count,
  /** Of the files in all snapshots, and in the newest of each kind. */
  filesBytes: bytes,
  newestBytes: bytes,
  /** What the repositories take, as far as the appliance knows. */
  storedBytes: bytes.nullable(),
  /**
   * How many times more the files in all snapshots were than what is left of them when each piece is kept once, and how
   * many times more that was before it was compressed; as restic measured it. Null when it was not measured yet.
   */
  deduplication: z.number().nullable(),
  compression: z.number().nullable(),
  measuredAt: instant.nullable(),
  /** Since the first day in the time asked for of which something is known; null when that is today. */
  growth: z.object({ since: date, newestBytes: z.int(), storedBytes: z.int() }).nullable(),
})
export type DeviceUsage = z.infer<typeof deviceUsage>

export const usageOrder = z.enum(['stored', 'growth', 'newest', 'name'])
export type UsageOrder = z.infer<typeof usageOrder>

export const listDeviceUsage = endpoint({
  name: 'backup-usage.devices',
  method: 'GET',
  path: '/backup/usage/devices',
  summary: 'How much each device with backups takes, and how that grew; by name, or the largest first',
  access: read,
  query: z.object({
    orgId: uuid.optional(),
    /** Of the growth. */
    days: z.coerce.number().int().min(usageWindow.min).max(usageWindow.max).default(usageWindow.usual),
    sort: usageOrder.default('stored'),
    /** Left out: names from A on, sizes from the largest on. */
    sortDir: z.enum(['asc', 'desc']).optional(),
    search: searchText.trim().optional(),
    page: pageNumber,
    limit: pageLimit(50, 100),
  }),
  reply: z.object({
    data: z.array(deviceUsage),
    pagination,
    /** Of all devices in the list. */
    totals: z.object({
      storedBytes: bytes,
      newestBytes: bytes,
      grownBytes: z.int(),
      deduplication: z.number().nullable(),
      compression: z.number().nullable(),
    }),
  }),
})

const policySavings = z.object({
  policyId: z.uuid(),
  policyName: z.string(),
  devices: count,
  snapshots: count,
  /** What the repositories of its devices take. */
  storedBytes: bytes,
  /** Half of each number that it keeps; of a policy that keeps everything, a year. Null when it cannot keep less. */
  less: z
    .object({
      keepDaily: count.optional(),
      keepWeekly: count.optional(),
      keepMonthly: count.optional(),
      keepYearly: count.optional(),
      retentionDays: count.optional(),
      maxVersions: count.optional(),
    })
    .nullable(),
  /** Snapshots that would go then, and an estimate of what that would free. */
  goingSnapshots: count,
  savedBytes: bytes,
})
export type PolicySavings = z.infer<typeof policySavings>

export const readRetentionSavings = endpoint({
  name: 'backup-usage.retention',
  method: 'GET',
  path: '/backup/usage/retention',
  summary: 'An estimate of what would be saved if each policy kept snapshots half as long',
  access: read,
  query: z.object({ orgId: uuid.optional() }),
  reply: z.object({ data: z.array(policySavings) }),
})
