import type { BackupRetention } from './backup-plan.ts'

/** How long a snapshot is kept by the retention of a policy. Pure; in UTC, wherever the device is. */

/** Which generations a snapshot belongs to: son, father, grandfather. Every one is a daily one. */
export interface Generations {
  daily: true
  weekly: boolean
  monthly: boolean
  yearly: boolean
}

const sunday = 0
const dayMs = 86_400_000

/** Weekly on the day of the policy, monthly on the last of the month, yearly on 31 December. */
export function generationsOf(
  takenAtMs: number,
  { weeklyDay = sunday }: Pick<BackupRetention, 'weeklyDay'>,
): Generations {
  const date = new Date(takenAtMs)
  const monthly = new Date(takenAtMs + dayMs).getUTCMonth() !== date.getUTCMonth()
  return { daily: true, weekly: date.getUTCDay() === weeklyDay, monthly, yearly: monthly && date.getUTCMonth() === 11 }
}

type Kept = Pick<BackupRetention, 'keepDaily' | 'keepWeekly' | 'keepMonthly' | 'keepYearly'>

/** What a preset keeps where the policy gives no numbers of its own. */
export const retentionPresets: Record<'standard' | 'extended' | 'compliance', Required<Kept>> = {
  standard: { keepDaily: 7, keepWeekly: 4, keepMonthly: 3, keepYearly: 0 },
  extended: { keepDaily: 14, keepWeekly: 8, keepMonthly: 12, keepYearly: 1 },
  compliance: { keepDaily: 30, keepWeekly: 12, keepMonthly: 24, keepYearly: 7 },
}

/** With the numbers of its preset, if it names one and gives no numbers. */
export function withPreset(retention: BackupRetention): BackupRetention {
  const { preset, keepDaily, keepWeekly, keepMonthly, keepYearly, retentionDays, maxVersions } = retention
  const numbers = [keepDaily, keepWeekly, keepMonthly, keepYearly, retentionDays, maxVersions]
  const isBare = numbers.every((number) => number === undefined)
  return preset && preset !== 'custom' && isBare ? { ...retention, ...retentionPresets[preset] } : retention
}

/** Days for which one kept snapshot of a generation stands. */
const daysOf = { daily: 1, weekly: 7, monthly: 30, yearly: 365 } as const

/**
 * For how many days a snapshot is kept: as long as any of its generations is. Null is for ever, when the policy says
 * nothing. One of no generation that the policy keeps goes after `retentionDays`, and without these after a day.
 */
export function daysKept(generations: Generations, wanted: BackupRetention): number | null {
  const retention = withPreset(wanted)
  const { keepDaily = 0, keepWeekly = 0, keepMonthly = 0, keepYearly = 0, retentionDays } = retention
  const kept = { daily: keepDaily, weekly: keepWeekly, monthly: keepMonthly, yearly: keepYearly }
  if (Object.values(kept).every((count) => count === 0)) return retentionDays ?? null
  const days = (['daily', 'weekly', 'monthly', 'yearly'] as const).map((generation) =>
    generations[generation] ? kept[generation] * daysOf[generation] : 0,
  )
  return Math.max(...days) || (retentionDays ?? 1)
}
