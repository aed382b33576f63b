import { describe, expect, test } from 'vitest'
import { assessPassword } from '../../renderer/lib/password-strength.ts'
import { weaknessOf } from '../../server/features/authentication/passwords/strength.ts'
import { leastScore } from '../../shared/password-strength.ts'

const about = ['Ida Admin', 'ida@werkzeuge.test', 'Acme Werkzeuge']

// All of them keep the rules, so that only the estimate decides.
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
])('console and server agree that these passwords are %s', (outcome, passwords) => {
  test.each(passwords)('%s', (password) => {
    const isRefused = outcome === 'refused'
    expect(assessPassword(password, about).score < leastScore, 'console').toBe(isRefused)
    expect(weaknessOf(password, about) !== null, 'server').toBe(isRefused)
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
