import { expect, test } from 'vitest'
import { leastScore } from '../../shared/password-strength.ts'
import { assessPassword } from './password-strength.ts'

test('a password that follows every rule can still have the score 0', () => {
  const { score, hint } = assessPassword('Password1', [])
  expect(score).toBe(0)
  expect(hint).toMatch(/everybody tries first/)
})

test('words that others know about its owner make a password weak', () => {
  const password = 'Moltkestrasse1'
  expect(assessPassword(password, ['Firma Moltkestraße']).score).toBeLessThan(leastScore)
  expect(assessPassword(password, []).score).toBeGreaterThanOrEqual(leastScore)
})

test('a strong password has no hint', () => {
  expect(assessPassword('Zwiebel-Turm-74-rot', ['Ada Admin'])).toEqual({ score: 4, hint: null })
})
