import { expect, test } from 'vitest'
import { breachAdvice, foundWords, inUnit, minutesIn, minutesWords, targetsWords } from './sla-words.ts'

test('promised times are said in the largest unit without a remainder', () => {
  expect([1, 90, 60, 1440, 2880, 1500].map(minutesWords)).toEqual([
    '1 minute',
    '90 minutes',
    '1 hour',
    '24 hours',
    '2 days',
    '25 hours',
  ])
  for (const minutes of [1, 90, 60, 1440, 2880]) {
    const { amount, unit } = inUnit(minutes)
    expect(minutesIn(amount, unit)).toBe(minutes)
  }
})

test('a breach says what was found and what is promised', () => {
  const old = {
    eventType: 'rpo_breach',
    details: { rpoTargetMinutes: 1440, actualMinutes: 1500, lastBackupAt: 'x' },
  } as const
  expect(foundWords(old)).toBe('Newest backup was 1 d 1 h old, at most 24 hours allowed')
  const none = {
    eventType: 'rpo_breach',
    details: { rpoTargetMinutes: 60, actualMinutes: null, lastBackupAt: null },
  } as const
  expect(foundWords(none)).toBe('No backup yet, one every 1 hour promised')
  const slow = { eventType: 'rto_breach', details: { rtoTargetMinutes: 60, estimatedRtoMinutes: 75 } } as const
  expect(foundWords(slow)).toBe('A restore would take 1 h 15 min, at most 1 hour promised')
  const missed = { eventType: 'missed_backup', details: { rpoTargetMinutes: 60 } } as const
  expect(foundWords(missed)).toBe('Scheduled, but none succeeded within 1 hour')
  expect(breachAdvice([old, missed])).toMatch(/turned off/)
  expect(breachAdvice([none])).toMatch(/policy protects it/)
  expect(breachAdvice([old])).toMatch(/more often/)
  expect(breachAdvice([slow])).toMatch(/faster/)
})

test('targets are counted', () => {
  expect(targetsWords({ targetDevices: [], targetGroups: [] })).toBe('All protected devices')
  expect(targetsWords({ targetDevices: ['a', 'b'], targetGroups: ['c'] })).toBe('2 devices and 1 group')
})
