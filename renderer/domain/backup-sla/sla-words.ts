import type { SlaConfig, SlaEvent, SlaEventType } from '../../../shared/api/backup-sla.ts'
import { plural, timeSpan } from '../../lib/format.ts'

/** How breaches of what is promised about backups read. */

const minutesPer = { minutes: 1, hours: 60, days: 1440 } as const
export type TimeUnit = keyof typeof minutesPer

export const minutesIn = (amount: number, unit: TimeUnit): number => amount * minutesPer[unit]

/** In the largest unit without a remainder; a single day is 24 hours. */
export function inUnit(minutes: number): { amount: number; unit: TimeUnit } {
  if (minutes % minutesPer.days === 0 && minutes > minutesPer.days)
    return { amount: minutes / minutesPer.days, unit: 'days' }
  if (minutes % minutesPer.hours === 0) return { amount: minutes / minutesPer.hours, unit: 'hours' }
  return { amount: minutes, unit: 'minutes' }
}

/** `24 hours`, `2 days`. */
export function minutesWords(minutes: number): string {
  const { amount, unit } = inUnit(minutes)
  return plural(amount, unit.slice(0, -1))
}

/** `3 d 4 h`. */
const about = (minutes: number): string => (minutes < 1 ? 'less than a minute' : timeSpan(minutes * 60))

export const eventNames: Record<SlaEventType, string> = {
  rpo_breach: 'Backup too old',
  rto_breach: 'Restore too slow',
  missed_backup: 'Backup missed',
}

/** What was found, beside what is promised. */
export function foundWords({ eventType, details }: Pick<SlaEvent, 'eventType' | 'details'>): string {
  const { rpoTargetMinutes, actualMinutes, rtoTargetMinutes, estimatedRtoMinutes } = details
  switch (eventType) {
    case 'rpo_breach':
      return typeof actualMinutes === 'number'
        ? `Newest backup was ${about(actualMinutes)} old, at most ${minutesWords(rpoTargetMinutes ?? 0)} allowed`
        : `No backup yet, one every ${minutesWords(rpoTargetMinutes ?? 0)} promised`
    case 'rto_breach':
      return `A restore would take ${about(estimatedRtoMinutes ?? 0)}, at most ${minutesWords(rtoTargetMinutes ?? 0)} promised`
    case 'missed_backup':
      return `Scheduled, but none succeeded within ${minutesWords(rpoTargetMinutes ?? 0)}`
  }
}

/** What to do about everything that is wrong with one device. */
export function breachAdvice(events: readonly Pick<SlaEvent, 'eventType' | 'details'>[]): string {
  const has = (type: SlaEventType) => events.some(({ eventType }) => eventType === type)
  if (has('missed_backup'))
    return 'See why its backups fail, or whether it was turned off and disconnected when they were due.'
  if (has('rpo_breach')) {
    const hasNone = events.some(({ eventType, details }) => eventType === 'rpo_breach' && details.lastBackupAt === null)
    return hasNone
      ? 'Check that a policy protects it, and back it up now.'
      : 'Back it up now, or have its policy do so more often.'
  }
  return 'Protect less of it, or keep a copy closer to it, so that a restore is faster.'
}

/** `All protected devices`, `3 devices and 1 group`. */
export function targetsWords({
  targetDevices,
  targetGroups,
}: Pick<SlaConfig, 'targetDevices' | 'targetGroups'>): string {
  const parts = [
    ...(targetDevices.length > 0 ? [plural(targetDevices.length, 'device')] : []),
    ...(targetGroups.length > 0 ? [plural(targetGroups.length, 'group')] : []),
  ]
  return parts.length === 0 ? 'All protected devices' : parts.join(' and ')
}
