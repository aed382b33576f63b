import type { DateFormat, TimeFormat } from '../../shared/fields.ts'

/** Numbers and times for display. Sizes are binary with their common short names. */

export const dash = '–'

const oneDigit = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

export const count = (value: number): string => whole.format(value)

export const percent = (value: number | null | undefined): string =>
  value === null || value === undefined ? dash : `${whole.format(value)} %`

const sizeUnits = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return dash
  const power = value < 1 ? 0 : Math.min(sizeUnits.length - 1, Math.floor(Math.log2(value) / 10))
  return `${oneDigit.format(value / 1024 ** power)} ${sizeUnits[power]}`
}

/** `+3 GB`, `−1 KB`. */
export const bytesMore = (value: number): string =>
  value === 0 ? bytes(0) : `${value > 0 ? '+' : '−'}${bytes(Math.abs(value))}`

export const megabytes = (value: number | null | undefined): string =>
  bytes(value === null || value === undefined ? null : value * 1024 ** 2)

export const gigabytes = (value: number | null | undefined): string =>
  bytes(value === null || value === undefined ? null : value * 1024 ** 3)

/** From bytes per second. */
export const byteRate = (value: number | null | undefined): string =>
  value === null || value === undefined ? dash : `${bytes(value)}/s`

/** From milliseconds: `240 ms`, `3.4 s`, `2 min 5 s`. Rounded before the unit is chosen. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return dash
  if (Math.round(ms) < 1000) return `${whole.format(ms)} ms`
  if (Math.round(ms / 100) < 600) return `${oneDigit.format(ms / 1000)} s`
  return timeSpan(Math.round(ms / 1000))
}

/** From seconds, in the two largest units: `12 d 4 h`. */
export function timeSpan(seconds: number): string {
  const units: [string, number][] = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
    ['s', 1],
  ]
  const first = units.findIndex(([, size]) => seconds >= size)
  if (first === -1) return '0 s'
  let rest = seconds
  const parts = units.slice(first, first + 2).map(([unit, size]) => {
    const amount = Math.floor(rest / size)
    rest -= amount * size
    return amount > 0 ? `${amount} ${unit}` : ''
  })
  return parts.filter(Boolean).join(' ')
}

const relative = {
  long: new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' }),
  narrow: new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' }),
}
/** The server's clock may be slightly ahead of the browser's. */
const clockSkewMs = 5000
const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
  ['month', 2_629_800_000],
  ['year', 31_557_600_000],
]

/**
 * `3 minutes ago`, `in 2 days`; within a minute `just now` or `in a moment`. Future times are rounded, so that 30
 * days chosen a moment ago read as 30; the unit is chosen after rounding, so that nothing is due in 60 minutes.
 * Narrow, the first is `3m ago`.
 */
export function relativeTime(instant: string, now: number, style: 'long' | 'narrow' = 'long'): string {
  const distance = new Date(instant).getTime() - now
  if (Math.abs(distance) < 60_000) return distance > clockSkewMs ? 'in a moment' : 'just now'
  const whole = distance > 0 ? Math.round : Math.trunc
  const fits = ([, size]: (typeof steps)[number], at: number) =>
    Math.abs(whole(distance / size) * size) < (steps[at + 1]?.[1] ?? Number.POSITIVE_INFINITY)
  const [unit, size] = steps.find(fits) ?? ['year', 31_557_600_000]
  return relative[style].format(whole(distance / size), unit)
}

const hourCycles = { '12h': 'h12', '24h': 'h23' } as const
/** Locales that write dates in each format. */
const writtenAsIn: Record<DateFormat, string> = { 'MM/DD/YYYY': 'en-US', 'DD/MM/YYYY': 'en-GB', 'YYYY-MM-DD': 'en-CA' }
const inDigits = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
const inDigitsOfYear = { month: '2-digit', day: '2-digit' } as const
/** `7:05 PM`, but `07:05`. */
const hourDigits = { h12: 'numeric', h23: '2-digit' } as const

interface FormatPreference {
  dateFormat?: DateFormat | null | undefined
  timeFormat?: TimeFormat | null | undefined
}

function formatsFor({ dateFormat, timeFormat }: FormatPreference) {
  const hourCycle = hourCycles[timeFormat ?? browserTimeFormat()]
  const locale = dateFormat ? writtenAsIn[dateFormat] : undefined
  const day: Intl.DateTimeFormatOptions = dateFormat ? inDigits : { dateStyle: 'medium' }
  const toTheMinute: Intl.DateTimeFormatOptions = { hour: hourDigits[hourCycle], minute: '2-digit' }
  const time: Intl.DateTimeFormatOptions = dateFormat ? { ...toTheMinute, second: '2-digit' } : { timeStyle: 'medium' }
  return {
    exact: new Intl.DateTimeFormat(locale, { ...day, ...time, hourCycle }),
    clock: new Intl.DateTimeFormat(undefined, { ...toTheMinute, hourCycle }),
    time: new Intl.DateTimeFormat(locale, { ...time, hourCycle }),
    monthDay: new Intl.DateTimeFormat(locale, dateFormat ? inDigitsOfYear : { month: 'short', day: 'numeric' }),
    day: new Intl.DateTimeFormat(locale, day),
    calendarDay: new Intl.DateTimeFormat(locale, { ...day, timeZone: 'UTC' }),
  }
}

/** The time format of the browser's locale. */
export function browserTimeFormat(): TimeFormat {
  return new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions().hour12 ? '12h' : '24h'
}

let formats = formatsFor({})
/** Sets the date and time format; what is left out follows the browser. */
export const setFormats = (preference: FormatPreference) => {
  formats = formatsFor(preference)
}
export const exactTime = (instant: string): string => formats.exact.format(new Date(instant))
/** In a column: today only the time, in this year without the year, before only the day. */
export function shortTime(instant: string, now: number): string {
  const [then, today] = [new Date(instant), new Date(now)]
  if (then.toDateString() === today.toDateString()) return formats.time.format(then)
  if (then.getFullYear() !== today.getFullYear()) return formats.day.format(then)
  return `${formats.monthDay.format(then)}, ${formats.clock.format(then)}`
}
/** From one time to another, in a column; of different days or the same minute, only the later one. */
export function shortSpan(since: string, until: string, now: number): string {
  const [from, to] = [new Date(since), new Date(until)]
  if (to.toDateString() !== new Date(now).toDateString() || from.toDateString() !== to.toDateString())
    return shortTime(until, now)
  const isOneMinute = formats.clock.format(from) === formats.clock.format(to)
  return isOneMinute ? shortTime(until, now) : formats.clock.formatRange(from, to)
}
/** To the minute: today only the time, else with the day. */
export function minuteOf(instant: string, now: number): string {
  const [then, today] = [new Date(instant), new Date(now)]
  const clock = formats.clock.format(then)
  return then.toDateString() === today.toDateString() ? clock : `${formats.monthDay.format(then)}, ${clock}`
}
/** Hours and minutes, from milliseconds since the epoch. */
export const timeOfDay = (at: number): string => formats.clock.format(at)
/** A date that is stored as midnight UTC and is the same day everywhere. */
export const calendarDay = (instant: string): string => formats.calendarDay.format(new Date(instant))
export const dateOnly = (instant: string): string => formats.day.format(new Date(instant))

/** `1 device`, `2 devices`. */
export const plural = (amount: number, one: string, many = `${one}s`): string =>
  `${count(amount)} ${amount === 1 ? one : many}`
