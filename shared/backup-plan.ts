import { z } from 'zod'
import { emailAddress, ianaTimeZone, uuid } from './fields.ts'
import { isObject } from './objects.ts'

/** What a backup policy says: what to protect, when, how long, where to. */

/** In the order in which the jobs of a device are made. */
export const backupModes = ['file', 'system_image', 'database', 'vmhost'] as const
export type BackupMode = (typeof backupModes)[number]

/** The public API names two of them after products. */
const formerModes = new Map<unknown, BackupMode>([
  ['mssql', 'database'],
  ['hyperv', 'vmhost'],
])

const maxPatternCharacters = 512
const nameOfList = z.string().min(1).max(255)
const plainText = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\0]*$/, 'Must not contain NUL')

/** Each `[` begins what restic reads as a class of characters: `[ab]`, `[a-z]`, `[^a]`. From end to end, so that it takes no time. */
const glob = /^(?:[^[]|\[(?!\^\])\^?(?:[^\]\-/](?:-[^\]\-/])?)+\])*$/
const isGlob = (pattern: string): boolean => glob.test(pattern.replaceAll('\\', '/'))

const exclusion = plainText(maxPatternCharacters).refine(isGlob, 'Is not a valid pattern: close the [')
const exclusions = z
  .array(exclusion)
  .max(1000)
  .transform((patterns) => patterns.filter((pattern) => pattern.trim() !== ''))
const path = plainText(4096).refine((text) => text.trim() !== '', 'Must not be blank')

const fileTargets = z.object({
  paths: z.array(path).min(1).max(1000),
  /** Left out: what the agent leaves out unless told. */
  excludes: exclusions.optional(),
})
const systemImageTargets = z.object({ includeSystemState: z.boolean().default(true) })
const databaseTargets = z.object({
  backupType: z.enum(['full', 'differential', 'log']).default('full'),
  excludeDatabases: z.array(nameOfList).max(1000).default([]),
})
const vmhostTargets = z.object({
  consistencyType: z.enum(['application', 'crash']).default('application'),
  excludeVms: z.array(nameOfList).max(1000).default([]),
})

/** One thing that is protected on a device; each makes a job of its own. */
export type BackupSelection =
  | { mode: 'file'; targets: z.output<typeof fileTargets> }
  | { mode: 'system_image'; targets: z.output<typeof systemImageTargets> }
  | { mode: 'database'; targets: z.output<typeof databaseTargets> }
  | { mode: 'vmhost'; targets: z.output<typeof vmhostTargets> }

/** What can be looked at on a device before anything is backed up. */
export const previewSelection = z.discriminatedUnion('mode', [
  z.object({ mode: z.literal('file'), targets: fileTargets }),
  z.object({ mode: z.literal('system_image') }),
])

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Write the time as 02:30')

export const backupSchedule = z.object({
  frequency: z.enum(['daily', 'weekly', 'monthly']),
  time: timeOfDay,
  /** Left out: that of the device’s site, organization or company. */
  timezone: ianaTimeZone.optional(),
  /** 0 is Sunday, which is also meant when none is given. */
  dayOfWeek: z.int().min(0).max(6).optional(),
  /** The first when none is given. */
  dayOfMonth: z.int().min(1).max(28).optional(),
  /** Bound the start; may span midnight. */
  windowStart: timeOfDay.optional(),
  windowEnd: timeOfDay.optional(),
})
export type BackupSchedule = z.output<typeof backupSchedule>

const keep = (max: number) => z.int().min(0).max(max).optional()

export const immutabilityModes = ['none', 'application', 'provider'] as const

export const backupRetention = z
  .object({
    preset: z.enum(['standard', 'extended', 'compliance', 'custom']).optional(),
    retentionDays: z.int().min(1).max(3650).optional(),
    maxVersions: z.int().min(1).max(100).optional(),
    keepDaily: keep(365),
    keepWeekly: keep(260),
    keepMonthly: keep(120),
    keepYearly: keep(25),
    weeklyDay: z.int().min(0).max(6).optional(),
    legalHold: z.boolean().optional(),
    legalHoldReason: z.string().trim().min(1).max(500).optional(),
    immutabilityMode: z.enum(immutabilityModes).optional(),
    immutableDays: z.int().min(1).max(3650).optional(),
  })
  .superRefine(({ legalHold, legalHoldReason, immutabilityMode = 'none', immutableDays }, context) => {
    const asked = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
    if (legalHold && legalHoldReason === undefined) asked('legalHoldReason', 'Required for a legal hold')
    if (immutabilityMode !== 'none' && immutableDays === undefined) asked('immutableDays', 'Required for immutability')
  })
export type BackupRetention = z.output<typeof backupRetention>

export const maxNotifiedAddresses = 20

/** Who is mailed about backups that failed, were missed or never made. */
export const backupNotify = z.object({
  emails: z
    .array(emailAddress)
    .max(maxNotifiedAddresses)
    .transform((emails) => [...new Set(emails)]),
})

const whenAndWhere = {
  /** Left out: backups run only when somebody starts them. */
  schedule: backupSchedule.optional(),
  retention: backupRetention.optional(),
  /** Null or left out: the default storage of the device’s organization. */
  destinationConfigId: uuid.nullable().optional(),
  bandwidthLimitMbps: z.int().min(1).max(10_000).optional(),
  /** Left out: nobody. */
  notify: backupNotify.optional(),
}

/** Of a link with a profile, which says what is protected. */
export const profileLinkSettings = z.object(whenAndWhere)
export type ProfileLinkSettings = z.output<typeof profileLinkSettings>

const withModeOfOurs = (value: unknown): unknown => {
  if (!isObject(value)) return value
  const { backupMode = 'file' } = value
  return { ...value, backupMode: formerModes.get(backupMode) ?? backupMode }
}

/** Of a link that says itself what is protected. */
export const backupLinkSettings = z.preprocess(
  withModeOfOurs,
  z.discriminatedUnion('backupMode', [
    z.object({ backupMode: z.literal('file'), targets: fileTargets, ...whenAndWhere }),
    z.object({ backupMode: z.literal('system_image'), targets: systemImageTargets.prefault({}), ...whenAndWhere }),
    z.object({ backupMode: z.literal('database'), targets: databaseTargets.prefault({}), ...whenAndWhere }),
    z.object({ backupMode: z.literal('vmhost'), targets: vmhostTargets.prefault({}), ...whenAndWhere }),
  ]),
)
export type BackupLinkSettings = z.output<typeof backupLinkSettings>

const enabled = z.boolean()

export const profileSelection = {
  file: z
    .object({
      enabled,
      paths: z.array(path).max(64),
      excludes: exclusions.pipe(z.array(z.string()).max(64)).optional(),
    })
    .refine((file) => !file.enabled || file.paths.length > 0, {
      path: ['paths'],
      message: 'Name at least one path',
    }),
  system_image: systemImageTargets.extend({ enabled }),
  database: databaseTargets.extend({ enabled }),
  vmhost: vmhostTargets.extend({ enabled }),
} as const

const withKeysOfOurs = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [formerModes.get(key) ?? key, one]))
    : value

/** What a profile protects. */
export const profileSelections = z.preprocess(
  withKeysOfOurs,
  z
    .object({
      file: profileSelection.file.optional(),
      system_image: profileSelection.system_image.optional(),
      database: profileSelection.database.optional(),
      vmhost: profileSelection.vmhost.optional(),
    })
    .refine((selections) => backupModes.some((mode) => selections[mode]?.enabled), 'Enable at least one selection'),
)
export type ProfileSelections = z.output<typeof profileSelections>
