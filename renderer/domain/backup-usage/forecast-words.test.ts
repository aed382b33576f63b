import { expect, test } from 'vitest'
import type { UsageForecast } from '../../../shared/api/backup-usage.ts'
import { forecastWords } from './forecast-words.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const gigabyte = 1024 ** 3
const growing: UsageForecast = {
  trend: 'growing',
  daysKnown: 50,
  bytesPerDay: 3 * gigabyte,
  fullAt: '2026-03-11T12:00:00.000Z',
  earliestAt: '2026-03-10T12:00:00.000Z',
  latestAt: '2026-03-14T12:00:00.000Z',
}
const words = (change: Partial<UsageForecast>) => forecastWords({ ...growing, ...change }, 'The disk is full', now)

test('says when, how fast, and between which days', () => {
  const { tone, sentence, note } = words({})
  expect([tone, sentence]).toEqual(['bad', 'The disk is full around Mar 11, 2026.'])
  expect(note).toMatch(/^At 3 GB a day\. Most likely between Mar 10, 2026 and Mar 14, 2026\. /)
})

test('the less time is left, the more it stands out', () => {
  expect(words({ fullAt: '2026-04-10T12:00:00.000Z' }).tone).toBe('warn')
  expect(words({ fullAt: '2027-04-10T12:00:00.000Z' }).tone).toBe('good')
  expect(words({ fullAt: new Date(now).toISOString() })).toMatchObject({
    tone: 'bad',
    sentence: 'The disk is full now.',
  })
})

test('says what it does not know', () => {
  expect(words({ latestAt: null }).note).toMatch(/Not before Mar 10, 2026; maybe much later\./)
  const none = { fullAt: null, earliestAt: null, latestAt: null }
  expect(words({ ...none, trend: 'unknown', daysKnown: 9, bytesPerDay: null })).toMatchObject({
    tone: 'idle',
    sentence: 'Too little history for a forecast.',
    note: '9 days known so far; it takes two weeks.',
  })
  expect(words({ latestAt: growing.earliestAt }).note, 'one day is no range').toMatch(/^At 3 GB a day\. Based on/)
  expect(words({ ...none, trend: 'steady', bytesPerDay: -5 }).sentence).toBe('It doesn’t grow at the moment.')
  expect(words({ ...none, trend: 'steady', bytesPerDay: 1024 }).sentence).toMatch(/more than three years/)
})
