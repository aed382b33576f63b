import type { BackupRetention, BackupSchedule } from '../../../shared/backup-plan.ts'
import { daysKept, generationsOf } from '../../../shared/backup-retention.ts'
import { plural } from '../../lib/format.ts'

/** Which snapshots there will be, by the rules of the server. Pure. */

const dayMs = 86_400_000

type Dates = Pick<BackupSchedule, 'frequency' | 'dayOfWeek' | 'dayOfMonth'>

function isDue(atMs: number, { frequency, dayOfWeek = 0, dayOfMonth = 1 }: Dates): boolean {
  const date = new Date(atMs)
  if (frequency === 'weekly') return date.getUTCDay() === dayOfWeek
  return frequency === 'daily' || date.getUTCDate() === dayOfMonth
}

/** The ages, in days, of the snapshots there are `days` after the first backup, which is made immediately; the newest first. */
export function agesAfter(days: number, retention: BackupRetention, schedule: Dates, startMs: number): number[] {
  const ages: number[] = []
  for (let age = 0; age <= days; age++) {
    const takenMs = startMs + (days - age) * dayMs
    const isTaken = age === days || isDue(takenMs, schedule)
    const kept = daysKept(generationsOf(takenMs, retention), retention)
    if (isTaken && (kept === null || age < kept)) ages.push(age)
  }
  return ages
}

const ofNoGeneration = { daily: true, weekly: false, monthly: false, yearly: false } as const
const longestInterval = { daily: 1, weekly: 7, monthly: 31 }

/** Whether a snapshot may be deleted before the next one is made. */
export function hasGaps(retention: BackupRetention, { frequency }: Dates): boolean {
  const kept = daysKept(ofNoGeneration, retention)
  return kept !== null && kept < longestInterval[frequency]
}

/** “21 snapshots, the oldest from 4 weeks before”. */
export function agesWords(ages: readonly number[]): string {
  const oldest = ages.at(-1)
  if (oldest === undefined) return 'no snapshot'
  return `${plural(ages.length, 'snapshot')}, the oldest ${ageWords(oldest)}`
}

function ageWords(days: number): string {
  if (days === 0) return 'from that day'
  if (days < 14) return `${plural(days, 'day')} old`
  if (days < 60) return `${plural(Math.floor(days / 7), 'week')} old`
  return days < 365 ? `${plural(Math.floor(days / 30), 'month')} old` : `${plural(Math.floor(days / 365), 'year')} old`
}
