import { describe, expect, test } from 'vitest'
import { assessPassword } from './assess-password.ts'
import { leastScore } from './password-strength.ts'

test('a password that follows every rule can still have the score 0', () => {
  const { score, hint } = assessPassword('Password1', [])
  expect(score).toBe(0)
  expect(hint).toMatch(/common words/)
})

test('words that others know about its owner make a password weak', () => {
  const password = 'Moltkestrasse1'
  expect(assessPassword(password, ['Firma Moltkestraße']).score).toBeLessThan(leastScore)
  expect(assessPassword(password, []).score).toBeGreaterThanOrEqual(leastScore)
})

test('a strong password has no hint', () => {
  expect(assessPassword('Zwiebel-Turm-74-rot', ['Ada Admin'])).toEqual({ score: 4, hint: null })
})

const about = ['Ida Admin', 'ida@werkzeuge.test', 'Acme Werkzeuge']

describe.each([
  [
    'refused',
    [
      ...['Password1', 'Welcome2026', 'Qwertz12345', 'Summer2026!', 'P4$$w0rdP4$$w0rd'],
      ...['Homeport1', 'H0mep0rt#2026', 'Server2026!', 'AcmeWerkzeuge2026', 'Ida Admin 2026', 'W3rkz3ug3-2019'],
      ...['Willkommen1', 'Passwort1!', 'Sommer2026', 'Frühling2026', 'Fruehling2026', 'Winter2025!', 'Berlin2026!'],
    ],
  ],
  ['taken', ['Correct1Horse', 'Zwiebel-Turm-74-rot', 'Ida-Zwiebelturm-74', 'Homeport-xK9$mQ2v', 'Sixteen letters 1']],
])('these passwords, which keep all rules, are %s', (outcome, passwords) => {
  test.each(passwords)('%s', (password) => {
    expect(assessPassword(password, about).score < leastScore).toBe(outcome === 'refused')
  })
})

test('a password that is made longer with well-known words still has the score 0', () => {
  for (const password of [
    'Ida1',
    'Ida Admin 1',
    'Ida Admin, Acme Werkzeuge 2026',
    'Homeport Server Admin Password 1984!',
  ])
    expect(assessPassword(password, about).score).toBe(0)
})
