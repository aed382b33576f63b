import { expect, test } from 'vitest'
import { scheduleWords } from './schedule-words.ts'

test('a schedule is said in words, and stays as it is where they would be wrong', () => {
  const words = {
    '*/20 * * * * *': 'Every 20 seconds',
    '45 * * * * *': 'Every minute',
    '40 */5 * * * *': 'Every 5 minutes',
    '0 5 * * * *': 'Every hour',
    '0 0 */6 * * *': 'Every 6 hours',
    '0 10 2 * * *': 'Every day',
    '0 10 2 * * 1': '0 10 2 * * 1',
    '0 10 2,14 * * *': '0 10 2,14 * * *',
  }
  for (const [schedule, expected] of Object.entries(words)) expect(scheduleWords(schedule)).toBe(expected)
})
