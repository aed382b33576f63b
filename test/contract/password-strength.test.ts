import { expect, test } from 'vitest'
import { judgePassword, leastScore } from '../../renderer/lib/password-judge.ts'
import { weaknessOf } from '../../server/features/identity/passwords/strength.ts'

const about = ['Ada Admin', 'ada@northwind.test', 'Northwind Traders']

// All of them keep the rules, so that only the estimate decides.
test.each([
  'Password1',
  'Northwind1',
  'Welcome2026',
  'Qwertz12345',
  'Summer2026!',
  'Correct1Horse',
  'Zwiebel-Turm-74-rot',
  'Aa1'.repeat(30),
  'P4$$w0rdP4$$w0rd',
])('console and server judge %s alike', (password) => {
  expect(judgePassword(password, about).score >= leastScore).toBe(weaknessOf(password, about) === null)
})
