import type { BackupRetention } from '../../../shared/backup-plan.ts'
import { day } from '../../platform/clock.ts'
import type { GfsTag } from './tables.ts'

/** How long snapshots are kept. Pure; days, weeks and months are those of UTC. */

const sunday = 0

/** What a snapshot of this instant counts as: the last one of a day is not known yet, so each is a daily one. */
export function gfsTagsOf(atMs: number, weeklyDay = sunday): GfsTag[] {
  const date = new Date(atMs)
  const isLastOfMonth = new Date(atMs + day).getUTCDate() === 1
  const isLastOfYear = isLastOfMonth && date.getUTCMonth() === 11
  return [
    'daily',
    ...(date.getUTCDay() === weeklyDay ? (['weekly'] as const) : []),
    ...(isLastOfMonth ? (['monthly'] as const) : []),
    ...(isLastOfYear ? (['yearly'] as const) : []),
  ]
}

/** Milliseconds; null for what is kept until somebody removes it. */
export function expiryOf(atMs: number, tags: readonly GfsTag[], retention: BackupRetention): number | null {
  const { keepDaily = 0, keepWeekly = 0, keepMonthly = 0, keepYearly = 0, retentionDays } = retention
  const days = { daily: keepDaily, weekly: keepWeekly * 7, monthly: keepMonthly * 30, yearly: keepYearly * 365 }
  const keepsTags = Object.values(days).some((number) => number > 0)
  if (!keepsTags && retentionDays === undefined) return null
  // What counts as nothing that is kept is there for a day, so that there is a newest one.
  const otherwise = retentionDays ?? 1
  const longest = Math.max(...tags.map((tag) => days[tag]))
  return atMs + (longest || otherwise) * day
}
