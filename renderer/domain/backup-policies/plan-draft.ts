import type { ConfigurationPolicy, PolicyLink } from '../../../shared/api/configuration-policies.ts'
import { isFullPath } from '../../../shared/backup-paths.ts'
import {
  type BackupLinkSettings,
  type BackupRetention,
  type BackupSchedule,
  backupLinkSettings,
  type ProfileLinkSettings,
  profileLinkSettings,
} from '../../../shared/backup-plan.ts'
import { userFolders, usuallyLeftOut } from '../../../shared/device/backup-places.ts'
import { emailAddress } from '../../../shared/fields.ts'
import type { PreviewSelection } from '../../data/backup-preview.ts'
import { rangeError } from '../../lib/number-range.ts'
import { choiceOf, newRetention, type RetentionChoice, retentionFor } from './retention-choice.ts'

/** What is protected: two presets, paths of one’s own, what a profile says, or something that is set up elsewhere and stays as it is. */
export type What = 'people' | 'system' | 'custom' | 'profile' | 'other'

/** `provider` is the storage. */
export type LockedBy = NonNullable<BackupRetention['immutabilityMode']>

/** What a policy says about backups, as it is typed in. */
export interface PlanDraft {
  what: What
  profileId: string | null
  /** One to a line. */
  paths: string
  leftOut: string
  frequency: BackupSchedule['frequency'] | 'never'
  time: string
  dayOfWeek: number
  dayOfMonth: number | string
  /** Empty: that of each site. */
  timezone: string
  windowStart: string
  windowEnd: string
  retention: RetentionChoice
  /** Who locks each new snapshot. */
  lock: LockedBy
  /** For so many days. */
  lockDays: number | string
  /** Null: the default storage of each organization. */
  storageId: string | null
  /** In Mbit/s. */
  bandwidth: number | string
  /** Of the people who are mailed about problems. */
  emails: string[]
}

export const newPlan: PlanDraft = {
  what: 'people',
  profileId: null,
  paths: '',
  leftOut: usuallyLeftOut.join('\n'),
  frequency: 'daily',
  time: '02:30',
  dayOfWeek: 6,
  dayOfMonth: 1,
  timezone: '',
  windowStart: '',
  windowEnd: '',
  retention: newRetention,
  lock: 'none',
  lockDays: 30,
  storageId: null,
  bandwidth: '',
  emails: [],
}

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

const sameLines = (some: readonly string[], others: readonly string[]): boolean => some.join('\n') === others.join('\n')

/** Files and folders as they are typed in; the usual exclusions are left to the agent. */
export function fileTargetsOf({ paths, leftOut }: Pick<PlanDraft, 'paths' | 'leftOut'>) {
  const excludes = linesOf(leftOut)
  return { paths: linesOf(paths), ...(!sameLines(excludes, usuallyLeftOut) && { excludes }) }
}

function whatSettings(draft: PlanDraft): Record<string, unknown> {
  switch (draft.what) {
    case 'people':
      return { backupMode: 'file', targets: { paths: [userFolders] } }
    case 'system':
      return { backupMode: 'system_image', targets: {} }
    case 'custom':
      return { backupMode: 'file', targets: fileTargetsOf(draft) }
    case 'profile':
    case 'other':
      return {}
  }
}

/** What a device can be asked about; null for what is set up elsewhere. */
export function selectionOf(draft: PlanDraft): PreviewSelection | null {
  switch (draft.what) {
    case 'people':
      return { mode: 'file', targets: { paths: [userFolders] } }
    case 'system':
      return { mode: 'system_image' }
    case 'custom':
      return { mode: 'file', targets: fileTargetsOf(draft) }
    case 'profile':
    case 'other':
      return null
  }
}

export function scheduleOf(draft: PlanDraft): BackupSchedule | undefined {
  const { frequency, time, dayOfWeek, dayOfMonth, timezone, windowStart, windowEnd } = draft
  if (frequency === 'never') return undefined
  return {
    frequency,
    time,
    ...(frequency === 'weekly' && { dayOfWeek }),
    ...(frequency === 'monthly' && { dayOfMonth: Number(dayOfMonth) }),
    ...(timezone && { timezone }),
    ...(windowStart && { windowStart }),
    ...(windowEnd && { windowEnd }),
  }
}

/** Numbers of generations are for backups of each day, which those are that somebody starts, too. */
export const frequencyOf = ({ frequency }: Pick<PlanDraft, 'frequency'>): BackupSchedule['frequency'] =>
  frequency === 'never' ? 'daily' : frequency

const chosenKeys = [
  'immutabilityMode',
  'immutableDays',
  'preset',
  'retentionDays',
  'keepDaily',
  'keepWeekly',
  'keepMonthly',
  'keepYearly',
]

/** The settings of the link; of former ones, what the draft does not know stays. */
export function settingsOf(draft: PlanDraft, former: Record<string, unknown> = {}): Record<string, unknown> {
  const { schedule: _schedule, bandwidthLimitMbps: _limit, notify: _notify, retention, ...others } = former
  const kept = Object.entries(retention ?? {}).filter(([key]) => !chosenKeys.includes(key))
  if (draft.what === 'profile') {
    delete others.backupMode
    delete others.targets
  }
  const schedule = scheduleOf(draft)
  return {
    ...others,
    ...whatSettings(draft),
    ...(schedule && { schedule }),
    retention: {
      ...Object.fromEntries(kept),
      ...retentionFor(draft.retention, frequencyOf(draft)),
      ...(draft.lock !== 'none' && { immutabilityMode: draft.lock, immutableDays: Number(draft.lockDays) }),
    },
    destinationConfigId: draft.storageId,
    ...(draft.bandwidth !== '' && { bandwidthLimitMbps: Number(draft.bandwidth) }),
    ...(draft.emails.length > 0 && { notify: { emails: draft.emails } }),
  }
}

/** What a link says, read for use; null where that cannot be read. */
export function settingsIn(link: Pick<PolicyLink, 'inlineSettings'>): BackupLinkSettings | ProfileLinkSettings | null {
  const own = backupLinkSettings.safeParse(link.inlineSettings).data
  return own ?? profileLinkSettings.safeParse(link.inlineSettings ?? {}).data ?? null
}

export const backupLinkOf = ({ featureLinks }: Pick<ConfigurationPolicy, 'featureLinks'>): PolicyLink | undefined =>
  featureLinks.find(({ featureType }) => featureType === 'backup')

function whatIn(settings: BackupLinkSettings | ProfileLinkSettings): Pick<PlanDraft, 'what' | 'paths' | 'leftOut'> {
  const leftOut = newPlan.leftOut
  if (!('backupMode' in settings)) return { what: 'profile', paths: '', leftOut }
  if (settings.backupMode === 'system_image') return { what: 'system', paths: '', leftOut }
  if (settings.backupMode !== 'file') return { what: 'other', paths: '', leftOut }
  const { paths, excludes } = settings.targets
  if (sameLines(paths, [userFolders]) && excludes === undefined) return { what: 'people', paths: '', leftOut }
  return { what: 'custom', paths: paths.join('\n'), leftOut: (excludes ?? usuallyLeftOut).join('\n') }
}

/** The draft of a link, to change it. */
export function planOf(link: Pick<PolicyLink, 'inlineSettings' | 'featurePolicyId'> | undefined): PlanDraft {
  const settings = link && settingsIn(link)
  if (!settings) return newPlan
  const what = whatIn(settings)
  const { schedule, retention = {}, destinationConfigId = null, bandwidthLimitMbps = '', notify } = settings
  const frequency = schedule?.frequency ?? 'never'
  return {
    ...newPlan,
    ...what,
    profileId: what.what === 'profile' ? link.featurePolicyId : null,
    frequency,
    time: schedule?.time ?? newPlan.time,
    // A weekly schedule without a day means Sunday.
    dayOfWeek: schedule?.frequency === 'weekly' ? (schedule.dayOfWeek ?? 0) : newPlan.dayOfWeek,
    dayOfMonth: schedule?.dayOfMonth ?? 1,
    timezone: schedule?.timezone ?? '',
    windowStart: schedule?.windowStart ?? '',
    windowEnd: schedule?.windowEnd ?? '',
    retention: choiceOf(retention, frequencyOf({ frequency })),
    lock: retention.immutabilityMode ?? 'none',
    lockDays: retention.immutableDays ?? newPlan.lockDays,
    storageId: destinationConfigId,
    bandwidth: bandwidthLimitMbps,
    emails: notify?.emails ?? [],
  }
}

export type PlanErrors = Partial<Record<keyof PlanDraft | 'ownNumbers', string>>

/** What is wrong with folders and files that are named. */
export function pathErrors(lines: readonly string[]): { paths?: string } {
  const wrong = lines.find((line) => !isFullPath(line))
  return wrong === undefined ? {} : { paths: `“${wrong}” isn’t a full path. Start with / or with a drive such as C:\\` }
}

/** What is wrong with the parts of a draft; empty where nothing is. */
export function whatErrors(draft: PlanDraft): PlanErrors {
  if (draft.what === 'profile' && draft.profileId === null) return { profileId: 'Choose a profile' }
  if (draft.what !== 'custom') return {}
  const { error } = backupLinkSettings.safeParse(whatSettings(draft))
  const issues = error?.issues ?? []
  const at = (key: string) => issues.find(({ path }) => path[0] === 'targets' && path[1] === key)
  const [paths, excludes] = [at('paths'), at('excludes')]
  const lines = linesOf(draft.paths)
  return {
    ...pathErrors(lines),
    ...(paths && { paths: lines.length === 0 ? 'Name at least one folder or file' : paths.message }),
    ...(excludes && { leftOut: excludes.message }),
  }
}

export function whenErrors({ frequency, time, dayOfMonth, windowStart, windowEnd }: PlanDraft): PlanErrors {
  const day = Number(dayOfMonth)
  return {
    ...(frequency !== 'never' && !time && { time: 'Enter a time' }),
    ...(frequency === 'monthly' &&
      !(Number.isInteger(day) && day >= 1 && day <= 28) && { dayOfMonth: 'Enter 1 to 28' }),
    ...(Boolean(windowStart) !== Boolean(windowEnd) && { windowEnd: 'Enter both times, or neither' }),
  }
}

export function notifyErrors({ emails }: PlanDraft): PlanErrors {
  const wrong = emails.find((email) => !emailAddress.safeParse(email).success)
  return wrong === undefined ? {} : { emails: `“${wrong}” isn’t an email address` }
}

export const lockRange = { min: 1, max: 3650 } as const

export function lockErrors({ lock, lockDays }: Pick<PlanDraft, 'lock' | 'lockDays'>): PlanErrors {
  const error = lock === 'none' ? null : rangeError(lockDays, lockRange)
  return error === null ? {} : { lockDays: error }
}

const limits = { keepDaily: 365, keepWeekly: 260, keepMonthly: 120, keepYearly: 25 }

export function keepErrors(draft: PlanDraft): PlanErrors {
  const { keep, own } = draft.retention
  if (keep !== 'custom') return {}
  const isWithin = (entered: number | string, min: number, max: number) =>
    entered !== '' && Number.isInteger(Number(entered)) && Number(entered) >= min && Number(entered) <= max
  if (frequencyOf(draft) !== 'daily')
    return isWithin(own.retentionDays, 1, 3650) ? {} : { ownNumbers: 'Enter 1 to 3,650 days' }
  const keys = ['keepDaily', 'keepWeekly', 'keepMonthly', 'keepYearly'] as const
  if (!keys.every((key) => isWithin(own[key], 0, limits[key])))
    return { ownNumbers: 'Enter at most 365 days, 260 weeks, 120 months and 25 years' }
  return keys.every((key) => Number(own[key]) === 0) ? { ownNumbers: 'Keep at least one snapshot' } : {}
}
