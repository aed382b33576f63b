import { expect, test } from 'vitest'
import type { BackupRetention, BackupSchedule } from '../../../shared/backup-plan.ts'
import { choiceOf, newRetention, retentionFor } from './retention-choice.ts'
import { agesAfter, agesWords, hasGaps } from './retention-picture.ts'
import { retentionWords } from './retention-words.ts'
import { ordinal, scheduleWords, zoneWords } from './schedule-words.ts'

const daily: BackupSchedule = { frequency: 'daily', time: '02:30' }
const weekly: BackupSchedule = { frequency: 'weekly', time: '23:00', dayOfWeek: 6 }
const monthly: BackupSchedule = { frequency: 'monthly', time: '12:00', dayOfMonth: 3 }
/** A Tuesday. */
const start = Date.parse('2026-11-24T02:30:00.000Z')

test('a schedule reads as people say it', () => {
  expect(scheduleWords(daily)).toMatch(/^every day at 0?2:30/)
  expect(scheduleWords(weekly)).toMatch(/^every Saturday at /)
  expect(scheduleWords({ ...weekly, dayOfWeek: undefined })).toMatch(/^every Sunday at /)
  expect(scheduleWords(monthly)).toMatch(/^on the 3rd of each month at 12:00/)
  expect([1, 2, 11, 12, 13, 21, 22, 28].map(ordinal)).toEqual([
    '1st',
    '2nd',
    '11th',
    '12th',
    '13th',
    '21st',
    '22nd',
    '28th',
  ])
  expect(zoneWords(daily)).toBe('in the time zone of each site')
  expect(zoneWords({ timezone: 'America/New_York' })).toBe('in the time zone America/New York')
})

test.each<[BackupRetention, string]>([
  [{ preset: 'standard' }, 'daily for 7 days, weekly for 4 weeks and monthly for 3 months'],
  [{ keepDaily: 1 }, 'daily for 1 day'],
  [{ preset: 'standard', retentionDays: 90 }, 'for 90 days'],
  [{ retentionDays: 730 }, 'for 2 years'],
  [{ retentionDays: 30, maxVersions: 5 }, 'for 30 days, at most 5 versions'],
  [{}, 'forever'],
])('%j is kept %s', (retention, words) => {
  expect(retentionWords(retention)).toBe(words)
})

test('after a week each day is there, after a month the Sundays too, after a year the ends of months', () => {
  const ages = (days: number) => agesAfter(days, { preset: 'standard' }, daily, start)
  expect(ages(0)).toEqual([0])
  // Of the eighth day the first is gone, which is a Tuesday.
  expect(ages(7)).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(agesWords(ages(7))).toBe('7 snapshots, the oldest 6 days old')
  const datesAfter = (days: number) =>
    ages(days).map((age) => new Date(start + (days - age) * 86_400_000).toISOString().slice(0, 10))
  // 2026-12-24, a Thursday: six days and today, the Sundays of four weeks, and the end of November.
  expect(datesAfter(30)).toEqual([
    ...['2026-12-24', '2026-12-23', '2026-12-22', '2026-12-21', '2026-12-20', '2026-12-19', '2026-12-18'],
    ...['2026-12-13', '2026-12-06', '2026-11-30', '2026-11-29'],
  ])
  expect(datesAfter(365).slice(-3)).toEqual(['2027-10-31', '2027-09-30', '2027-08-31'])
})

test('a schedule that is not daily is kept for a time, so that no snapshot falls between the generations', () => {
  for (const schedule of [weekly, monthly])
    for (const keep of ['standard', 'extended', 'compliance'] as const) {
      const retention = retentionFor({ ...newRetention, keep }, schedule.frequency)
      for (const days of [7, 30, 90, 365]) expect(agesAfter(days, retention, schedule, start).length).toBeGreaterThan(0)
      expect(hasGaps(retention, schedule)).toBe(false)
    }
  expect(agesAfter(30, retentionFor(newRetention, 'weekly'), weekly, start)).toEqual([5, 12, 19, 26, 30])
})

test('numbers with which a snapshot goes before the next one comes are noticed', () => {
  expect(hasGaps({ preset: 'standard' }, daily)).toBe(false)
  expect(hasGaps({ preset: 'standard' }, monthly)).toBe(true)
  expect(hasGaps({ retentionDays: 20 }, monthly)).toBe(true)
  expect(hasGaps({}, monthly)).toBe(false)
  expect(hasGaps({ keepWeekly: 4 }, weekly)).toBe(true)
})

test('a stored retention is the choice that made it; other numbers are one’s own', () => {
  for (const frequency of ['daily', 'weekly', 'monthly'] as const)
    for (const keep of ['standard', 'extended', 'compliance', 'custom'] as const) {
      const made = retentionFor({ ...newRetention, keep }, frequency)
      expect(retentionFor(choiceOf(made, frequency), frequency)).toEqual(made)
      expect(choiceOf(made, frequency).keep).toBe(keep)
    }
  expect(choiceOf({ preset: 'standard', keepDaily: 9 }, 'daily')).toMatchObject({
    keep: 'custom',
    own: { keepDaily: 9 },
  })
  expect(choiceOf({ retentionDays: 12 }, 'weekly')).toMatchObject({ keep: 'custom', own: { retentionDays: 12 } })
})
