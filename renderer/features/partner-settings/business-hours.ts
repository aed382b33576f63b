import { z } from 'zod'
import { type Partner, partnerSettings, timeOfDay } from '../../../shared/api/partners.ts'

type BusinessHours = NonNullable<z.output<typeof partnerSettings.shape.businessHours>>
type Preset = NonNullable<BusinessHours['preset']>
type Hours = NonNullable<BusinessHours['custom']>[string]

export const weekdays = [
  ['mon', 'Monday'],
  ['tue', 'Tuesday'],
  ['wed', 'Wednesday'],
  ['thu', 'Thursday'],
  ['fri', 'Friday'],
  ['sat', 'Saturday'],
  ['sun', 'Sunday'],
] as const
export type Day = (typeof weekdays)[number][0]
export type Week = Record<Day, Required<Hours>>

export const presets: { value: Preset; label: string; description: string }[] = [
  { value: '24/7', label: 'Around the clock', description: 'Every day, all day.' },
  { value: 'business', label: 'Business hours', description: 'Monday to Friday, 9:00 to 17:00.' },
  { value: 'extended', label: 'Extended hours', description: 'Monday to Saturday, 7:00 to 19:00.' },
  { value: 'custom', label: 'Custom hours', description: 'Set for each day.' },
]

const closedDays: Day[] = ['sat', 'sun']

const time = timeOfDay.catch('')
/** Times stored in an old format are shown as empty. */
const storedHours = z
  .object({
    preset: partnerSettings.shape.businessHours.unwrap().shape.preset.catch(undefined),
    custom: z
      .record(z.string(), z.object({ start: time, end: time, closed: z.boolean().optional().catch(undefined) }))
      .catch({}),
  })
  .partial()
  .catch({})

/** Preset and week as stored; other clients may have written full names of days. */
export function hoursOf({ settings }: Pick<Partner, 'settings'>): { preset: Preset | null; custom: Week } {
  const { preset = null, custom = {} } = storedHours.parse(settings.businessHours ?? {})
  const stored = Object.fromEntries(
    Object.entries(custom).map(([day, hours]) => [day.slice(0, 3).toLowerCase(), hours]),
  )
  const isNew = Object.keys(stored).length === 0
  const hoursOn = (day: Day): Required<Hours> => {
    const closed = isNew ? closedDays.includes(day) : !stored[day]
    return { start: '09:00', end: '17:00', closed, ...stored[day] }
  }
  return { preset, custom: Object.fromEntries(weekdays.map(([day]) => [day, hoursOn(day)])) as Week }
}

const isTime = (text: string) => timeOfDay.safeParse(text).success

/** Error in the hours of a day; null if they are valid. */
export function hoursProblem({ start, end, closed }: Required<Hours>): string | null {
  if (closed) return null
  if (!isTime(start) || !isTime(end)) return 'Enter both times'
  return start === end ? 'Start and end are the same' : null
}

/** Whether the hours go past midnight. */
export const isOvernight = (hours: Required<Hours>): boolean =>
  !hours.closed && hoursProblem(hours) === null && hours.end < hours.start
