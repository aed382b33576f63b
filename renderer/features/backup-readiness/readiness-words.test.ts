import { expect, test } from 'vitest'
import type { BackupHealth } from '../../../shared/api/backup-readiness.ts'
import { bandOf, healthWords, lossWords, restoreTimeWords } from './readiness-words.ts'

const now = Date.parse('2026-03-02T10:00:00.000Z')
const reached = { estimatedRtoMinutes: null, newestBackupAt: null }

test.each([
  [0, 'low'],
  [69, 'low'],
  [70, 'medium'],
  [84, 'medium'],
  [85, 'high'],
  [100, 'high'],
])('a score of %i is %s', (score, band) => {
  expect(bandOf(score)).toBe(band)
})

test('what is not known about a restore is not made up', () => {
  expect(restoreTimeWords(reached)).toBe('Not measured yet')
  expect(restoreTimeWords({ ...reached, estimatedRtoMinutes: 0 })).toBe('About 1 min')
  expect(restoreTimeWords({ ...reached, estimatedRtoMinutes: 125 })).toBe('About 2 h 5 min')
})

test.each([
  [null, 'Everything: no backup yet'],
  ['2026-03-02T10:00:30.000Z', 'Less than a minute'],
  ['2026-03-02T07:55:00.000Z', 'The last 2 h 5 min'],
  ['2026-02-20T10:00:00.000Z', 'The last 10 d'],
])('what would be lost when the newest backup was at %s', (newestBackupAt, words) => {
  expect(lossWords({ ...reached, newestBackupAt }, now)).toBe(words)
})

const health = (some: Partial<BackupHealth>): BackupHealth => ({
  status: 'healthy',
  verification: { total: 0, passedLast24h: 0, failedLast24h: 0, partialLast24h: 0, coveragePercent: 100 },
  readiness: { averageScore: 90, lowReadinessCount: 0, criticalDevicesAtRisk: 0 },
  escalations: { verificationFailures: 0, criticalVerificationFailures: 0 },
  ...some,
})

test('a failed check is said even where the organization counts as healthy', () => {
  expect(healthWords(health({})).words).toMatch(/^All protected devices/)
  const one = { verificationFailures: 1, criticalVerificationFailures: 0 }
  expect(healthWords(health({ escalations: one })).words).toMatch(/a check failed on 1 device/)
})
