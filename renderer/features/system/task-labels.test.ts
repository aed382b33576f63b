import { expect, test } from 'vitest'
import { attemptWords, errorWords, progressWords } from './task-labels.ts'

test('the progress of a task is shown as a count, with the total where it is known', () => {
  expect(progressWords({ progress: { done: 1240, total: 4960 } })).toBe('1,240 of 4,960')
  expect(progressWords({ progress: { done: 1240, total: null } })).toBe('1,240')
  expect(progressWords({ progress: { done: 0, total: 0 } })).toBeNull()
  expect(progressWords({ progress: null })).toBeNull()
})

test('attempts are shown where something went wrong', () => {
  expect(attemptWords({ state: 'waiting', attempts: 0 })).toBeNull()
  expect(attemptWords({ state: 'waiting', attempts: 1 })).toBe('1 attempt')
  expect(attemptWords({ state: 'active', attempts: 1 })).toBeNull()
  expect(attemptWords({ state: 'active', attempts: 3 })).toBe('Attempt 3')
  expect(attemptWords({ state: 'failed', attempts: 34 })).toBe('Gave up after 34 attempts')
  expect(attemptWords({ state: 'completed', attempts: 3 })).toBeNull()
})

test('the error of a task is shown until it is completed, and internal_error refers to the log', () => {
  expect(errorWords({ state: 'waiting', error: '451 Later' })).toBe('451 Later')
  expect(errorWords({ state: 'failed', error: 'internal_error' })).toBe(
    'Internal error. See Homeport’s log for details.',
  )
  expect(errorWords({ state: 'completed', error: '451 Later' })).toBeNull()
})
