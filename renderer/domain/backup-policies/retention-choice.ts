import type { BackupRetention, BackupSchedule } from '../../../shared/backup-plan.ts'
import { retentionPresets } from '../../../shared/backup-retention.ts'

export const presetNames = { standard: 'Standard', extended: 'Extended', compliance: 'Compliance' } as const
export type PresetName = keyof typeof presetNames

export const presetOrder: readonly PresetName[] = ['standard', 'extended', 'compliance']

/** Numbers of one’s own, as they are typed in. */
export interface OwnNumbers {
  keepDaily: number | string
  keepWeekly: number | string
  keepMonthly: number | string
  keepYearly: number | string
  /** Where backups are not made daily. */
  retentionDays: number | string
}

export interface RetentionChoice {
  /** `forever` is chosen through the API only: by a policy that does not say how long. */
  keep: PresetName | 'custom' | 'forever'
  own: OwnNumbers
}

export const newRetention: RetentionChoice = {
  keep: 'standard',
  own: { ...retentionPresets.standard, retentionDays: 90 },
}

/** How far a preset reaches back. */
const daysOfPreset: Record<PresetName, number> = { standard: 90, extended: 365, compliance: 7 * 365 }

/**
 * What a choice means for a schedule. Of weekly and monthly backups each is kept for the same time: generations count
 * days in UTC, and one that is made on a Monday in Tokyo would never be that of a Monday.
 */
export function retentionFor({ keep, own }: RetentionChoice, frequency: BackupSchedule['frequency']): BackupRetention {
  if (keep === 'forever') return {}
  if (keep !== 'custom')
    return frequency === 'daily' ? { preset: keep } : { preset: keep, retentionDays: daysOfPreset[keep] }
  if (frequency !== 'daily') return { preset: 'custom', retentionDays: Number(own.retentionDays) }
  return {
    preset: 'custom',
    keepDaily: Number(own.keepDaily),
    keepWeekly: Number(own.keepWeekly),
    keepMonthly: Number(own.keepMonthly),
    keepYearly: Number(own.keepYearly),
  }
}

/** The choice that a stored retention was; numbers that a preset does not mean are one’s own. */
export function choiceOf(retention: BackupRetention, frequency: BackupSchedule['frequency']): RetentionChoice {
  const { preset, keepDaily = 0, keepWeekly = 0, keepMonthly = 0, keepYearly = 0, retentionDays = 90 } = retention
  const own = { keepDaily, keepWeekly, keepMonthly, keepYearly, retentionDays }
  const isBare = !keepDaily && !keepWeekly && !keepMonthly && !keepYearly && retention.retentionDays === undefined
  if (isBare && (preset === undefined || preset === 'custom')) return { keep: 'forever', own: newRetention.own }
  if (preset === undefined || preset === 'custom') return { keep: 'custom', own }
  const numbers = ['keepDaily', 'keepWeekly', 'keepMonthly', 'keepYearly', 'retentionDays'] as const
  const meant = retentionFor({ keep: preset, own }, frequency)
  const isMeant = numbers.every((key) => retention[key] === undefined || retention[key] === meant[key])
  return isMeant ? { keep: preset, own: newRetention.own } : { keep: 'custom', own }
}
