import { Temporal } from 'temporal-polyfill'
import type { BackupSchedule } from '../../../shared/backup-plan.ts'

/** When a schedule runs. Pure: everything it depends on is an argument. */

/** One run. A local time that a clock change repeats has one key, so that it runs once. */
export interface Occurrence {
  /** The local time that the schedule names, `YYYY-MM-DDTHH:MM`, also where the clock skipped it. */
  key: string
  /** Milliseconds since 1970. */
  at: number
}

type Dates = Pick<BackupSchedule, 'frequency' | 'dayOfWeek' | 'dayOfMonth'>

/** The latest run at or before an instant; null for a schedule that never runs. */
export function latestOccurrence(schedule: BackupSchedule, timeZone: string, atMs: number): Occurrence | null {
  if (!isWithinWindow(schedule)) return null
  // A run that the clock skipped begins up to a day later than its date says.
  let date = latestDate(schedule, dateAt(timeZone, atMs).add({ days: 1 }))
  for (;;) {
    const occurrence = occurrenceOn(schedule, timeZone, date)
    if (occurrence.at <= atMs) return occurrence
    date = latestDate(schedule, date.subtract({ days: 1 }))
  }
}

/** The first run after an instant; null for a schedule that never runs. */
export function nextOccurrence(schedule: BackupSchedule, timeZone: string, atMs: number): Occurrence | null {
  if (!isWithinWindow(schedule)) return null
  let date = firstDate(schedule, dateAt(timeZone, atMs).subtract({ days: 1 }))
  for (;;) {
    const occurrence = occurrenceOn(schedule, timeZone, date)
    if (occurrence.at > atMs) return occurrence
    date = firstDate(schedule, date.add({ days: 1 }))
  }
}

/** Whether the time lies in the window. Both ends belong to it; equal ends are the whole day. */
export function isWithinWindow({ time, windowStart, windowEnd }: BackupSchedule): boolean {
  const [from, to] = [windowStart ?? '00:00', windowEnd ?? '23:59']
  if (from === to) return true
  return from < to ? from <= time && time <= to : from <= time || time <= to
}

function occurrenceOn({ time }: BackupSchedule, timeZone: string, date: Temporal.PlainDate): Occurrence {
  const local = date.toPlainDateTime(Temporal.PlainTime.from(time))
  const key = local.toString({ smallestUnit: 'minute' })
  // Of a repeated time the earlier one; a time that does not exist is moved past the gap.
  const run = local.toZonedDateTime(timeZone, { disambiguation: 'compatible' })
  if (run.toPlainDateTime().equals(local)) return { key, at: run.epochMilliseconds }
  // `previous` is before, and the run may be at the very end of the gap.
  const endOfGap = run.add({ nanoseconds: 1 }).getTimeZoneTransition('previous') ?? run
  return { key, at: endOfGap.epochMilliseconds }
}

/** The latest date of the schedule that is not after this one. */
function latestDate({ frequency, dayOfWeek = 0, dayOfMonth = 1 }: Dates, date: Temporal.PlainDate): Temporal.PlainDate {
  if (frequency === 'daily') return date
  if (frequency === 'weekly') return date.subtract({ days: (7 + (date.dayOfWeek % 7) - dayOfWeek) % 7 })
  const inMonth = date.with({ day: dayOfMonth })
  return date.day >= dayOfMonth ? inMonth : inMonth.subtract({ months: 1 })
}

/** The first date of the schedule that is not before this one. */
function firstDate({ frequency, dayOfWeek = 0, dayOfMonth = 1 }: Dates, date: Temporal.PlainDate): Temporal.PlainDate {
  if (frequency === 'daily') return date
  if (frequency === 'weekly') return date.add({ days: (7 + dayOfWeek - (date.dayOfWeek % 7)) % 7 })
  const inMonth = date.with({ day: dayOfMonth })
  return date.day <= dayOfMonth ? inMonth : inMonth.add({ months: 1 })
}

const dateAt = (timeZone: string, atMs: number): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timeZone).toPlainDate()

/** The runs next to an instant. */
export interface Around {
  /** The one before the latest. */
  previous: Occurrence | null
  latest: Occurrence | null
  next: Occurrence | null
}

/** Runs of many devices around one instant: most of them share schedule and time zone, which are computed once. */
export function occurrencesAround(atMs: number) {
  const known = new Map<BackupSchedule, Map<string, Around>>()
  return (schedule: BackupSchedule, timeZone: string): Around => {
    const byZone = known.get(schedule) ?? new Map<string, Around>()
    known.set(schedule, byZone)
    const found = byZone.get(timeZone)
    if (found) return found
    const latest = latestOccurrence(schedule, timeZone, atMs)
    const previous = latest && latestOccurrence(schedule, timeZone, latest.at - 1)
    const runs = { previous, latest, next: nextOccurrence(schedule, timeZone, atMs) }
    byZone.set(timeZone, runs)
    return runs
  }
}
