import type { UsageForecast } from '../../../shared/api/backup-usage.ts'
import { bytes, dateOnly, plural } from '../../lib/format.ts'
import { dayMs } from '../../lib/now.ts'

export interface ForecastWords {
  tone: 'good' | 'warn' | 'bad' | 'idle'
  /** What to expect. */
  sentence: string
  /** How sure that is. */
  note: string
}

/** Fewer days leave little time to buy a disk. */
export const soonDays = 14
const laterDays = 60

const ofDays = 'Based on the last eight weeks. A large backup or a deletion can change it.'

/** `end` says what happens then, such as “The disk is full”. */
export function forecastWords(forecast: UsageForecast, end: string, now: number): ForecastWords {
  const { trend, daysKnown, bytesPerDay, fullAt, earliestAt, latestAt } = forecast
  if (trend === 'unknown' || bytesPerDay === null)
    return {
      tone: 'idle',
      sentence: 'Too little history for a forecast.',
      note: `${daysKnown === 0 ? 'Nothing is known' : `${plural(daysKnown, 'day')} known`} so far; it takes two weeks.`,
    }
  if (trend === 'steady' || fullAt === null)
    return {
      tone: 'good',
      sentence: bytesPerDay > 0 ? 'Room for more than three years.' : 'It doesn’t grow at the moment.',
      note: bytesPerDay > 0 ? `At ${bytes(bytesPerDay)} a day. ${ofDays}` : ofDays,
    }
  const days = Math.max(0, (Date.parse(fullAt) - now) / dayMs)
  if (days < 1) return { tone: 'bad', sentence: `${end} now.`, note: 'New backups fail.' }
  return {
    tone: days <= soonDays ? 'bad' : days <= laterDays ? 'warn' : 'good',
    sentence: `${end} around ${dateOnly(fullAt)}.`,
    note: `At ${bytes(Math.max(0, bytesPerDay))} a day. ${between(earliestAt, latestAt)}${ofDays}`,
  }
}

function between(earliestAt: string | null, latestAt: string | null): string {
  if (earliestAt === null) return ''
  if (latestAt === null) return `Not before ${dateOnly(earliestAt)}; maybe much later. `
  const [first, last] = [dateOnly(earliestAt), dateOnly(latestAt)]
  return first === last ? '' : `Most likely between ${first} and ${last}. `
}
