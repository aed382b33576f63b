import type { BackupSchedule } from '../../../shared/backup-plan.ts'
import { timeOfDay } from '../../lib/format.ts'

/** From Sunday, as schedules count. */
export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

/** `02:30`, or `2:30 AM` for people who write it so. */
export function clockTime(time: string): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return timeOfDay(new Date(2000, 0, 1, hour, minute).getTime())
}

export function ordinal(day: number): string {
  const endings = { one: 'st', two: 'nd', few: 'rd', other: 'th' } as const
  const rule = new Intl.PluralRules('en', { type: 'ordinal' }).select(day)
  return `${day}${rule === 'one' || rule === 'two' || rule === 'few' ? endings[rule] : endings.other}`
}

/** “every day at 02:30”. */
export function scheduleWords({ frequency, time, dayOfWeek = 0, dayOfMonth = 1 }: BackupSchedule): string {
  const at = `at ${clockTime(time)}`
  if (frequency === 'daily') return `every day ${at}`
  if (frequency === 'weekly') return `every ${weekdays[dayOfWeek]} ${at}`
  return `on the ${ordinal(dayOfMonth)} of each month ${at}`
}

/** Whose time it is: that of a zone, or of the site of each device. */
export const zoneWords = ({ timezone }: Pick<BackupSchedule, 'timezone'>): string =>
  timezone ? `in the time zone ${timezone.replaceAll('_', ' ')}` : 'in the time zone of each site'
