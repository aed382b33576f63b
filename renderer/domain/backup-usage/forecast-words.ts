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

/** `what` is full or reached then, such as "The disk". */
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
      sentence:
        bytesPerDay > 0
          ? `At ${bytes(bytesPerDay)} a day, there is room for more than three years.`
          : 'It doesn’t grow at the moment.',
      note: ofDays,
    }
  const days = Math.max(0, (Date.parse(fullAt) - now) / dayMs)
  const between =
    earliestAt && latestAt
      ? `Most likely between ${dateOnly(earliestAt)} and ${dateOnly(latestAt)}.`
      : earliestAt
        ? `Not before ${dateOnly(earliestAt)}; maybe much later.`
        : ''
  return {
    tone: days <= soonDays ? 'bad' : days <= laterDays ? 'warn' : 'good',
    sentence:
      days < 1 ? `${end} now.` : `${end} around ${dateOnly(fullAt)}, at ${bytes(Math.max(0, bytesPerDay))} a day.`,
    note: days < 1 ? 'New backups fail.' : `${between} ${ofDays}`.trim(),
  }
}
