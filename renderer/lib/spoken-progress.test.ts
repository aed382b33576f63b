import { expect, test } from 'vitest'
import { spokenProgress } from './spoken-progress.ts'

test('progress is announced in quarters', () => {
  const announced = [0, 1, 24, 25, 49, 50, 75, 99, 100].map((done) => spokenProgress(done, 100))
  expect(new Set(announced)).toEqual(
    new Set(['', 'a quarter is done', 'half is done', 'three quarters are done', 'all is done']),
  )
  expect(spokenProgress(24, 100)).toBe('')
  expect(spokenProgress(0, 0)).toBe('')
})
