import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BackupSchedule } from '../../../shared/backup-plan.ts'
import { isWithinWindow, latestOccurrence, nextOccurrence, occurrencesAround } from './schedule.ts'

const daily = (time: string, more: Partial<BackupSchedule> = {}): BackupSchedule => ({
  frequency: 'daily',
  time,
  ...more,
})
const ms = (instant: string) => Date.parse(instant)
const shown = (found: { key: string; at: number } | null) => found && [found.key, new Date(found.at).toISOString()]

const latest = (schedule: BackupSchedule, zone: string, at: string) => shown(latestOccurrence(schedule, zone, ms(at)))
const next = (schedule: BackupSchedule, zone: string, at: string) => shown(nextOccurrence(schedule, zone, ms(at)))

describe('days, weeks and months', () => {
  test.each([
    ['2026-11-24T01:29:59.999Z', '2026-11-23T02:30', '2026-11-24T02:30'],
    ['2026-11-24T01:30:00.000Z', '2026-11-24T02:30', '2026-11-25T02:30'],
    ['2026-11-24T23:30:00.000Z', '2026-11-24T02:30', '2026-11-25T02:30'],
  ])('daily at 02:30 in Berlin, seen at %s', (at, before, after) => {
    expect(latest(daily('02:30'), 'Europe/Berlin', at)?.[0]).toBe(before)
    expect(next(daily('02:30'), 'Europe/Berlin', at)?.[0]).toBe(after)
  })

  test('weekly on Wednesday; on Sunday when no day is given', () => {
    const weekly: BackupSchedule = { frequency: 'weekly', time: '22:00', dayOfWeek: 3 }
    // 2026-11-24 is a Tuesday.
    expect(latest(weekly, 'UTC', '2026-11-24T12:00:00.000Z')).toEqual(['2026-11-18T22:00', '2026-11-18T22:00:00.000Z'])
    expect(next(weekly, 'UTC', '2026-11-24T12:00:00.000Z')).toEqual(['2026-11-25T22:00', '2026-11-25T22:00:00.000Z'])
    const { dayOfWeek: _, ...unsaid } = weekly
    expect(next(unsaid, 'UTC', '2026-11-24T12:00:00.000Z')?.[0]).toBe('2026-11-29T22:00')
  })

  test('monthly on the 28th, over the end of the year; on the first when no day is given', () => {
    const monthly: BackupSchedule = { frequency: 'monthly', time: '03:00', dayOfMonth: 28 }
    expect(next(monthly, 'UTC', '2026-12-28T03:00:00.000Z')?.[0]).toBe('2027-01-28T03:00')
    expect(latest(monthly, 'UTC', '2027-01-28T02:59:00.000Z')?.[0]).toBe('2026-12-28T03:00')
    expect(next({ frequency: 'monthly', time: '03:00' }, 'UTC', '2027-02-01T04:00:00.000Z')?.[0]).toBe(
      '2027-03-01T03:00',
    )
  })

  test('the date is that of the place, on either side of the date line', () => {
    expect(latest(daily('00:10'), 'Pacific/Kiritimati', '2026-11-24T10:15:00.000Z')).toEqual([
      '2026-11-25T00:10',
      '2026-11-24T10:10:00.000Z',
    ])
    expect(latest(daily('23:50'), 'Pacific/Pago_Pago', '2026-11-25T10:55:00.000Z')).toEqual([
      '2026-11-24T23:50',
      '2026-11-25T10:50:00.000Z',
    ])
  })
})

describe('clock changes', () => {
  test('in spring a time that does not exist runs at the first valid minute after the gap', () => {
    // 02:00 becomes 03:00 at 01:00 UTC.
    const run = ['2027-03-28T02:30', '2027-03-28T01:00:00.000Z']
    expect(next(daily('02:30'), 'Europe/Berlin', '2027-03-27T12:00:00.000Z')).toEqual(run)
    expect(latest(daily('02:30'), 'Europe/Berlin', '2027-03-28T01:00:00.000Z')).toEqual(run)
    expect(latest(daily('02:30'), 'Europe/Berlin', '2027-03-28T00:59:00.000Z')?.[0]).toBe('2027-03-27T02:30')
    expect(next(daily('02:30'), 'Europe/Berlin', '2027-03-28T01:00:00.000Z')?.[0]).toBe('2027-03-29T02:30')
  })

  test('in autumn a repeated time runs once, at its first', () => {
    // 03:00 becomes 02:00 at 01:00 UTC: 02:30 is at 00:30 and at 01:30.
    const run = ['2026-10-25T02:30', '2026-10-25T00:30:00.000Z']
    expect(next(daily('02:30'), 'Europe/Berlin', '2026-10-24T12:00:00.000Z')).toEqual(run)
    expect(latest(daily('02:30'), 'Europe/Berlin', '2026-10-25T01:31:00.000Z')).toEqual(run)
    expect(next(daily('02:30'), 'Europe/Berlin', '2026-10-25T00:31:00.000Z')?.[0]).toBe('2026-10-26T02:30')
  })

  test('a gap at midnight, of half an hour, and of a whole day', () => {
    // Beirut skips 00:00 to 01:00 on the day of the change.
    expect(next(daily('00:00'), 'Asia/Beirut', '2027-03-27T12:00:00.000Z')).toEqual([
      '2027-03-28T00:00',
      '2027-03-27T22:00:00.000Z',
    ])
    // Lord Howe moves by half an hour at 02:00.
    expect(next(daily('02:15'), 'Australia/Lord_Howe', '2026-10-03T00:00:00.000Z')).toEqual([
      '2026-10-04T02:15',
      '2026-10-03T15:30:00.000Z',
    ])
    // Samoa had no 30 December 2011.
    expect(latest(daily('12:00'), 'Pacific/Apia', '2011-12-30T11:00:00.000Z')).toEqual([
      '2011-12-30T12:00',
      '2011-12-30T10:00:00.000Z',
    ])
  })
})

describe('windows', () => {
  test.each([
    ['02:30', '01:00', '05:00', true],
    ['01:00', '01:00', '05:00', true],
    ['05:00', '01:00', '05:00', true],
    ['05:01', '01:00', '05:00', false],
    ['23:00', '22:00', '05:00', true],
    ['04:00', '22:00', '05:00', true],
    ['12:00', '22:00', '05:00', false],
    ['12:00', '00:00', '00:00', true],
    ['12:00', undefined, '11:59', false],
    ['12:00', '12:01', undefined, false],
    ['12:00', undefined, undefined, true],
  ])('%s between %s and %s: %s', (time, windowStart, windowEnd, isWithin) => {
    const schedule = daily(time, { ...(windowStart && { windowStart }), ...(windowEnd && { windowEnd }) })
    expect(isWithinWindow(schedule)).toBe(isWithin)
  })

  test('a schedule whose time is outside its window never runs', () => {
    const never = daily('12:00', { windowStart: '22:00', windowEnd: '05:00' })
    expect(latest(never, 'UTC', '2026-11-24T12:00:00.000Z')).toBeNull()
    expect(next(never, 'UTC', '2026-11-24T12:00:00.000Z')).toBeNull()
  })
})

const anySchedule: fc.Arbitrary<BackupSchedule> = fc.record({
  frequency: fc.constantFrom('daily', 'weekly', 'monthly'),
  time: fc.tuple(fc.nat(23), fc.nat(59)).map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':')),
  dayOfWeek: fc.nat(6),
  dayOfMonth: fc.integer({ min: 1, max: 28 }),
})
const anyZone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Beirut',
  'Pacific/Kiritimati',
)
const anyInstant = fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })

test('the runs around any instant follow each other without a gap, and the latest is what the next one was', () => {
  fc.assert(
    fc.property(anySchedule, anyZone, anyInstant, (schedule, zone, instant) => {
      const at = instant.getTime()
      const before = latestOccurrence(schedule, zone, at)
      const after = nextOccurrence(schedule, zone, at)
      if (!before || !after) throw new Error('it has no window')
      expect(before.at).toBeLessThanOrEqual(at)
      expect(after.at).toBeGreaterThan(at)
      expect(nextOccurrence(schedule, zone, before.at)).toEqual(after)
      expect(latestOccurrence(schedule, zone, after.at)).toEqual(after)
      const around = occurrencesAround(at)(schedule, zone)
      expect(around).toEqual({ previous: latestOccurrence(schedule, zone, before.at - 1), latest: before, next: after })
      expect(nextOccurrence(schedule, zone, around.previous?.at ?? 0)).toEqual(before)
    }),
  )
})
