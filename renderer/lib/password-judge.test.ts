import { expect, test } from 'vitest'
import { judgePassword, leastScore } from './password-judge.ts'

test('a password that follows every rule may still be guessed at once', () => {
  const { score, hint } = judgePassword('Password1', [])
  expect(score).toBe(0)
  expect(hint).toMatch(/commonly used/)
})

test('what others know of its owner makes a password weak', () => {
  const password = 'Moltkestrasse1'
  expect(judgePassword(password, ['Firma Moltkestrasse']).score).toBeLessThan(leastScore)
  expect(judgePassword(password, []).score).toBeGreaterThanOrEqual(leastScore)
})

test('a good one needs no hint', () => {
  expect(judgePassword('Zwiebel-Turm-74-rot', ['Ada Admin'])).toEqual({ score: 4, hint: null })
})
