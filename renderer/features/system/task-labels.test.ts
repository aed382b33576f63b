import { expect, test } from 'vitest'
import { attemptWords, errorWords, progressWords } from './task-labels.ts'

test('how far a task is, if it counts at all', () => {
  expect(progressWords({ progress: { done: 1240, total: 4960 } })).toBe('1,240 of 4,960')
  expect(progressWords({ progress: { done: 1240, total: null } })).toBe('1,240')
  expect(progressWords({ progress: { done: 0, total: 0 } })).toBeNull()
  expect(progressWords({ progress: null })).toBeNull()
})

test('attempts are told where something went wrong', () => {
  expect(attemptWords({ state: 'waiting', attempts: 0 })).toBeNull()
  expect(attemptWords({ state: 'waiting', attempts: 1 })).toBe('1 attempt')
  expect(attemptWords({ state: 'active', attempts: 1 })).toBeNull()
  expect(attemptWords({ state: 'active', attempts: 3 })).toBe('Attempt 3')
  expect(attemptWords({ state: 'failed', attempts: 34 })).toBe('Given up after 34 attempts')
  expect(attemptWords({ state: 'completed', attempts: 3 })).toBeNull()
})

test('an error is told until the task is done; what nobody has put into words is in the log', () => {
  expect(errorWords({ state: 'waiting', error: '451 Later' })).toBe('451 Later')
  expect(errorWords({ state: 'failed', error: 'internal_error' })).toBe(
    'Homeport ran into an internal error. Its log tells more.',
  )
  expect(errorWords({ state: 'completed', error: '451 Later' })).toBeNull()
})
