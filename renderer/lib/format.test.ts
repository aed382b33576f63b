import { expect, test } from 'vitest'
import {
  byteRate,
  bytes,
  calendarDay,
  dash,
  dateOnly,
  duration,
  exactTime,
  gigabytes,
  megabytes,
  minuteOf,
  percent,
  plural,
  relativeTime,
  setFormats,
  shortSpan,
  shortTime,
  timeOfDay,
  timeSpan,
} from './format.ts'

test('sizes climb in steps of 1024', () => {
  expect([bytes(0), bytes(1023), bytes(1024), bytes(1536), bytes(5 * 1024 ** 4)]).toEqual([
    '0 B',
    '1,023 B',
    '1 KB',
    '1.5 KB',
    '5 TB',
  ])
  expect(megabytes(16_384)).toBe('16 GB')
  expect(gigabytes(931.5)).toBe('931.5 GB')
  expect(byteRate(2_097_152)).toBe('2 MB/s')
})

test('an unknown value is a dash, and zero is not unknown', () => {
  expect([bytes(null), megabytes(null), percent(undefined), duration(null), byteRate(null)]).toEqual(
    Array(5).fill(dash),
  )
  expect(percent(0)).toBe('0 %')
})

test('durations choose their unit', () => {
  expect([duration(0), duration(999), duration(3400), duration(125_000)]).toEqual([
    '0 ms',
    '999 ms',
    '3.4 s',
    '2 min 5 s',
  ])
})

test('a duration is rounded before its unit is chosen', () => {
  expect([duration(999.7), duration(59_940), duration(59_960), duration(3_599_600)]).toEqual([
    '1 s',
    '59.9 s',
    '1 min',
    '1 h',
  ])
})

test('a span shows its two largest units', () => {
  expect([timeSpan(0), timeSpan(59), timeSpan(3600), timeSpan(3660), timeSpan(1_050_000)]).toEqual([
    '0 s',
    '59 s',
    '1 h',
    '1 h 1 min',
    '12 d 3 h',
  ])
})

test('relative times of past instants are never rounded up', () => {
  const now = Date.parse('2026-11-21T12:00:00.000Z')
  const ago = (ms: number) => relativeTime(new Date(now - ms).toISOString(), now)
  expect([ago(0), ago(59_999), ago(60_000), ago(119_999), ago(3_599_999), ago(90_000_000)]).toEqual([
    'just now',
    'just now',
    '1 minute ago',
    '1 minute ago',
    '59 minutes ago',
    'yesterday',
  ])
  expect([ago(-5000), ago(-6000), ago(-7_200_000)]).toEqual(['just now', 'in a moment', 'in 2 hours'])
  const day = 86_400_000
  expect([ago(-3_580_000), ago(-23.6 * 3_600_000), ago(-11.9 * 30.4375 * day)]).toEqual([
    'in 1 hour',
    'tomorrow',
    'next year',
  ])
  expect([ago(60_000 - 30 * day), ago(60_000 - 90 * day)]).toEqual(['in 30 days', 'in 3 months'])
})

test('plural', () => {
  expect([plural(1, 'device'), plural(0, 'device'), plural(1200, 'device')]).toEqual([
    '1 device',
    '0 devices',
    '1,200 devices',
  ])
})

test('times of day follow the setting of the user', () => {
  const evening = new Date(2026, 10, 21, 17, 30).getTime()
  setFormats({ timeFormat: '24h' })
  expect(timeOfDay(evening)).toBe('17:30')
  setFormats({ timeFormat: '12h' })
  expect(timeOfDay(evening)).toMatch(/^5:30\sPM$/i)
  setFormats({})
})

test('days are written in the format of the company', () => {
  const instant = new Date(2026, 1, 5, 17, 30, 9).toISOString()
  setFormats({ dateFormat: 'DD/MM/YYYY', timeFormat: '24h' })
  expect(exactTime(instant)).toBe('05/02/2026, 17:30:09')
  expect(calendarDay('2026-02-05T00:00:00.000Z')).toBe('05/02/2026')
  setFormats({ dateFormat: 'MM/DD/YYYY', timeFormat: '12h' })
  expect(exactTime(instant)).toMatch(/^02\/05\/2026, 5:30:09\sPM$/)
  setFormats({ dateFormat: 'YYYY-MM-DD', timeFormat: '24h' })
  expect(exactTime(instant)).toBe('2026-02-05, 17:30:09')
  expect(dateOnly(instant)).toBe('2026-02-05')
  setFormats({})
})

test('a time to the minute has its day unless it is today', () => {
  setFormats({ dateFormat: 'DD/MM/YYYY', timeFormat: '24h' })
  const now = new Date(2026, 10, 23, 16, 5).getTime()
  const short = (...parts: [number, number, number, number, number]) => minuteOf(new Date(...parts).toISOString(), now)
  expect([short(2026, 10, 23, 23, 59), short(2026, 10, 24, 0, 13)]).toEqual(['23:59', '24/11, 00:13'])
  setFormats({})
})

test('a time in a column has no more than tells it from others', () => {
  setFormats({ dateFormat: 'DD/MM/YYYY', timeFormat: '24h' })
  const now = new Date(2026, 10, 23, 16, 5).getTime()
  const short = (...parts: [number, number, number, number, number, number]) =>
    shortTime(new Date(...parts).toISOString(), now)
  expect(short(2026, 10, 23, 0, 0, 7)).toBe('00:00:07')
  expect(short(2026, 10, 22, 23, 59, 7)).toBe('22/11, 23:59')
  expect(short(2025, 10, 23, 16, 5, 0)).toBe('23/11/2025')
  const span = (from: number, to: number, day = 23) =>
    shortSpan(new Date(2026, 10, 23, from).toISOString(), new Date(2026, 10, day, to).toISOString(), now)
  expect(span(9, 14)).toMatch(/^09:00\s–\s14:00$/)
  expect([span(9, 9), span(9, 14, 22)]).toEqual(['09:00:00', '22/11, 14:00'])
  setFormats({})
})
